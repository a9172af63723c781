"""SummaryWriter, the public logging API. Names, arguments and defaults match torch's SummaryWriter.

A call that works with torch's or tensorboardX's writer works with this one; docs/compatibility.md lists differences.
When a call returns, its record survives the death of the process. After `flush` it also survives a power failure. An
invalid argument (a wrong shape, a tag that is a number) raises TypeError or ValueError and writes nothing. An I/O
error (disk full, directory deleted, drive gone) raises only in the constructor. Later, records that cannot be written
are buffered in memory, and lost records are counted and reported.
"""

from __future__ import annotations

import json
import logging
import operator
import os
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy.typing as npt

from lossboard._core import bin_edges
from lossboard.events.conversions import Array, as_mapping, as_real, as_scalar, as_tag
from lossboard.events.event_files import default_run_dir
from lossboard.events.summary import GRAPH_DEF, TAGGED_RUN_METADATA
from lossboard.kinds.attention import encode as attention
from lossboard.kinds.attention.measures import measure_all
from lossboard.kinds.attention.weights import AttentionKind, as_maps
from lossboard.kinds.audio import encode as audio
from lossboard.kinds.custom_scalars import encode as custom_scalars
from lossboard.kinds.embeddings.encode import Embedding
from lossboard.kinds.graphs import encode as graphs
from lossboard.kinds.histograms.encode import Bins, Histogram
from lossboard.kinds.hparams import encode as hparams
from lossboard.kinds.images import encode as images
from lossboard.kinds.meshes import encode as meshes
from lossboard.kinds.pr_curves import encode as pr_curves
from lossboard.kinds.scalars import encode as scalars
from lossboard.kinds.tensors import encode as tensors
from lossboard.kinds.text import encode as text
from lossboard.writer.model_watch import ModelWatch
from lossboard.writer.read_scalars import read_scalars
from lossboard.writer.run_files import RunFiles
from lossboard.writer.system_metrics import Sampler, SystemMonitor

_log = logging.getLogger("lossboard")


