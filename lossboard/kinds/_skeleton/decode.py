"""Skeletons: say here what one point of the kind is, and how a record stores it.

    old  its own field of Summary.Value, if it has one, with field numbers
    new  the tensor: type, shape, meaning of the rows

Say what is supported, what is left out, and how writers differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.events.summary import Value
from lossboard.events.tensors import Tensor
from lossboard.kinds.series import Point, Series, series_of
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import Run

PLUGIN = "skeleton"


@dataclass(frozen=True, slots=True)
class SkeletonStep(Point):
    """A point of a tag."""

    shape: tuple[int, ...]

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> SkeletonStep:
        return cls(step, wall_time, hidden, Tensor.of(Value.parse(data)).shape)


def skeletons(run: Run, tag: str, *, attempts: bool = False, max_bytes: int = NO_LIMIT) -> Series[SkeletonStep]:
    return series_of(run, PLUGIN, tag, SkeletonStep.parse, attempts=attempts, max_bytes=max_bytes)
