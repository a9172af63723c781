"""Encoding of precision-recall curves: a float32 tensor [6, thresholds] of TP, FP, TN, FN, precision, recall.

Threshold k is k / (thresholds − 1); the content of the metadata is PrCurvePluginData {version 1, num_thresholds 2}.
"""

from __future__ import annotations

import numpy as np

from lossboard.events.conversions import Array, as_real, as_scalar
from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_array
from lossboard.events.wire import uint_field

_MAX_THRESHOLDS = 127  # torch's limit
_LEAST_COUNT = 1e-7
_ROUNDING = 1e-6  # how far rounding may move a mean of probabilities beyond 0 or 1


def encode_curve(
    tag: str, labels: object, predictions: object, *, num_thresholds: int, weights: object | None
) -> bytes:
    thresholds = int(min(as_scalar(num_thresholds, "num_thresholds"), _MAX_THRESHOLDS))
    truth = as_real(labels, "Labels").astype(np.float64)
    scores = as_real(predictions, "Predictions")
    if truth.shape != scores.shape:
        raise ValueError(f"Labels and predictions differ in shape: {list(truth.shape)} and {list(scores.shape)}")
    if thresholds < 2:
        raise ValueError(f"num_thresholds must be at least 2, got {num_thresholds}")
    if np.any((scores < -_ROUNDING) | (scores > 1 + _ROUNDING)):
        given = f"{scores.min():g} … {scores.max():g}"
        raise ValueError(f"Predictions must be probabilities, got {given}: apply a sigmoid or softmax first")
    weight = np.asarray(1.0) if weights is None else as_real(weights, "Weights")
    if weight.shape not in ((), truth.shape):
        raise ValueError(f"Weights must be one or as many as labels, {list(truth.shape)}, got {list(weight.shape)}")
    weight = np.broadcast_to(weight, truth.shape)
    return _encode(tag, _curve(truth, scores, weight, thresholds), thresholds)


def encode_raw(tag: str, rows: list[object], *, num_thresholds: int) -> bytes:
    """Encodes rows of TP, FP, TN, FN, precision, recall."""
    arrays = [as_real(row, "A row of a PR curve") for row in rows]
    if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
        raise ValueError(f"The six rows must be of one length, got the shapes {[list(a.shape) for a in arrays]}")
    return _encode(tag, np.stack(arrays), min(num_thresholds, _MAX_THRESHOLDS))


def _encode(tag: str, curve: Array, thresholds: int) -> bytes:
    metadata = encode_metadata("pr_curves", uint_field(2, thresholds))
    return encode_value(tag, TENSOR, encode_array(curve.astype(np.float32)), metadata=metadata)


def _curve(truth: Array, scores: Array, weight: Array, thresholds: int) -> Array:
    known = ~np.isnan(scores)
    bucket = np.floor(scores[known].clip(0, 1) * (thresholds - 1)).astype(np.int64)
    hits = np.bincount(bucket, truth[known] * weight[known], thresholds)
    misses = np.bincount(bucket, (1.0 - truth[known]) * weight[known], thresholds)
    # A prediction is positive at the threshold of its bucket and all lower ones.
    tp = np.cumsum(hits[::-1])[::-1]
    fp = np.cumsum(misses[::-1])[::-1]
    tn, fn = fp[0] - fp, tp[0] - tp
    precision = tp / np.maximum(_LEAST_COUNT, tp + fp)
    recall = tp / np.maximum(_LEAST_COUNT, tp + fn)
    return np.stack((tp, fp, tn, fn, precision, recall))
