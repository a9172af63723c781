"""Holds out a part of the examples: seeded, every class in proportion, and a duplicate never on both sides."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np


def normalize_text(text: str) -> str:
    """What two texts share when they differ only in case and spacing: to a model those are the same text."""
    return " ".join(text.casefold().split())


def hold_out(
    keys: Sequence[Hashable], labels: Sequence[int], *, fraction: float, seed: int
) -> tuple[list[int], list[int]]:
    """The rows of (train, validation), each in file order. Rows with equal keys stay together.

    A class with one group of rows stays in train whole: held out it could not be learnt.
    """
    rng = np.random.default_rng(seed)
    held: set[int] = set()
    for groups in _groups_by_label(keys, labels).values():
        total = sum(map(len, groups))
        want = max(1, round(fraction * total)) if len(groups) > 1 else 0
        for index in rng.permutation(len(groups)):
            # A group that is larger than what is left to hold out would empty the other side.
            if 0 < len(groups[index]) <= want:
                held.update(groups[index])
                want -= len(groups[index])
    rows = range(len(labels))
    return [row for row in rows if row not in held], [row for row in rows if row in held]


def _groups_by_label(keys: Sequence[Hashable], labels: Sequence[int]) -> dict[int, list[list[int]]]:
    """Rows with equal keys, listed under the label of their first row."""
    by_key: dict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        by_key[key].append(row)
    by_label: dict[int, list[list[int]]] = defaultdict(list)
    for rows in by_key.values():
        by_label[labels[rows[0]]].append(rows)
    return dict(sorted(by_label.items()))
