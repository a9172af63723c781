"""Tensors of plugins that nobody knows, or of none: type and shape always, the content where it can be decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.errors import DecodeError
from lossboard.events.summary import TENSOR, Metadata, Value
from lossboard.events.tensors import Array, Tensor
from lossboard.kinds.series import Point, Series, series_of

if TYPE_CHECKING:
    from lossboard.store.run import Run


@dataclass(frozen=True, slots=True)
class TensorStep(Point):
    """A raw tensor."""

    tensor: Tensor

    @property
    def dtype(self) -> str:
        return self.tensor.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensor.shape

    def array(self) -> Array:
        """The numbers; raises DecodeError for strings and for types that numpy does not have."""
        return self.tensor.array()

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> TensorStep:
        value = Value.parse(data)
        if value.what != TENSOR:
            raise DecodeError("A tensor value that holds no tensor")
        return cls(step, wall_time, hidden, Tensor.parse(value.body))


def tensors(run: Run, tag: str, *, attempts: bool = False) -> Series[TensorStep]:
    plugin = Metadata.parse(run.metadata(tag)).plugin
    return series_of(run, plugin, tag, TensorStep.parse, attempts=attempts)
