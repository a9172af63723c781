"""SummaryWriter: the public logging API, with torch's names, arguments and defaults, and what training needs beside.

When a call returns, what it logged survives the death of the process; after `flush` it survives power loss. A mistake
of the program (a wrong shape, a tag that is not a string) raises TypeError or ValueError at the call and writes
nothing. A fault of the world (disk full, folder deleted, drive gone) never raises after construction: what cannot be
written waits in memory, and what is lost is counted and said.
"""

from __future__ import annotations

import os
import socket
import time
import weakref
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from lossboard.events.append import EventFiles
from lossboard.events.summary import FILE_VERSION, SESSION_LOG, SESSION_START
from lossboard.events.values import as_real, as_scalar, as_step, as_tag
from lossboard.events.wire import uint_field
from lossboard.kinds.audio import encode as audio
from lossboard.kinds.custom_scalars import encode as custom_scalars
from lossboard.kinds.embeddings.encode import Embedding
from lossboard.kinds.histograms.encode import Bins, Histogram
from lossboard.kinds.hparams import encode as hparams
from lossboard.kinds.images import encode as images
from lossboard.kinds.meshes import encode as meshes
from lossboard.kinds.pr_curves import encode as pr_curves
from lossboard.kinds.scalars import encode as scalars
from lossboard.kinds.tensors import encode as tensors
from lossboard.kinds.text import encode as text

_FILE_VERSION_FIELD = 3


