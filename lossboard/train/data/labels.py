"""Labels: maps numbers, names and numbers as text to class ids 0 … n − 1."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

# The id that cross-entropy ignores. A batch with no other labels gives a NaN loss.
IGNORED = -100
# The id of a row with an invalid label. It is never trained on, because the checks refuse the data first.
NO_LABEL = -1


@dataclass(frozen=True)
class LabelFault:
    """An invalid label: its location, its value, and the reason."""

    split: str
    row: int
    location: str
    value: str
    why: str


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


def class_names(values: Iterable[Any]) -> tuple[str, ...]:
    """Returns the classes that occur: numbers in numeric order, then names. −100 and missing labels do not count."""
    keys = {key for key in map(label_key, values) if key is not None and key != IGNORED}
    numbers = sorted(key for key in keys if isinstance(key, int))
    return tuple(map(str, numbers)) + tuple(sorted(key for key in keys if isinstance(key, str)))


def ids_by_key(names: Sequence[str]) -> dict[int | str, int]:
    keys = (label_key(name) for name in names)
    return {name if key is None else key: index for index, (name, key) in enumerate(zip(names, keys, strict=True))}


def positions(names: Sequence[str]) -> dict[int | str, int]:
    """Returns ids for a column that stores positions in a list of names, as a ClassLabel does."""
    return {index: index for index in range(len(names))}


def invalid_reason(value: Any, *, names: Sequence[str]) -> str:
    key = label_key(value)
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__} instead of one label (several labels per text are not supported)"
    if key is None:
        return "no label"
    if key == IGNORED:
        return f"{IGNORED} is the id that the loss ignores"
    return f"not one of the {len(names)} classes {', '.join(names[:8])}{' …' if len(names) > 8 else ''}"
