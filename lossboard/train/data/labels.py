"""Labels: maps numbers, names and numbers as text to class ids 0 … n − 1."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.train.data.batches import Ids

MAX_LISTED_CLASSES = 20
# The id that cross-entropy ignores. A batch with no other labels gives a NaN loss.
IGNORED = -100
# The id of a row with an invalid label. It is never trained on, because the checks refuse the data first.
NO_LABEL = -1


@dataclass(frozen=True)
class LabelFault:
    """An invalid label: its value, the reason, the number of examples that have it, and the first locations."""

    split: str
    value: str
    why: str
    examples: int
    locations: tuple[str, ...]


def label_key(value: Any) -> int | str | None:
    """Returns the identity of a label; None if it is missing. 1, 1.0, True, "1" and " 1 " are the same class."""
    if value is None or isinstance(value, (list, dict, tuple)):
        return None
    text = str(int(value) if isinstance(value, bool) else value).strip()
    try:
        number = float(text)
    except ValueError:
        return text or None
    if number != number:  # NaN means missing
        return None
    return int(number) if number.is_integer() else text


class LabelKeys:
    """Keys of the labels in a column. Each different value is converted once."""

    def __init__(self) -> None:
        self._known: dict[tuple[type, Any], int | str | None] = {}

    def __call__(self, value: Any) -> int | str | None:
        if isinstance(value, (list, dict)):
            return label_key(value)
        # 1 and True are equal, but not the same label in other files.
        known = (type(value), value)
        if known not in self._known:
            self._known[known] = label_key(value)
        return self._known[known]


def class_names(values: Iterable[Any]) -> tuple[str, ...]:
    """Returns the classes that occur: numbers in numeric order, then names. −100 and missing labels do not count."""
    keys = {key for key in map(LabelKeys(), values) if key is not None and key != IGNORED}
    numbers = sorted(key for key in keys if isinstance(key, int))
    return tuple(map(str, numbers)) + tuple(sorted(key for key in keys if isinstance(key, str)))


def label_ids(values: Sequence[Any], ids: Mapping[int | str, int]) -> Ids:
    """Returns the class id of each label, and NO_LABEL for invalid ones."""
    keys = map(LabelKeys(), values)
    return np.fromiter((NO_LABEL if key is None else ids.get(key, NO_LABEL) for key in keys), np.int64, len(values))


def ids_by_key(names: Sequence[str]) -> dict[int | str, int]:
    keys = (label_key(name) for name in names)
    return {name if key is None else key: index for index, (name, key) in enumerate(zip(names, keys, strict=True))}


def positions(names: Sequence[str]) -> dict[int | str, int]:
    """Returns ids for a column that stores positions in a list of names, as a ClassLabel does."""
    return {index: index for index in range(len(names))}


def invalid_reason(value: Any, *, names: Sequence[str]) -> str:
    key = label_key(value)
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__} instead of one label"
    if key is None:
        return "no label"
    if key == IGNORED:
        return f"{IGNORED} is the id that the loss ignores"
    return unknown_class(names)


def unknown_class(names: Sequence[str]) -> str:
    return f"not one of the {len(names)} classes {', '.join(names[:8])}{' …' if len(names) > 8 else ''}"


def label_numbers(values: Sequence[Any]) -> npt.NDArray[np.float64]:
    """Returns each label as a number, and NaN for labels that are none."""
    return np.fromiter(map(_number, values), np.float64, len(values))


def _number(value: Any) -> float:
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return math.nan


def not_a_number(value: Any) -> str:
    """Returns why a label is not a number that a model can be trained for."""
    if value is None or value == "":
        return "no label"
    if isinstance(value, (list, dict)):
        return f"a {type(value).__name__} instead of a number"
    return "not a finite number"


def listed_classes(classes: Sequence[str]) -> str:
    more = " …" if len(classes) > MAX_LISTED_CLASSES else ""
    return ", ".join(f"{index} = {name}" for index, name in enumerate(classes[:MAX_LISTED_CLASSES])) + more
