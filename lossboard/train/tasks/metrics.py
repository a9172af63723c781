"""Metrics: their names, which direction is better, and how they are printed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Not shares, so they are printed as numbers.
_NUMBERS = {"loss", "mcc", "pearson", "spearman", "rmse", "mae"}
_LOWER_IS_BETTER = {"loss", "rmse", "mae"}


def score(metrics: dict[str, float], name: str) -> float:
    """Returns the named metric with a sign that makes higher better."""
    return -metrics[name] if name in _LOWER_IS_BETTER else metrics[name]


def format_metric(name: str, value: float, *, digits: int = 2) -> str:
    """Returns a metric for people, with its name: `accuracy 85.90%` or `loss 0.3512`."""
    return f"{name.replace('_', ' ')} {format_value(name, value, digits=digits)}"


def format_value(name: str, value: float, *, digits: int = 2) -> str:
    """Returns the value of a metric for people: shares as percentages."""
    return f"{value:.4f}" if name in _NUMBERS else f"{value:.{digits}%}"


def log_softmax(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Returns the log probabilities of each row."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    logs: npt.NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs


def precision_recall_f1(
    hits: npt.NDArray[np.int64], predicted: npt.NDArray[np.int64], actual: npt.NDArray[np.int64]
) -> dict[str, npt.NDArray[np.float64]]:
    """Returns precision, recall and F1 of each class; 0 if a class never occurs."""
    return {
        "precision": hits / np.maximum(predicted, 1),
        "recall": hits / np.maximum(actual, 1),
        "f1": 2 * hits / np.maximum(predicted + actual, 1),
    }
