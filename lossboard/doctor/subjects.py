"""Subjects: the runs of one training, such as `train/` and `validation/` of Keras or the lines of `add_scalars`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lossboard.doctor.words import ACCURACY, GENERIC, LOSS, TEST, TRAIN, VALIDATION, words_of

_SPLITS = TRAIN | VALIDATION | TEST


@dataclass(frozen=True)
class Subject:
    """One training. `runs` maps the names of its runs to the words that a sub-run adds to its tags."""

    name: str
    runs: tuple[tuple[str, tuple[str, ...]], ...]


def find_subjects(runs: Iterable[str]) -> list[Subject]:
    """Groups runs by training. A run that is not one of several parts is a subject by itself."""
    groups: dict[str, list[str]] = {}
    names = list(runs)
    for name in names:
        groups.setdefault(_subject_name(name), []).append(name)
    subjects = []
    for key, members in groups.items():
        if _is_one_training(key, members):
            parts = tuple((name, () if name == key else words_of(_leaf(name))) for name in sorted(members))
            subjects.append(Subject(key, parts))
        else:
            subjects += [Subject(name, ((name, ()),)) for name in members]
    return subjects


def _leaf(name: str) -> str:
    return name.rpartition("/")[2]


def _subject_name(name: str) -> str:
    """Returns the name without the part that says training or validation: that of the folder, if nothing remains."""
    folder, _, leaf = name.rpartition("/")
    words = words_of(leaf)
    if not _SPLITS.intersection(words):
        return name
    rest = [word for word in words if word not in _SPLITS]
    if not set(rest) - LOSS - ACCURACY - GENERIC:
        return folder or "."
    return f"{folder}/{'_'.join(rest)}" if folder else "_".join(rest)


def _is_one_training(key: str, members: list[str]) -> bool:
    if len(members) == 1:
        return False
    sides = [frozenset(words_of(_leaf(name))) for name in members if name != key]
    of_training = sum(bool(side & TRAIN) for side in sides)
    return of_training < len(members) and (of_training > 0 or key in members)
