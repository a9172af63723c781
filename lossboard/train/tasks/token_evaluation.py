"""Metrics of token classification: entities that are found with their type and both ends, and single tags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.train.data.batches import Ids
from lossboard.train.tasks.entities import Entity, entities_of, entity_text, split_tag
from lossboard.train.tasks.metrics import log_softmax, precision_recall_f1
from lossboard.train.tasks.task import Doubles, Floats


@dataclass(frozen=True)
class TokenEvaluation:
    """Logits and true tags of the words of some examples. `owners` has the example of each word."""

    logits: Floats
    labels: Ids
    owners: Ids
    examples: Ids
    words_of: Callable[[int], Sequence[str]]  # returns the words of an example
    classes: tuple[str, ...]

    @cached_property
    def word_losses(self) -> Doubles:
        losses: Doubles = -log_softmax(self.logits)[np.arange(len(self.labels)), self.labels]
        return losses

    @cached_property
    def losses(self) -> Doubles:
        """The mean loss of the words of each example; 0 without words."""
        position = np.searchsorted(self.examples, self.owners)
        sums = np.bincount(position, self.word_losses, minlength=len(self.examples))
        return sums / np.maximum(np.bincount(position, minlength=len(self.examples)), 1)

    @cached_property
    def predictions(self) -> Ids:
        predictions: Ids = np.argmax(self.logits, axis=1)
        return predictions

    @cached_property
    def kinds(self) -> list[str]:
        """The types of entities, in alphabetical order."""
        return sorted({split_tag(name)[1] for name in self.classes} - {"O"})

    @cached_property
    def counts(self) -> tuple[Ids, Ids, Ids]:
        """The number of entities of each type: rightly predicted, predicted, and labeled."""
        predicted, actual = set(self._entities(self.predictions)), set(self._entities(self.labels))
        return self._count(predicted & actual), self._count(predicted), self._count(actual)

    def _entities(self, tags: Ids) -> Iterator[tuple[int, Entity]]:
        """Yields the entities of all examples, each with the position of its example."""
        for example, names in enumerate(self._by_example(tags)):
            for entity in entities_of(names):
                yield example, entity

    def _by_example(self, tags: Ids) -> list[list[str]]:
        """Returns the names of the tags of each example."""
        starts = np.searchsorted(self.owners, self.examples)
        stops = np.searchsorted(self.owners, self.examples, side="right")
        names = [self.classes[tag] for tag in tags.tolist()]
        return [names[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]

    def _count(self, entities: set[tuple[int, Entity]]) -> Ids:
        number = {kind: index for index, kind in enumerate(self.kinds)}
        found = [number[kind] for _, (kind, _, _) in entities]
        return np.bincount(np.asarray(found, np.int64), minlength=len(number))

    def metrics(self) -> dict[str, float]:
        totals = [np.asarray([counts.sum()]) for counts in self.counts]
        entities = {name: float(values[0]) for name, values in precision_recall_f1(*totals).items()}
        words = max(1, len(self.labels))
        return {
            "f1": entities["f1"],
            "precision": entities["precision"],
            "recall": entities["recall"],
            "accuracy": float((self.predictions == self.labels).sum() / words),
            "loss": float(self.word_losses.sum() / words),
        }

    def class_metrics(self) -> dict[str, float]:
        return {
            f"{metric}/{kind}": float(value)
            for metric, values in precision_recall_f1(*self.counts).items()
            for kind, value in zip(self.kinds, values, strict=True)
        }

    def pr_curves(self) -> Iterator[tuple[str, npt.NDArray[np.bool_], npt.NDArray[Any]]]:
        return iter(())

    def confusion(self) -> Ids:
        """Returns the words by their true tag and their predicted tag."""
        size = len(self.classes)
        return np.bincount(self.labels * size + self.predictions, minlength=size**2).reshape(size, size)

    def truths(self) -> list[list[str]]:
        return self._by_example(self.labels)

    def guesses(self) -> list[list[str]]:
        return self._by_example(self.predictions)

    def predicted(self, index: int) -> str:
        example = int(self.examples[index])
        tags = self.predictions[self.owners == example]
        return entity_text(self.words_of(example), [self.classes[tag] for tag in tags])
