"""Validation split: seeded, with every class in proportion, and duplicates never in both sets."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np


def normalize_text(text: str) -> str:
    """Returns the text without differences in case and spacing, which hardly matter to a model."""
    return " ".join(text.casefold().split())


def hold_out(
    keys: Sequence[Hashable], labels: Sequence[int], *, fraction: float, seed: int
) -> tuple[list[int], list[int]]:
    """Returns the rows of (train, validation) in file order. Rows with equal keys stay together.

    A class with one group of rows stays in the training set, because it could not be learned otherwise.
    """
    rng = np.random.default_rng(seed)
    held: set[int] = set()
    for groups in _groups_by_label(keys, labels).values():
        total = sum(map(len, groups))
        want = max(1, round(fraction * total)) if len(groups) > 1 else 0
        for index in rng.permutation(len(groups)):
            # A larger group than what is left to hold out could empty the training set.
            if 0 < len(groups[index]) <= want:
                held.update(groups[index])
                want -= len(groups[index])
    rows = range(len(labels))
    return [row for row in rows if row not in held], [row for row in rows if row in held]


def _groups_by_label(keys: Sequence[Hashable], labels: Sequence[int]) -> dict[int, list[list[int]]]:
    """Groups rows with equal keys, under the label of their first row."""
    by_key: dict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        by_key[key].append(row)
    by_label: dict[int, list[list[int]]] = defaultdict(list)
    for rows in by_key.values():
        by_label[labels[rows[0]]].append(rows)
    return dict(sorted(by_label.items()))
