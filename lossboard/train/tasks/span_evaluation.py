"""Answers that a model gives, and their metrics: exact match and F1 as the official evaluation of SQuAD has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from lossboard.train.data.batches import Ids
from lossboard.train.data.span_inputs import NO_PLACE, SpanTargets
from lossboard.train.data.texts import as_text
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.tasks import answers as scoring
from lossboard.train.tasks.metrics import log_softmax
from lossboard.train.tasks.task import Doubles, Floats, Outputs

# An answer has at most this many tokens.
MAX_ANSWER_TOKENS = 30


@dataclass(frozen=True)
class Answer:
    """A part of a context; empty if the model finds no answer in it."""

    text: str
    start: int
    end: int
    probability: float


@dataclass(frozen=True)
class _Span:
    """The best tokens of one input, their score, and that of having no answer."""

    score: float
    start: int
    end: int
    no_answer: float
    log_probability: float
    no_answer_log_probability: float


def best_answers(outputs: Outputs, data: EncodedExamples, rows: Ids) -> Iterator[Answer]:
    """Yields the answer of each example, in order: the best one of its inputs.

    There is none if each input prefers its first token, which stands for no answer, to that span.
    """
    targets = data.targets
    assert isinstance(targets, SpanTargets)
    examples = data.examples[rows]
    contexts = data.split.pairs or ()
    for example in np.unique(examples):
        inputs = range(*np.searchsorted(examples, (example, example + 1)))
        spans = [_best_span(outputs.of(i), targets.places(int(rows[i]))) for i in inputs]
        best = max(spans, key=lambda span: span.score)
        none = min(spans, key=lambda span: span.no_answer)
        if none.no_answer >= best.score:
            yield Answer("", 0, 0, float(np.exp(none.no_answer_log_probability)))
            continue
        text = as_text(contexts[int(example)])[best.start : best.end]
        yield Answer(text, best.start, best.end, float(np.exp(best.log_probability)))


def _best_span(logits: Floats, places: tuple[npt.NDArray[Any], npt.NDArray[Any]]) -> _Span:
    """Returns the best start and end in the context, with the end not before the start and not far behind it."""
    begins, stops = places
    logs = log_softmax(logits.T)
    none, none_log = float(logits[0].sum()), float(logs[:, 0].sum())
    context = np.flatnonzero(begins != NO_PLACE)
    score, first, last = -np.inf, 0, 0
    starts, ends = logits[context, 0].astype(np.float64), logits[context, 1].astype(np.float64)
    for length in range(min(MAX_ANSWER_TOKENS, len(context))):
        sums = starts[: len(context) - length] + ends[length:]
        at = int(sums.argmax())
        if sums[at] > score:
            score, first, last = float(sums[at]), int(context[at]), int(context[at + length])
    log_probability = float(logs[0, first] + logs[1, last])
    return _Span(score, int(begins[first]), int(stops[last]), none, log_probability, none_log)


@dataclass(frozen=True)
class SpanEvaluation:
    """The predicted and the true answers of some examples, and the losses of their inputs."""

    answers: Sequence[Answer]
    accepted: Sequence[Sequence[str]]  # answers of each example
    input_losses: Doubles
    owners: Ids  # the example of each input
    examples: Ids

    @classmethod
    def of(cls, outputs: Outputs, data: EncodedExamples, rows: Ids, truths: Sequence[Sequence[str]]) -> Self:
        positions = data.targets.batch(rows, width=0)
        losses = [_loss(outputs.of(i), position) for i, position in enumerate(positions)]
        owners = data.examples[rows]
        return cls(list(best_answers(outputs, data, rows)), truths, np.array(losses), owners, np.unique(owners))

    @cached_property
    def losses(self) -> Doubles:
        """The mean loss of the inputs of each example."""
        position = np.searchsorted(self.examples, self.owners)
        return np.bincount(position, self.input_losses) / np.bincount(position)

    @cached_property
    def scores(self) -> Doubles:
        """F1 and exact match of each example."""
        pairs = zip(self.answers, self.accepted, strict=True)
        return np.array([(scoring.f1(a.text, true), scoring.exact_match(a.text, true)) for a, true in pairs])

    def metrics(self) -> dict[str, float]:
        f1, exact = self.scores.mean(axis=0)
        return {"f1": float(f1), "exact_match": float(exact), "loss": float(self.input_losses.mean())}

    def class_metrics(self) -> dict[str, float]:
        """Returns the F1 of questions with and without an answer, if there are both."""
        answerable = np.array([bool(true) for true in self.accepted])
        if answerable.all() or not answerable.any():
            return {}
        f1 = self.scores[:, 0]
        return {"f1/answerable": float(f1[answerable].mean()), "f1/unanswerable": float(f1[~answerable].mean())}

    def pr_curves(self) -> Iterator[tuple[str, npt.NDArray[np.bool_], npt.NDArray[Any]]]:
        return iter(())

    def confusion(self) -> None:
        return None

    def truths(self) -> list[list[str]]:
        return [list(texts) for texts in self.accepted]

    def guesses(self) -> list[str]:
        return [answer.text for answer in self.answers]

    def predicted(self, index: int) -> str:
        return self.answers[index].text or "no answer"


def _loss(logits: Floats, position: Ids) -> float:
    """Returns the mean cross-entropy of the start and the end."""
    logs = log_softmax(logits.T)
    return float(-(logs[0, position[0]] + logs[1, position[1]]) / 2)
