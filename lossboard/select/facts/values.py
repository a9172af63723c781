"""Values of hyperparameters: numbers, texts and booleans, whatever they were stored as."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

FactValue: TypeAlias = bool | float | str

MAX_VALUES = 5000
"""Values taken from one source. A file of model weights may be called config.json too."""
_MAX_DEPTH = 20
_MAX_CHARS = 1000
_EXACT_INTEGERS = 2**53
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_IDENTIFIER = re.compile(r"[+-]?0\d")
_WORDS: dict[str, FactValue | None] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "~": None,
    "": None,
    "nan": math.nan,
    ".nan": math.nan,
    "inf": math.inf,
    ".inf": math.inf,
    "-inf": -math.inf,
    "-.inf": -math.inf,
}


def parse_value(text: str) -> FactValue | None:
    """Returns the number or boolean that a text spells, or the text. None if it says that there is no value."""
    text = text.strip()
    if (lower := text.lower()) in _WORDS:
        return _WORDS[lower]
    # 007 is an identifier, and so is a number that no float can hold, such as the hash 12e4567.
    if _NUMBER.fullmatch(text) and not _IDENTIFIER.match(text):
        number = float(text)
        if math.isfinite(number) and (abs(number) <= _EXACT_INTEGERS or not text.isdigit()):
            return number
    return text[:_MAX_CHARS]


def flatten(config: Mapping[Any, Any]) -> dict[str, FactValue]:
    """Returns the settings of a nested config by dotted name. Only the first `MAX_VALUES` are taken."""
    flat: dict[str, FactValue] = {}
    for name, value in _walk(config, "", 0):
        if (plain := _plain(value)) is not None:
            flat[name] = plain
        if len(flat) == MAX_VALUES:
            break
    return flat


def _walk(config: Mapping[Any, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        name = f"{prefix}{key}"[:_MAX_CHARS]
        if not isinstance(value, Mapping):
            yield name, value
        elif depth < _MAX_DEPTH:
            yield from _walk(value, f"{name}.", depth + 1)


def _plain(value: Any) -> FactValue | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return parse_value(value)
    if isinstance(value, int | float):
        return float(value) if abs(value) <= _EXACT_INTEGERS or isinstance(value, float) else str(value)
    return json.dumps(value, default=str, ensure_ascii=False)[:_MAX_CHARS]
