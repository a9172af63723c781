"""Encoding of precision-recall curves: a float32 tensor [6, thresholds] of TP, FP, TN, FN, precision, recall.

Threshold k is k / (thresholds − 1); the content of the metadata is PrCurvePluginData {version 1, num_thresholds 2}.
"""

from __future__ import annotations

import numpy as np

from lossboard.events.conversions import Array, as_real, as_scalar
from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_array
from lossboard.events.warn_once import warn_once
from lossboard.events.wire import uint_field

_MAX_THRESHOLDS = 127  # torch's limit
_MINIMUM_COUNT = 1e-7


def encode_curve(
    tag: str, labels: object, predictions: object, *, num_thresholds: int, weights: object | None
) -> bytes:
    thresholds = int(min(as_scalar(num_thresholds, "num_thresholds"), _MAX_THRESHOLDS))
    truth = np.atleast_1d(as_real(labels, "Labels")).astype(np.float64)
    scores = np.atleast_1d(as_real(predictions, "Predictions"))
    if thresholds < 1:
        raise ValueError(f"num_thresholds must be at least 1, got {num_thresholds}")
    weight = np.asarray(1.0) if weights is None else as_real(weights, "Weights")
    shapes = f"labels {list(truth.shape)}, predictions {list(scores.shape)}, weights {list(weight.shape)}"
    try:
        truth, weight = np.broadcast_arrays(truth, weight)
    except ValueError:
        raise ValueError(f"Weights must be one or as many as labels, got {shapes}") from None
    if truth.shape != scores.shape:
        raise ValueError(f"Labels and predictions differ in shape: {shapes}")
    return _encode(tag, _curve(truth, scores, weight, thresholds), thresholds)


def encode_raw(tag: str, rows: list[object], *, num_thresholds: int) -> bytes:
    """Encodes rows of TP, FP, TN, FN, precision, recall."""
    arrays = [as_real(row, "A row of a PR curve") for row in rows]
    if len({array.shape for array in arrays}) != 1 or arrays[0].ndim < 1:
        raise ValueError(f"The six rows must be of one length, got the shapes {[list(a.shape) for a in arrays]}")
    thresholds = int(min(as_scalar(num_thresholds, "num_thresholds"), _MAX_THRESHOLDS))
    return _encode(tag, np.stack(arrays).reshape(len(arrays), -1), thresholds)


def _encode(tag: str, curve: Array, thresholds: int) -> bytes:
    metadata = encode_metadata("pr_curves", uint_field(2, thresholds))
    return encode_value(tag, TENSOR, encode_array(curve.astype(np.float32)), metadata=metadata)


def _curve(truth: Array, scores: Array, weight: Array, thresholds: int) -> Array:
    bucket = np.floor(scores * (thresholds - 1))
    is_known = (bucket >= 0) & (bucket <= thresholds - 1)  # NaN is not
    if not is_known.all():
        warn_once(
            "A PR curve ignores predictions that are NaN, below 0 or above 1, as in torch. "
            "Apply a sigmoid or softmax to logits first"
        )
    bucket = bucket[is_known].astype(np.int64)
    hits = np.bincount(bucket, (truth * weight)[is_known], thresholds)
    misses = np.bincount(bucket, ((1.0 - truth) * weight)[is_known], thresholds)
    # A prediction counts as positive at its own bucket's threshold and all below.
    tp = np.cumsum(hits[::-1])[::-1]
    fp = np.cumsum(misses[::-1])[::-1]
    tn, fn = fp[0] - fp, tp[0] - tp
    precision = tp / np.maximum(_MINIMUM_COUNT, tp + fp)
    recall = tp / np.maximum(_MINIMUM_COUNT, tp + fn)
    return np.stack((tp, fp, tn, fn, precision, recall))
