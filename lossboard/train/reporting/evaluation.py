"""Evaluation: classification metrics from logits and labels, in numpy."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lossboard.train.data.batches import Ids

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Evaluation:
    """Logits and labels of a set of examples, and their metrics."""

    logits: Floats
    labels: Ids
    features: Floats | None = field(default=None, repr=False)  # input of the classification head: the [CLS] embedding

    @cached_property
    def log_probabilities(self) -> npt.NDArray[np.float64]:
        shifted = self.logits.astype(np.float64) - self.logits.max(axis=1, keepdims=True)
        logs: npt.NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        return logs

    @cached_property
    def losses(self) -> npt.NDArray[np.float64]:
        losses: npt.NDArray[np.float64] = -self.log_probabilities[np.arange(len(self.labels)), self.labels]
        return losses

    @property
    def loss(self) -> float:
        return float(self.losses.mean())

    @cached_property
    def predictions(self) -> Ids:
        predictions: Ids = np.argmax(self.logits, axis=1)
        return predictions

    @property
    def accuracy(self) -> float:
        return float((self.predictions == self.labels).mean())

    @cached_property
    def confusion(self) -> Ids:
        """Confusion matrix: a row for each true class, a column for each predicted class."""
        classes = self.logits.shape[1]
        return np.bincount(self.labels * classes + self.predictions, minlength=classes**2).reshape(classes, classes)

    @cached_property
    def per_class(self) -> dict[str, npt.NDArray[np.float64]]:
        """Precision, recall and F1 of each class; 0 if a class never occurs."""
        hits = np.diag(self.confusion).astype(float)
        predicted, actual = self.confusion.sum(axis=0), self.confusion.sum(axis=1)
        precision, recall = hits / np.maximum(predicted, 1), hits / np.maximum(actual, 1)
        f1 = 2 * hits / np.maximum(predicted + actual, 1)
        return {"precision": precision, "recall": recall, "f1": f1}

    @property
    def f1(self) -> float:
        """Macro F1 over the classes that occur."""
        occurs = (self.confusion.sum(axis=0) + self.confusion.sum(axis=1)) > 0
        return float(self.per_class["f1"][occurs].mean())

    def metrics(self) -> dict[str, float]:
        """Returns the metrics that summarize a run."""
        return {"accuracy": self.accuracy, "f1": self.f1, "loss": self.loss}

    def part(self, rows: Ids) -> Evaluation:
        features = None if self.features is None else self.features[rows]
        return Evaluation(self.logits[rows], self.labels[rows], features)

    def score(self, metric: str) -> float:
        """Returns the named metric with a sign that makes higher better."""
        value = float(getattr(self, metric))
        return -value if metric == "loss" else value

    def worst(self, count: int) -> Ids:
        """Returns the examples with the highest loss, which often have a wrong label."""
        return np.argsort(-self.losses, kind="stable")[:count]
