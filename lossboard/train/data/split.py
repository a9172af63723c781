"""Validation split: seeded, with every class in proportion, and duplicates never in both sets."""

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from lossboard.train.data.batches import Ids

Keys = npt.NDArray[np.uint64]


def normalize_text(text: str) -> str:
    """Returns the text without differences in case and spacing, which hardly matter to a model."""
    return " ".join(text.casefold().split())


def text_keys(examples: Iterable[tuple[str, ...]]) -> Keys:
    """Returns a number for each example that is equal for equal texts, ignoring case and spacing.

    It is a hash of 64 bits. Among five million different texts, two get the same number with a chance of one in a
    million.
    """
    digests = b"".join(
        hashlib.blake2b("\0".join(map(normalize_text, texts)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for texts in examples
    )
    return np.frombuffer(digests, np.uint64)


def hold_out(keys: npt.NDArray[np.generic], labels: Ids, *, fraction: float, seed: int) -> tuple[Ids, Ids]:
    """Returns the rows of (train, validation) in file order. Rows with equal keys stay together.

    A class with one group of rows stays in the training set, because it could not be learned otherwise.
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
