"""Checked request parameters. Each function returns a value of the expected type or raises UsageError."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lossboard.errors import UsageError


def get_int(params: Mapping[str, Any], name: str, *, default: int, minimum: int, maximum: int) -> int:
    value = params.get(name, default)
    if isinstance(value, int | float) and minimum <= value <= maximum:
        return int(value)
    raise UsageError(f'Expected "{name}" to be a number from {minimum} to {maximum}.')


def get_float(params: Mapping[str, Any], name: str) -> float:
    value = params.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise UsageError(f'Expected "{name}" to be a number.')


def get_str(params: Mapping[str, Any], name: str) -> str:
    value = params.get(name)
    if isinstance(value, str):
        return value
    raise UsageError(f'Expected "{name}" to be a string.')


def get_bool(params: Mapping[str, Any], name: str, *, default: bool) -> bool:
    value = params.get(name, default)
    if isinstance(value, bool):
        return value
    raise UsageError(f'Expected "{name}" to be true or false.')


def parse_strings(value: object, name: str) -> list[str]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise UsageError(f'Expected "{name}" to be a list of strings.')


def get_objects(params: Mapping[str, Any], name: str, *, maximum: int) -> list[Mapping[str, Any]]:
    value = params.get(name)
    if isinstance(value, list) and len(value) <= maximum and all(isinstance(item, dict) for item in value):
        return value
    raise UsageError(f'Expected "{name}" to be a list of at most {maximum} objects.')


def parse_interval(value: object, name: str) -> tuple[float, float] | None:
    match value:
        case None:
            return None
        case [int() | float() as lo, int() | float() as hi] if math.isfinite(lo) and math.isfinite(hi) and lo <= hi:
            return float(lo), float(hi)
    raise UsageError(f'Expected "{name}" to be null or [lo, hi] with lo ≤ hi.')
