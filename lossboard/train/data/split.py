"""Splits: the training and validation sets as rows of tables, and the hold-out of one from the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.train.data.batches import Ids
from lossboard.train.data.columns import Columns
from lossboard.train.data.stored_values import SelectedValues
from lossboard.train.data.table import Table
from lossboard.train.data.texts import Keys, as_text

# What a task has read from the label columns, with a row for each example: class ids, or values of several classes.
Labels = npt.NDArray[Any]


@dataclass(frozen=True)
class Split:
    """The training or validation set: some rows of a table, and their labels. Fields are read when they are used."""

    name: str
    table: Table
    columns: Columns
    rows: Ids
    labels: Labels
    keys: Keys  # equal for equal examples, ignoring case and spacing

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def texts(self) -> Sequence[str]:
        return SelectedValues(self.table.columns[self.columns.text], self.rows, as_text)

    @property
    def pairs(self) -> Sequence[str] | None:
        """The second texts of text pairs."""
        pair = self.columns.pair
        return None if pair is None else SelectedValues(self.table.columns[pair], self.rows, as_text)

    def location(self, row: int) -> str:
        """Returns where a person finds the example: `reviews.csv, line 17`."""
        return self.table.location(int(self.rows[row]))

    def locations(self, rows: Iterable[int]) -> Iterator[str]:
        return map(self.location, rows)

    def part(self, name: str, rows: Ids) -> Split:
        return Split(name, self.table, self.columns, self.rows[rows], self.labels[rows], self.keys[rows])


def hold_out(keys: npt.NDArray[np.generic], labels: Ids, *, fraction: float, seed: int) -> tuple[Ids, Ids]:
    """Returns the rows of (train, validation) in file order, with every class in proportion.

    Rows with equal keys stay together. A class with one group of rows stays in the training set, because it could not
    be learned otherwise.
    """
    rng = np.random.default_rng(seed)
    first_rows, group_of, sizes = _groups(keys)
    held = np.zeros(len(sizes), bool)
    group_labels = labels[first_rows]
    for label in np.unique(group_labels):
        groups = np.flatnonzero(group_labels == label)
        total = int(sizes[groups].sum())
        want = max(1, round(fraction * total)) if len(groups) > 1 else 0
        for group in groups[rng.permutation(len(groups))]:
            # A larger group than what is left to hold out could empty the training set.
            if sizes[group] <= want:
                held[group] = True
                want -= int(sizes[group])
            if not want:
                break
    held_rows = held[group_of]
    return np.flatnonzero(~held_rows), np.flatnonzero(held_rows)


def _groups(keys: npt.NDArray[np.generic]) -> tuple[Ids, Ids, Ids]:
    """Groups rows with equal keys: the first row of each group, the group of each row, and the size of each group.

    Groups are in the order of their first rows.
    """
    _, first_rows, group_of, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first_rows, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first_rows[order], rank[group_of], sizes[order]


def repeats(keys: Keys) -> list[Ids]:
    """Returns the groups of several rows with equal keys, in the order of their first rows."""
    _, group_of, sizes = _groups(keys)
    rows = np.flatnonzero(sizes[group_of] > 1)
    rows = rows[np.argsort(group_of[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(group_of[rows])) + 1) if len(rows) else []