class SummaryWriter(RunFiles):
    """Logs one run into event files that Lossboard and TensorBoard read.

    `log_dir` is the run directory, by default runs/<date>_<host><comment>. `purge_step` supersedes the points that an
    earlier, crashed process logged from that step on. `max_queue` and `flush_secs` exist for compatibility with torch
    and have no effect, because nothing is queued. `filename_suffix` is appended to the file's name. The rest comes from
    tensorboardX: `write_to_disk` tells whether anything is written at all (only one of several equal processes should
    write), `logdir` is another name for `log_dir`, and `comet_config` has no effect.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        logdir: str | os.PathLike[str] | None = None,
        comet_config: Mapping[str, Any] | None = None,
    ) -> None:
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self._tags_of_sub_runs: dict[str, str] = {}
        self._monitor: SystemMonitor | None = None
        self._sampler: Sampler | None = None
        super().__init__(
            log_dir or logdir or default_run_dir(comment),
            purge_step=purge_step,
            filename_suffix=filename_suffix,
            write_to_disk=write_to_disk,
        )

    def close(self, *, finished: bool = True) -> None:
        """Closes the event files. `finished` marks the run as finished. Logging again starts new files."""
        if self._sampler is not None:
            self._sampler.stop()
            self._sampler = None
        super().close(finished=finished)

    # ---- scalars, histograms and tensors -----------------------------------------------------------------------------
    def _add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool | str = False,
        double_precision: bool | str = False,
        *,
        display_name: str | None = "",
        summary_description: str | None = "",
    ) -> None:
        if isinstance(new_style, str):  # tensorboardX's order: display_name, summary_description
            display_name, new_style = new_style, False
        if isinstance(double_precision, str):
            summary_description, double_precision = double_precision, False
        if new_style or display_name or summary_description:
            number = as_scalar(scalar_value)
            labels = {"display_name": display_name or "", "description": summary_description or ""}
            if new_style:
                value = scalars.encode(as_tag(tag), number, double_precision=bool(double_precision), **labels)
            else:
                value = scalars.encode_simple(as_tag(tag), number, **labels)
            self._summary([value], global_step, walltime)
            return
        step, walltime = self._at(global_step, walltime)
        if self._file.scalar(as_tag(tag), scalar_value, step, walltime):
            self._report_error()

    _add_scalar.__qualname__ = "SummaryWriter.add_scalar"  # the name in Python's messages about wrong arguments

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Logs several series in one chart. Each becomes a sub-run named <main_tag>_<key>."""
        main_tag = as_tag(main_tag)
        self._log_sub_runs(main_tag, f"{main_tag.replace('/', '_')}_", tag_scalar_dict, global_step, walltime)

    def _log_sub_runs(
        self, tag: str, prefix: str, values: Mapping[str, Any], step: int | None, walltime: float | None
    ) -> None:
        given = as_mapping(values, "tag_scalar_dict")
        points = {f"{self._folder}/{prefix}{as_tag(key)}": as_scalar(value) for key, value in given.items()}
        step, walltime = self._at(step, walltime)
        walltime = time.time() if walltime is None else walltime
        for run, value in points.items():
            self._tags_of_sub_runs[run] = tag
            file = self._files.sub_run(run)
            if file.scalar(tag, value, step, walltime):
                self._files.report_error(file.fault)

    def export_scalars_to_json(self, path: str | os.PathLike[str]) -> None:
        """Writes the series that `add_scalars` logged: sub-run → [[wall time, step, value], …].

        This method comes from tensorboardX. `lossboard export` also exports other data.
        """
        self.flush()
        exported = {run: read_scalars(self._files.path_of(run), tag) for run, tag in self._tags_of_sub_runs.items()}
        Path(path).write_text(json.dumps(exported))

    def add_scalars_dict(
        self, values: Mapping[str, Any], global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Logs one point for each of several series of this run, in one record: {"train/loss": …, "train/lr": …}."""
        if type(values) is not dict:
            values = dict(as_mapping(values, "The values"))
        step, walltime = self._at(global_step, walltime)
        if self._file.scalars(values, step, walltime):
            self._report_error()

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Logs a tensor as it is."""
        self._summary([tensors.encode(as_tag(tag), tensor)], global_step, walltime)

    @property
    def default_bins(self) -> list[float]:
        """The bin edges of `add_histogram`."""
        return [float(edge) for edge in bin_edges()]

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Bins = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Logs the distribution of values. `bins` is "tensorflow" or anything that `numpy.histogram` accepts."""
        histogram = Histogram.of(values, bins=bins, max_bins=max_bins)
        self._summary([histogram.encode(as_tag(tag))], global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: float,
        sum: float,
        sum_squares: float,
        bucket_limits: npt.ArrayLike,
        bucket_counts: npt.ArrayLike,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a histogram that is already computed. `bucket_limits` are the right edges."""
        limits, counts = _as_row(bucket_limits, "bucket_limits"), _as_row(bucket_counts, "bucket_counts")
        if limits.shape != counts.shape:
            raise ValueError(f"bucket_limits has {limits.size} values and bucket_counts {counts.size}; they must match")
        moments = {"min": min, "max": max, "num": num, "sum": sum, "sum_squares": sum_squares}
        numbers = {name: 0.0 if value is None else as_scalar(value, name) for name, value in moments.items()}
        histogram = Histogram(**numbers, limits=limits, counts=counts)
        self._summary([histogram.encode(as_tag(tag))], global_step, walltime)

    # ---- media -------------------------------------------------------------------------------------------------------
    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Logs an image: uint8, or floats from 0 to 1. `dataformats` names the axes: CHW, HWC, HW …"""
        self._summary([images.encode_image(as_tag(tag), img_tensor, dataformats=dataformats)], global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Logs a batch of images as one grid with eight images per row. A list may contain images, as CHW or HWC."""
        if isinstance(img_tensor, (list, tuple)) and len(dataformats) == 3:
            dataformats = f"N{dataformats}"
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        rescale: float | str = 1,
        dataformats: Any = "CHW",
        labels: str | Sequence[str] | None = None,
    ) -> None:
        """Logs an image with boxes (x1, y1, x2, y2 in pixels). Labels are ignored unless there is one per box."""
        if isinstance(rescale, str):  # tensorboardX's order: dataformats, labels
            labels = dataformats if dataformats != "CHW" else labels
            rescale, dataformats = 1, rescale
        names = [labels] if isinstance(labels, str) else labels
        value = images.encode_boxes(
            as_tag(tag), img_tensor, box_tensor, rescale=rescale, dataformats=dataformats, labels=names
        )
        self._summary([value], global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Logs a matplotlib figure, or a list of figures as a grid."""
        if isinstance(figure, list):
            pixels = images.figures_pixels(figure, close=close)
            self.add_image(tag, pixels, global_step, walltime, dataformats="NHWC")
        else:
            self.add_image(tag, images.figure_pixels(figure, close=close), global_step, walltime, dataformats="HWC")

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: int | None = None,
        fps: float = 4,
        walltime: float | None = None,
        dataformats: str = "NTCHW",
    ) -> None:
        """Logs videos [N, T, C, H, W] side by side, as an animated GIF."""
        value = images.encode_video(as_tag(tag), vid_tensor, fps=fps, dataformats=dataformats)
        self._summary([value], global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Logs audio with values from −1 to 1: one channel, or two channels as [frames, 2]."""
        self._summary([audio.encode(as_tag(tag), snd_tensor, sample_rate=sample_rate)], global_step, walltime)

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Logs text, shown as Markdown."""
        self._summary([text.encode(as_tag(tag), text_string)], global_step, walltime)

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: Mapping[str, Any] | None = None,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a mesh or point cloud. Vertices, colors and faces have the shape [batch, N, 3]."""
        self._summary(meshes.encode(as_tag(tag), vertices, colors, faces, config_dict), global_step, walltime)

    # ---- models ------------------------------------------------------------------------------------------------------
    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Logs the graph of a torch module or a Keras model.

        A torch module is traced with a sample input: a tensor, a tuple, or a dict of keyword arguments. A Keras model
        needs none. If tracing fails, a warning is logged and training continues.
        """
        if hasattr(model, "to_json"):
            self._summary([graphs.encode_keras(model.to_json())], None, None)
            return
        if not callable(model):
            raise TypeError(f"add_graph needs a torch module or a Keras model, got {type(model).__name__}")
        from lossboard.kinds.graphs.torch_trace import trace

        try:
            graph, nodes = trace(model, input_to_model, strict=use_strict_trace)
        except Exception as error:  # a model may raise anything, and its graph must not stop training
            reason = str(error).strip().split("\n")[0]
            _log.warning("Could not log the graph of %s: %s: %s", type(model).__name__, type(error).__name__, reason)
            return
        if verbose:
            print(graph)
        self._event(GRAPH_DEF, graphs.encode_graph(nodes))
        self._event(TAGGED_RUN_METADATA, graphs.encode_statistics())

    def add_onnx_graph(
        self, prototxt: str | os.PathLike[str] = "", *, onnx_model_file: str | os.PathLike[str] = ""
    ) -> None:
        """Logs the graph of an ONNX file. `onnx_model_file` is tensorboardX's name for `prototxt`."""
        from lossboard.kinds.graphs.onnx import read_onnx

        self._event(GRAPH_DEF, graphs.encode_graph(read_onnx(prototxt or onnx_model_file)))

    def add_openvino_graph(self, xmlname: str | os.PathLike[str]) -> None:
        """Logs the graph of an OpenVINO model, from its XML file."""
        from lossboard.kinds.graphs.openvino import read_openvino

        self._event(GRAPH_DEF, graphs.encode_graph(read_openvino(xmlname)))

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: Sequence[Any] | None = None,
    ) -> None:
        """Logs vectors [N, features] for the projector, with labels (rows, if there is a header) and images."""
        embedding = Embedding.of(
            mat,
            metadata=metadata,
            label_img=label_img,
            step=_step_name(global_step),
            tag=as_tag(tag),
            header=metadata_header,
        )
        self._files.write_asset(embedding.write, f"embedding {embedding.name}")

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a precision–recall curve, computed from binary labels and predicted probabilities."""
        value = pr_curves.encode_curve(as_tag(tag), labels, predictions, num_thresholds=num_thresholds, weights=weights)
        self._summary([value], global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a precision–recall curve that is already computed. `weights` has no effect, as in torch."""
        counts = [true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts]
        value = pr_curves.encode_raw(as_tag(tag), [*counts, precision, recall], num_thresholds=num_thresholds)
        self._summary([value], global_step, walltime)

    def add_attention(
        self,
        tag: str,
        weights: Any,
        tokens: Sequence[str],
        step: int | None = None,
        walltime: float | None = None,
        *,
        keys: Sequence[str] | None = None,
        layers: Sequence[int] | None = None,
        heads: Sequence[int] | None = None,
        kv_heads: int | None = None,
        mask: Any = None,
        causal: bool | None = None,
        grid: tuple[int, int] | None = None,
        kind: AttentionKind = "self",
        keep: attention.Keep = "auto",
        statistics: bool = False,
    ) -> None:
        """Logs the attention weights for one text: one array of heads × queries × keys for each layer, or all in one.

        `keys` names what is attended to if it is not the tokens, `layers` and `heads` which ones of the model these
        are, `kv_heads` how many key–value heads the heads share, `mask` which positions are not padding, and `grid`
        the rows and columns of image patches. `kind` is "self" or "cross". `keep` is "maps", "summary" (measures and
        thumbnails only) or "auto", which keeps maps of up to 2²⁷ weights. With `statistics`, each head also gets three
        scalars: entropy, mean distance and weight on the first token.
        """
        maps = as_maps(
            weights,
            tokens,
            keys=keys,
            layers=layers,
            heads=heads,
            kv_heads=kv_heads,
            mask=mask,
            causal=causal,
            grid=grid,
            kind=kind,
        )
        measured = measure_all(maps)
        step, walltime = self._at(step, walltime)
        walltime = time.time() if walltime is None else walltime
        for value in attention.encode(as_tag(tag), maps, measured, keep=keep):
            self._summary([value], step, walltime)
        if statistics:
            found = {f"{tag}/{name}": value for name, value in attention.statistics(maps, measured).items()}
            self.add_scalars_dict(found, step, walltime)

    def watch(
        self, model: Any, *, every: int = 100, histograms: bool = True, step: Callable[[], int] | None = None
    ) -> ModelWatch:
        """Logs norms and histograms of a torch model's parameters and gradients, once per `every` backward passes.

        `step` returns the current step; without it, backward passes are counted. Call `remove()` on the result to stop.
        """
        return ModelWatch(self, model, every=every, histograms=histograms, step=step)

    # ---- run metadata ------------------------------------------------------------------------------------------------
    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Sequence[Any]] | str | None = None,
        run_name: str | os.PathLike[str] | int | None = None,
        global_step: int | None = None,
        *,
        name: str | None = None,
    ) -> None:
        """Logs hyperparameters and the resulting metrics as a sub-run named `run_name` (by default the time).

        `name` is tensorboardX's name for `run_name`. Its positional order, name and step, works too.
        """
        if isinstance(hparam_domain_discrete, str):
            name, hparam_domain_discrete = hparam_domain_discrete, None
        if isinstance(run_name, int):
            run_name, global_step = None, run_name
        self._log_trial(hparam_dict, metric_dict, hparam_domain_discrete, run_name or name, global_step, global_step)

    def _log_trial(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        domains: Mapping[str, Sequence[Any]] | None,
        run_name: str | os.PathLike[str] | None,
        hparams_step: int | None,
        metrics_step: int | None,
    ) -> None:
        given = as_mapping(metric_dict, "metric_dict")
        metrics = {as_tag(tag): as_scalar(value, f"Metric {tag!r}") for tag, value in given.items()}
        values = hparams.encode(as_mapping(hparam_dict, "hparam_dict"), metrics, domains)
        self._reopen()
        file = self._files.sub_run(str(Path(self._folder) / (run_name or str(time.time()))))
        file.summary(values, hparams_step, None)
        for tag, value in metrics.items():
            file.scalar(tag, value, metrics_step, None)
        file.close(finished=True)
        if file.fault:
            self._files.report_error(file.fault)

    def add_config(
        self, config: Mapping[str, Any], metrics: Sequence[str] = (), global_step: int | None = None
    ) -> None:
        """Logs the settings of this run, which may be nested, as text and as hyperparameters named `a.b`.

        `metrics` are the tags of scalars that TensorBoard shows with them in its table of hyperparameters.
        """
        as_mapping(config, "A config")
        shown = json.dumps(config, indent=2, default=str, ensure_ascii=False)
        settings = hparams.flatten(config)
        values = hparams.encode(settings, metrics) if metrics else [hparams.encode_session_start(settings)]
        self._summary([text.encode("config", f"```json\n{shown}\n```"), *values], global_step, None)

    def add_system_metrics(
        self, global_step: int | None = None, walltime: float | None = None, *, every_secs: float | None = None
    ) -> None:
        """Logs CPU, memory and GPU use as series `system/…`.

        With `every_secs`, a small thread keeps sampling until `close`. Its steps are seconds since it started.
        """
        if every_secs is not None and not as_scalar(every_secs, "every_secs") > 0:
            raise ValueError(f"every_secs must be positive, got {every_secs}")
        self._monitor = self._monitor or SystemMonitor()
        self.add_scalars_dict(self._monitor.sample(), global_step, walltime)
        if every_secs is not None and self._sampler is None:
            self._sampler = Sampler(every_secs, partial(_sample, weakref.ref(self), self._monitor, time.monotonic()))

    def add_custom_scalars(self, layout: custom_scalars.Layout) -> None:
        """Defines charts by category: {"loss": {"both": ["Multiline", ["loss/train", "loss/val"]]}}, or "Margin"."""
        self._summary([custom_scalars.encode(layout)], None, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Defines one chart with the series of several tags."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Defines one chart with a margin around a series. The tags are value, lower bound and upper bound."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})


def _as_row(values: Any, what: str) -> Array:
    """Returns numbers on one axis. Any iterable will do."""
    return as_real(values if hasattr(values, "shape") else list(values), what).reshape(-1)


def _step_name(step: Any) -> str:
    """Returns the step in the name of an embedding. What is not an integer is taken as text, as in torch."""
    try:
        return str(0 if step is None else operator.index(step))
    except TypeError:
        return str(step)


def _sample(writer: weakref.ref[SummaryWriter], monitor: SystemMonitor, started: float) -> bool:
    # A weak reference, so that the thread does not keep an unused writer alive, and ends with it.
    target = writer()
    if target is not None:
        target.add_scalars_dict(monitor.sample(), int(time.monotonic() - started))
    return target is not None
