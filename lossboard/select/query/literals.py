"""Values in a query, read for the type of the fact that they are compared with."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from lossboard.select.facts.columns import ColumnType
from lossboard.select.query.syntax import Value
from lossboard.syntax.errors import QueryError

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PLAIN_NUMBER = re.compile(_NUMBER)
_WITH_UNIT = re.compile(rf"({_NUMBER})([A-Za-z]+)")
_DURATION_SECS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_SIZE_BYTES = {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30}
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:T\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?)?)?")
_WORDS = {"nan": math.nan, "inf": math.inf, "+inf": math.inf, "-inf": -math.inf}
_DESCRIPTIONS: dict[ColumnType, str] = {
    "number": "a number",
    "text": "a text",
    "texts": "a text",
    "boolean": "true or false",
    "time": "a time",
    "duration": "a duration",
    "size": "a size",
}
_EXAMPLES: dict[ColumnType, str] = {
    "time": "2026-02-10, 2026-02-10T09:30 or 7d ago",
    "duration": "90s, 30m or 2h",
    "size": "10MB",
    "boolean": "true or false",
}


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of time that one literal names: a day, an hour, a second. `end` is not part of it."""

    start: float
    end: float


Literal: TypeAlias = bool | float | str | Interval


def read_value(value: Value, type: ColumnType, name: str) -> Literal:
    """Returns a value as it compares with a fact of this type. Raises QueryError if it is of another type."""
    found = _read_text(value, type) if type in ("text", "texts", "mixed") else _READERS[type](value)
    if found is None:
        raise _type_error(value, type, name)
    return found


def _read_text(value: Value, type: ColumnType) -> Literal | None:
    if value.quoted:
        return value.text
    other = _read_number(value) if (word := _read_boolean(value)) is None else word
    if type == "mixed" and other is not None:
        return other
    return value.text if other is None or value.text.lower() in _WORDS else None


def _read_number(value: Value) -> float | None:
    if value.quoted:
        return None
    if _PLAIN_NUMBER.fullmatch(value.text):
        return float(value.text)
    return _WORDS.get(value.text.lower())


def _read_boolean(value: Value) -> bool | None:
    return None if value.quoted else {"true": True, "false": False}.get(value.text.lower())


def _read_with_unit(value: Value, units: dict[str, float], *, lower: bool = False) -> float | None:
    if value.quoted or not (found := _WITH_UNIT.fullmatch(value.text)):
        return _read_number(value)
    unit = units.get(found[2].lower() if lower else found[2])
    return float(found[1]) * unit if unit is not None else None


def _read_duration(value: Value) -> float | None:
    return _read_with_unit(value, _DURATION_SECS)


def _read_size(value: Value) -> float | None:
    return _read_with_unit(value, _SIZE_BYTES, lower=True)


def _read_time(value: Value) -> Literal | None:
    text = value.text.strip()
    if text.lower().endswith(" ago"):
        duration = _read_duration(Value(text[:-4].strip(), False, value.place))
        return None if duration is None else time.time() - duration
    midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    if text.lower() == "today":
        return _interval(midnight, midnight + timedelta(days=1))
    if text.lower() == "yesterday":
        return _interval(midnight - timedelta(days=1), midnight)
    return _read_date(text.replace(" ", "T"))


def _read_date(text: str) -> Interval | None:
    """Returns the month, day, hour, minute or second that a date names, in local time."""
    if not _DATE.fullmatch(text):
        return None
    try:
        start = datetime.fromisoformat(f"{text}-01" if len(text) == 7 else text).astimezone()
        if len(text) == 7:
            return _interval(start, (start + timedelta(days=31)).replace(day=1))
        length = {10: 86400, 13: 3600, 16: 60, 19: 1}.get(len(text), 0.001)
        return _interval(start, start + timedelta(seconds=length))
    except (ValueError, OverflowError, OSError):  # no calendar has such a day
        return None


def _interval(start: datetime, end: datetime) -> Interval:
    return Interval(start.timestamp(), end.timestamp())


_READERS = {
    "number": _read_number,
    "boolean": _read_boolean,
    "duration": _read_duration,
    "size": _read_size,
    "time": _read_time,
}


def _type_error(value: Value, type: ColumnType, name: str) -> QueryError:
    shown = f'"{value.text}"' if value.quoted else value.text
    hint = f" Write for example {_EXAMPLES[type]}." if type in _EXAMPLES else ""
    message = f"{name} is {_DESCRIPTIONS[type]}, but {shown} is {_describe(value)}.{hint}"
    return QueryError(message, value.place.start, value.place.end, suggestion=_suggestion(value, type))


def _describe(value: Value) -> str:
    if _read_boolean(value) is not None:
        return "true or false"
    return "a text" if _read_number(value) is None else "a number"


def _suggestion(value: Value, type: ColumnType) -> str:
    boolean, number = _read_boolean(value), _read_number(Value(value.text, False, value.place))
    if type == "number" and boolean is not None:  # torch stores booleans as numbers
        return str(int(boolean))
    if type == "boolean" and number in (0, 1):
        return str(bool(number)).lower()
    if type == "number" and number is not None:
        return value.text
    return f'"{value.text}"' if type in ("text", "texts") else ""
