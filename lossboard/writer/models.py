"""The methods of a writer that log what a model is and computes: graphs, embeddings, PR curves, attention."""

from __future__ import annotations

import logging
import operator
import os
import time
from collections.abc import Callable, Sequence
from typing import Any, Unpack

from lossboard.events.conversions import as_tag
from lossboard.events.summary import GRAPH_DEF, TAGGED_RUN_METADATA
from lossboard.kinds.attention import encode as attention
from lossboard.kinds.attention.measures import measure_all
from lossboard.kinds.attention.weights import AttentionOptions, as_maps
from lossboard.kinds.embeddings.encode import Embedding
from lossboard.kinds.graphs import encode as graphs
from lossboard.kinds.pr_curves import encode as pr_curves
from lossboard.writer.model_watch import ModelWatch
from lossboard.writer.series import SeriesMethods

_log = logging.getLogger("lossboard")


class ModelMethods(SeriesMethods):
    """A part of SummaryWriter."""

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
        keep: attention.Keep = "auto",
        statistics: bool = False,
        **options: Unpack[AttentionOptions],
    ) -> None:
        """Logs the attention weights for one text: one array of heads × queries × keys for each layer, or all in one.

        `keep` is "maps", "summary" (measures and thumbnails only) or "auto", which keeps maps of up to 2²⁷ weights.
        With `statistics`, each head also gets three scalars: entropy, mean distance and weight on the first token.

        Of the options, `keys` names what is attended to if it is not the tokens, `layers` and `heads` which ones of
        the model these are, `kv_heads` how many key–value heads the heads share, `mask` which positions are not
        padding, and `grid` the rows and columns of image patches. `kind` is "self" or "cross".
        """
        maps = as_maps(weights, tokens, **options)
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


def _step_name(step: Any) -> str:
    """Returns the step in the name of an embedding. What is not an integer is taken as text, as in torch."""
    try:
        return str(0 if step is None else operator.index(step))
    except TypeError:
        return str(step)
