"""Facts of which small or large values are better."""

from __future__ import annotations

from lossboard.select.facts.fields import Field
from lossboard.series_math.direction import Direction, guess_direction

__all__ = ["Direction", "direction_of"]

_COMPARABLE = ("last", "first", "min", "max", "mean", "at")


def direction_of(field: Field) -> Direction | None:
    """Returns which values of a fact are better, or None if its name does not tell."""
    is_comparable = field.source == "metric" and field.aggregate in _COMPARABLE
    return guess_direction(field.name) if is_comparable else None
