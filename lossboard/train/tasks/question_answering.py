"""Extractive question answering: the part of a context that answers a question, or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from lossboard.errors import DataError, UsageError
from lossboard.train.config import TaskName
from lossboard.train.data.batches import Ids
from lossboard.train.data.columns import Columns, GivenColumns, first_named
from lossboard.train.data.span_inputs import Question, encode_questions
from lossboard.train.data.split import Labels, Split
from lossboard.train.data.table import Table
from lossboard.train.data.texts import as_text
from lossboard.train.data.tokenization import EncodedExamples, Tokenizer
from lossboard.train.models.heads import HeadName
from lossboard.train.tasks.answers import Answers, read_answers
from lossboard.train.tasks.span_evaluation import SpanEvaluation, best_answers
from lossboard.train.tasks.task import LossName, Outputs, Prediction

QUESTIONS, CONTEXTS = ("question", "query", "text"), ("context", "passage", "paragraph", "document", "pair")
# The columns of the answers, each with that of their positions.
POSITIONS = {
    "answers": "answers.answer_start",
    "answers.text": "answers.answer_start",
    "answer": "answer_start",
    "answer_text": "answer_start",
}
INVALID = -1
SAMPLE_ROWS = 50


@dataclass(frozen=True)
class QuestionAnswering:
    """The task has no classes: the outputs are the scores of a token as the start and as the end of the answer."""

    name: ClassVar[TaskName] = "question-answering"
    head: ClassVar[HeadName] = "span"
    loss: ClassVar[LossName] = "position-cross-entropy"
    metrics: ClassVar[tuple[str, ...]] = ("f1", "exact_match", "loss")
    balances_classes: ClassVar[bool] = False
    takes_objects: ClassVar[bool] = True
    shares_pairs: ClassVar[bool] = True
    guess: ClassVar[str] = "Choosing any token"
    model_settings: ClassVar[Mapping[str, Any]] = {}

    classes: tuple[str, ...] = ("start", "end")

    @classmethod
    def fits(cls, table: Table, given: GivenColumns) -> bool:
        columns = _columns(table, given)
        if columns is None or columns.labels[0].lower() not in POSITIONS:
            return False
        # An answer may also be a class, such as yes or no.
        sample = [_answers_of(table, columns, row) for row in range(min(len(table), SAMPLE_ROWS))]
        found = [each for each in sample if isinstance(each, Answers)]
        return len(found) > len(sample) / 2

    @classmethod
    def choose_columns(cls, table: Table, given: GivenColumns) -> Columns:
        if (found := _columns(table, given)) is None:
            raise DataError(
                f"{table.path}: cannot tell which columns hold the questions, the contexts and the answers. "
                "Set --text-column, --pair-column and --label-column to them. "
                f"Columns: {', '.join(map(repr, table.columns))}"
            )
        return found

    @classmethod
    def choose_inputs(cls, table: Table, given: GivenColumns) -> Columns:
        question, context = _inputs(table, given)
        if question is None or context is None:
            raise DataError(
                f"{table.path}: cannot tell which columns hold the questions and the contexts. "
                f"Set --text-column and --pair-column to two of: {', '.join(map(repr, table.columns))}"
            )
        return Columns(question, context, ())

    @classmethod
    def from_table(cls, table: Table, columns: Columns, *, classes: Sequence[str] | None) -> Self:
        if classes:
            raise UsageError("--classes makes no sense for question answering. Remove it.")
        return cls()

    @classmethod
    def from_classes(cls, classes: Sequence[str]) -> Self:
        return cls()

    def describe(self) -> str:
        return "question answering: the part of the context that answers the question"

    # ---- labels

    def read_labels(self, table: Table, columns: Columns) -> Labels:
        """Returns for each row whether its question has an answer."""
        rows = _answers(table, columns)
        found = (INVALID if isinstance(each, str) else int(each.place is not None) for _, _, each in rows)
        return np.fromiter(found, np.int8, len(table))

    def invalid_rows(self, labels: Labels) -> Ids:
        return np.flatnonzero(labels == INVALID)

    def why_invalid(self, table: Table, columns: Columns, row: int) -> str:
        return str(_answers_of(table, columns, row))

    def class_counts(self, labels: Labels) -> None:
        return None

    def strata(self, labels: Labels) -> Ids:
        return labels.astype(np.int64)

    def label_text(self, split: Split, row: int) -> str:
        return " / ".join(dict.fromkeys(_texts(split, row))) or "no answer"

    # ---- inputs and outputs

    def encode(self, tokenizer: Tokenizer, split: Split, *, max_length: int) -> EncodedExamples:
        return encode_questions(tokenizer, split, _questions(split.table, split.columns), max_length=max_length)

    def chance_loss(self, data: EncodedExamples, *, balanced: bool) -> float:
        return float(np.log(data.lengths).mean())

    def evaluate(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> SpanEvaluation:
        examples = np.unique(data.examples[rows])
        answers = [_texts(data.split, int(example)) for example in examples]
        return SpanEvaluation.of(outputs, data, rows, answers)

    def predictions(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> Iterator[Prediction]:
        for answer in best_answers(outputs, data, rows):
            yield {
                "answer": answer.text,
                "start": answer.start,
                "end": answer.end,
                "probability": answer.probability,
            }


def _inputs(table: Table, given: GivenColumns) -> tuple[str | None, str | None]:
    names = list(table.columns)
    question = given.text if given.text is not None else first_named(names, QUESTIONS)
    context = given.pair if given.pair is not None else first_named([n for n in names if n != question], CONTEXTS)
    return (question if question in names else None), (context if context in names else None)


def _columns(table: Table, given: GivenColumns) -> Columns | None:
    question, context = _inputs(table, given)
    answers = given.label or first_named(list(table.columns), list(POSITIONS))
    if question is None or context is None or answers is None or answers not in table.columns:
        return None
    starts = POSITIONS.get(answers.lower(), "answer_start")
    return Columns(question, context, (answers, starts) if starts in table.columns else (answers,))


def _answers(table: Table, columns: Columns) -> Iterator[tuple[str, str, Answers | str]]:
    """Yields the question, the context and the answers of each row."""
    names = (columns.text, columns.pair or columns.text, *columns.labels)
    for question, context, *values in zip(*(table.columns[name] for name in names), strict=True):
        yield as_text(question), as_text(context), read_answers(values, as_text(context)) if values else Answers()


def _answers_of(table: Table, columns: Columns, row: int) -> Answers | str:
    context = as_text(table.columns[columns.pair or columns.text][row])
    return read_answers([table.columns[name][row] for name in columns.labels], context)


def _questions(table: Table, columns: Columns) -> Iterator[Question]:
    for question, context, answers in _answers(table, columns):
        yield question, context, answers.place if isinstance(answers, Answers) else None


def _texts(split: Split, row: int) -> tuple[str, ...]:
    answers = _answers_of(split.table, split.columns, int(split.rows[row]))
    return answers.texts if isinstance(answers, Answers) else ()