class SummaryWriter:
    """Logs one run into event files that Lossboard and TensorBoard read.

    `log_dir` is the run's folder, by default runs/<date>_<host><comment>. `purge_step` hides what an earlier, crashed
    process logged from that step on. `max_queue` and `flush_secs` are torch's; nothing is queued here, so they have no
    effect. `filename_suffix` ends the file's name.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
        *,
        logdir: str | os.PathLike[str] | None = None,
    ) -> None:
        self.log_dir = os.fspath(log_dir or logdir or _default_log_dir(comment))
        if "://" in self.log_dir:
            raise ValueError(f"log_dir must be a folder of this machine, got {self.log_dir!r}")
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self._files = EventFiles(self.log_dir, filename_suffix)
        self._file = self._files.main
        self._finalizer = weakref.finalize(self, self._files.close)
        if purge_step is not None:
            self._event(_FILE_VERSION_FIELD, FILE_VERSION.encode(), purge_step)
            self._event(SESSION_LOG, uint_field(1, SESSION_START), purge_step)

    def get_logdir(self) -> str:
        """The folder that is written to."""
        return self.log_dir

    # ---- numbers ---------------------------------------------------------------------------------------------------
    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """One point of a curve. `double_precision` counts only with `new_style`, as in torch."""
        if new_style:
            value = scalars.encode(as_tag(tag), as_scalar(scalar_value), double_precision=double_precision)
            self._summary([value], global_step, walltime)
        elif self._file.scalar(tag, scalar_value, global_step, walltime):
            self._files.tell(self._file.fault)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Several curves in one chart: each is a sub-run of its own, named <main_tag>_<key>."""
        folder = f"{self.log_dir}/{as_tag(main_tag).replace('/', '_')}_"
        points = {folder + as_tag(tag): as_scalar(value) for tag, value in tag_scalar_dict.items()}
        walltime = time.time() if walltime is None else walltime
        for run, value in points.items():
            file = self._files.sub_run(run)
            if file.scalar(main_tag, value, global_step, walltime):
                self._files.tell(file.fault)

    def add_scalars_dict(
        self, values: Mapping[str, Any], global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """One point of each of several curves, of this run, in one record: {"train/loss": …, "train/lr": …}."""
        if self._file.scalars(values if type(values) is dict else dict(values), global_step, walltime):
            self._files.tell(self._file.fault)

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """A tensor as it is."""
        self._summary([tensors.encode(as_tag(tag), tensor)], global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Bins = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """How values are distributed. `bins` is "tensorflow" or anything that `numpy.histogram` takes."""
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
        """A histogram that is counted already; `bucket_limits` are the right edges."""
        limits, counts = as_real(bucket_limits, "bucket_limits"), as_real(bucket_counts, "bucket_counts")
        if limits.shape != counts.shape or limits.ndim != 1:
            raise ValueError(f"{limits.size} bucket_limits for {counts.size} bucket_counts: each bucket needs both")
        histogram = Histogram(
            as_scalar(min), as_scalar(max), as_scalar(num), as_scalar(sum), as_scalar(sum_squares), limits, counts
        )
        self._summary([histogram.encode(as_tag(tag))], global_step, walltime)

    # ---- media -----------------------------------------------------------------------------------------------------
    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """An image: uint8, or floats from 0 to 1. `dataformats` names the axes: CHW, HWC, HW …"""
        self._summary([images.encode_image(as_tag(tag), img_tensor, dataformats=dataformats)], global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """A batch of images as one grid, eight in a row."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: str | Sequence[str] | None = None,
    ) -> None:
        """An image with boxes (x1, y1, x2, y2 in pixels) drawn into it. Labels that are not one a box are left out."""
        names = [labels] if isinstance(labels, str) else labels
        if names is not None and len(names) != len(box_tensor):
            names = None
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
        """A matplotlib figure, or a list of figures as a grid."""
        if isinstance(figure, list):
            pixels = np.stack([images.figure_pixels(one, close=close) for one in figure])
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
    ) -> None:
        """Videos [N, T, C, H, W] side by side, as an animated GIF."""
        self._summary([images.encode_video(as_tag(tag), vid_tensor, fps=fps)], global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """A sound of one channel, from −1 to 1."""
        self._summary([audio.encode(as_tag(tag), snd_tensor, sample_rate=sample_rate)], global_step, walltime)

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Text, shown as Markdown."""
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
        """A mesh or point cloud: vertices, colours and faces are [batch, N, 3]."""
        self._summary(meshes.encode(as_tag(tag), vertices, colors, faces, config_dict), global_step, walltime)

    # ---- models and their quality ----------------------------------------------------------------------------------
    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: Sequence[Any] | None = None,
    ) -> None:
        """Points [N, features] for the projector, with labels (or rows below a header) and images [N, C, H, W]."""
        step = 0 if global_step is None else as_step(global_step)
        embedding = Embedding.of(
            mat, metadata=metadata, label_img=label_img, step=step, tag=as_tag(tag), header=metadata_header
        )
        try:
            embedding.write(Path(self.log_dir))
        except OSError as error:
            self._files.lose(f"embedding {embedding.name}", error)

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
        """Precision and recall at every threshold, from binary labels and predicted probabilities."""
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
        """A precision–recall curve that is counted already; `weights` has no effect, as in torch."""
        counts = [true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts]
        value = pr_curves.encode_raw(as_tag(tag), [*counts, precision, recall], num_thresholds=num_thresholds)
        self._summary([value], global_step, walltime)

    # ---- what the run is -------------------------------------------------------------------------------------------
    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Sequence[Any]] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Hyperparameters and what they led to, as a sub-run named `run_name` (by default the time)."""
        if not isinstance(hparam_dict, Mapping) or not isinstance(metric_dict, Mapping):
            raise TypeError("hparam_dict and metric_dict must be dictionaries")
        metrics = {as_tag(tag): as_scalar(value) for tag, value in metric_dict.items()}
        values = hparams.encode(hparam_dict, metrics, hparam_domain_discrete)
        file = self._files.sub_run(f"{self.log_dir}/{run_name or time.time()}")
        file.summary(values, global_step, None)
        for tag, value in metrics.items():
            file.scalar(tag, value, global_step, None)
        file.close()
        if file.fault:
            self._files.tell(file.fault)

    def add_custom_scalars(self, layout: custom_scalars.Layout) -> None:
        """Charts by category: {"loss": {"both": ["Multiline", ["loss/train", "loss/val"]]}}; see also "Margin"."""
        self._summary([custom_scalars.encode(layout)], None, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """One chart with the curves of several tags."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """One chart with a curve between two others: the tags of value, lower, upper."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    # ---- the file --------------------------------------------------------------------------------------------------
    def flush(self) -> None:
        """Waits until all that was logged is on the disk itself, safe from power loss."""
        self._files.flush()

    def close(self) -> None:
        """Ends the event files. Logging again afterwards begins new ones."""
        self._files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _summary(self, values: list[bytes], step: int | None, walltime: float | None) -> None:
        if self._file.summary(values, step, walltime):
            self._files.tell(self._file.fault)

    def _event(self, field: int, message: bytes, step: int | None = None) -> None:
        if self._file.event(field, message, step, None):
            self._files.tell(self._file.fault)


def _default_log_dir(comment: str) -> str:
    started = datetime.now().strftime("%b%d_%H-%M-%S")
    return f"runs/{started}_{socket.gethostname()}{comment}"
