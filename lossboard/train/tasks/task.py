"""Task: what a model learns from labeled text, and all that depends on it.

Each task has one file here. It states once, for both engines, how labels become targets, which head and loss a model
gets, which metrics judge it, and how outputs become predictions. Data, engines and reporting ask the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

from lossboard.train.config import TaskName
from lossboard.train.data.batches import Ids
from lossboard.train.data.columns import Columns, GivenColumns
from lossboard.train.data.split import Labels, Split
from lossboard.train.data.table import Table
from lossboard.train.data.tokenization import EncodedExamples, Tokenizer
from lossboard.train.models.heads import HeadName

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
# Each engine has these. Cross-entropy compares with the ids of classes or of positions in the text, the others with
# numbers.
LossName = Literal["cross-entropy", "position-cross-entropy", "binary-cross-entropy", "squared-error"]
# A predicted example, as `lossboard predict` writes it: names of columns and their values.
Prediction = dict[str, Any]


@dataclass(frozen=True)
class Outputs:
    """What a model computed for some inputs: logits, and the first token's embedding, which the head reads."""

    logits: Floats  # a row for each input, or a row for each token of each input
    ends: Ids  # the end of each input in `logits`
    features: Floats

    @classmethod
    def empty(cls, lengths: Ids | None, *, inputs: int, classes: int, features: int) -> Outputs:
        """Returns zeros to fill. `lengths` has the number of tokens of each input, if each token has logits."""
        ends = np.cumsum(np.ones(inputs, np.int64) if lengths is None else lengths)
        rows = int(ends[-1]) if inputs else 0
        return cls(np.zeros((rows, classes), np.float32), ends, np.zeros((inputs, features), np.float32))

    def fill(self, indices: Ids, logits: Floats, features: Floats) -> None:
        """Sets the outputs of some inputs. `logits` may have padding."""
        for index, values in zip(indices, logits, strict=True):
            rows = self.of(index)
            rows[:] = values[: len(rows)] if values.ndim > 1 else values
        self.features[indices] = features

    def of(self, index: int) -> Floats:
        """Returns the logits of one input."""
        return self.logits[int(self.ends[index - 1]) if index else 0 : int(self.ends[index])]

    def part(self, indices: Ids) -> Outputs:
        """Returns the outputs of some of the inputs."""
        sizes = np.diff(self.ends, prepend=0)[indices]
        ends = np.cumsum(sizes)
        # Counts up from the first row of each input.
        rows = np.arange(sizes.sum()) + np.repeat(self.ends[indices] - ends, sizes)
        return Outputs(self.logits[rows], ends, self.features[indices])

    def finite(self) -> npt.NDArray[np.bool_]:
        """Returns for each input whether all of its logits are finite."""
        bad = np.flatnonzero(~np.isfinite(self.logits).all(axis=1))
        finite = np.ones(len(self.ends), bool)
        finite[np.searchsorted(self.ends, bad, side="right")] = False
        return finite


class Evaluation(Protocol):
    """Metrics of some examples, and what a run logs of them."""

    @property
    def examples(self) -> Ids:
        """The evaluated rows of the split."""

    @property
    def losses(self) -> Doubles:
        """The loss of each example."""

    def metrics(self) -> dict[str, float]:
        """Returns the metrics that summarize a run, with the loss."""

    def class_metrics(self) -> dict[str, float]:
        """Returns further metrics, such as `f1/positive` of one class."""

    def pr_curves(self) -> Iterator[tuple[str, npt.NDArray[np.bool_], npt.NDArray[Any]]]:
        """Yields a name, the true labels and the probabilities of each precision-recall curve."""

    def confusion(self) -> Ids | None:
        """Returns a row for each true class and a column for each predicted one. None if that makes no sense."""

    def truths(self) -> Any:
        """Returns the true value of each example, as own metrics get it."""

    def guesses(self) -> Any:
        """Returns the predicted value of each example, in the form of the true ones."""

    def predicted(self, index: int) -> str:
        """Returns the prediction for the example at this position, as text."""


class Task(Protocol):
    """A task, with the classes of its data."""

    name: ClassVar[TaskName]
    head: ClassVar[HeadName]
    loss: ClassVar[LossName]
    metrics: ClassVar[tuple[str, ...]]  # the first one selects the best checkpoint, unless --metric names another
    balances_classes: ClassVar[bool]  # whether --class-weights and --balanced-sampling make sense
    takes_objects: ClassVar[bool]  # whether a label may be an object with fields, as the answers in SQuAD are
    shares_pairs: ClassVar[bool]  # whether examples share their second text, so that it must not be in both sets
    guess: ClassVar[str]  # how a model guesses without reading the text: "Predicting …"
    model_settings: ClassVar[Mapping[str, Any]]  # what config.json says of the task, besides the classes

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the outputs of the head."""

    @classmethod
    def fits(cls, table: Table, given: GivenColumns) -> bool:
        """Returns whether the columns and values of a table look like data for this task."""

    @classmethod
    def choose_columns(cls, table: Table, given: GivenColumns) -> Columns:
        """Returns the given columns and detects the rest. Raises an error if the choice is not clear."""

    @classmethod
    def choose_inputs(cls, table: Table, given: GivenColumns) -> Columns:
        """Returns the columns of texts without labels."""

    @classmethod
    def from_table(cls, table: Table, columns: Columns, *, classes: Sequence[str] | None) -> Self:
        """Returns the task with the given classes, or those of the training data."""

    @classmethod
    def from_classes(cls, classes: Sequence[str]) -> Self:
        """Returns the task of a checkpoint."""

    def describe(self) -> str:
        """Returns what the task predicts, for people: `2 classes: 0 = bad, 1 = good`."""

    def read_labels(self, table: Table, columns: Columns) -> Labels:
        """Returns the label of each row. Rows without a valid one are marked, see `invalid_rows`."""

    def invalid_rows(self, labels: Labels) -> Ids:
        """Returns the rows without a valid label. The checks report them, so no run is trained on them."""

    def why_invalid(self, table: Table, columns: Columns, row: int) -> str:
        """Returns what is wrong with the label of a row."""

    def class_counts(self, labels: Labels) -> Ids | None:
        """Returns the number of examples with each class. None if labels are no classes."""

    def strata(self, labels: Labels) -> Ids:
        """Returns a group for each example. A held-out set has every group in proportion."""

    def label_text(self, split: Split, row: int) -> str:
        """Returns the label of an example as text."""

    def encode(self, tokenizer: Tokenizer, split: Split, *, max_length: int) -> EncodedExamples:
        """Returns the inputs of a model and the targets of the loss."""

    def chance_loss(self, data: EncodedExamples, *, balanced: bool) -> float:
        """Returns the loss of guessing, which a model must beat. `balanced`: all classes are equally likely."""

    def evaluate(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> Evaluation:
        """Returns the metrics of the outputs for these inputs."""

    def predictions(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> Iterator[Prediction]:
        """Yields a prediction for each example of these inputs, in order. Labels are not needed."""
