"""Text: a string tensor of any rank. torch writes rank 1 with one element, TensorFlow the rank it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.events.summary import Value
from lossboard.events.tensors import Tensor
from lossboard.kinds.series import Point, Series, series_of
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import Run


@dataclass(frozen=True, slots=True)
class TextStep(Point):
    """The strings of one step, in row-major order, and their shape."""

    texts: tuple[str, ...]
    shape: tuple[int, ...]

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> TextStep:
        tensor = Tensor.of(Value.parse(data))
        texts = tuple(str(s, "utf-8", "replace") for s in tensor.strings())
        return cls(step, wall_time, hidden, texts, tensor.shape)


def text(run: Run, tag: str, *, attempts: bool = False, max_bytes: int = NO_LIMIT) -> Series[TextStep]:
    return series_of(run, "text", tag, TextStep.parse, attempts=attempts, max_bytes=max_bytes)
