"""What this kind is, and how it stands in a record.

    old  the Summary.Value field of its own, if it has one, with field numbers
    new  the tensor: type, shape, what the rows mean

Say what is supported, what is left out, and which writer does what differently.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.events.summary import Value
from lossboard.events.tensors import Tensor
from lossboard.kinds.series import Point, Series, series_of

if TYPE_CHECKING:
    from lossboard.store.run import Run


@dataclass(frozen=True, slots=True)
class SkeletonStep(Point):
    """What a tag has at one step."""

    shape: tuple[int, ...]

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> SkeletonStep:
        return cls(step, wall_time, hidden, Tensor.of(Value.parse(data)).shape)


def skeletons(run: Run, tag: str, *, attempts: bool = False) -> Series[SkeletonStep]:
    return series_of(run, "skeleton", tag, SkeletonStep.parse, attempts=attempts)
