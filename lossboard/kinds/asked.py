"""Reading what a question holds: JSON from outside becomes a checked value, or an error that says what was expected."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lossboard.errors import UsageError


def whole(question: Mapping[str, Any], name: str, default: int, *, least: int, most: int) -> int:
    value = question.get(name, default)
    if isinstance(value, int | float) and least <= value <= most:
        return int(value)
    raise UsageError(f'Expected "{name}" to be a number from {least} to {most}.')


def number(question: Mapping[str, Any], name: str) -> float:
    value = question.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise UsageError(f'Expected "{name}" to be a number.')


def word(question: Mapping[str, Any], name: str) -> str:
    value = question.get(name)
    if isinstance(value, str):
        return value
    raise UsageError(f'Expected "{name}" to be a string.')


def flag(question: Mapping[str, Any], name: str, default: bool) -> bool:
    value = question.get(name, default)
    if isinstance(value, bool):
        return value
    raise UsageError(f'Expected "{name}" to be true or false.')


def strings(value: object, name: str) -> list[str]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise UsageError(f'Expected "{name}" to be a list of strings.')


def objects(question: Mapping[str, Any], name: str, *, most: int) -> list[Mapping[str, Any]]:
    value = question.get(name)
    if isinstance(value, list) and len(value) <= most and all(isinstance(item, dict) for item in value):
        return value
    raise UsageError(f'Expected "{name}" to be a list of at most {most} objects.')


def interval(value: object, name: str) -> tuple[float, float] | None:
    match value:
        case None:
            return None
        case [int() | float() as lo, int() | float() as hi] if math.isfinite(lo) and math.isfinite(hi) and lo <= hi:
            return float(lo), float(hi)
    raise UsageError(f'Expected "{name}" to be null or [lo, hi] with lo ≤ hi.')
