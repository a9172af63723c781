"""Tensors from unknown plugins, or without a plugin. Their type and shape are always known.

A plugin may keep all of its data in the metadata of a value. Its tags are listed, but their points cannot be decoded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lossboard.errors import DecodeError
from lossboard.events.summary import Metadata, Value
from lossboard.events.tensors import Array, Tensor
from lossboard.kinds import kind_of
from lossboard.kinds.series import Point, Series, references_of, series_of
from lossboard.store.run import NO_LIMIT

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
        """Returns the numbers. Raises DecodeError for strings and for types that NumPy lacks."""
        return self.tensor.array()

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> TensorStep:
        value = Value.parse(data)
        if value.data_field is None:
            raise DecodeError(f"The value of {value.tag!r} has no tensor, only metadata. See run.metadata().")
        return cls(step, wall_time, hidden, Tensor.of(value))


def tensors(run: Run, tag: str, *, attempts: bool = False, max_bytes: int = NO_LIMIT) -> Series[TensorStep]:
    named = Metadata.parse(run.metadata(tag)).plugin
    plugins = [
        plugin for plugin in dict.fromkeys(("", named)) if kind_of(plugin).name == "tensors" and run.has(plugin, tag)
    ]
    if len(plugins) == 2:
        return _joined(run, tag, named, attempts=attempts, max_bytes=max_bytes)
    plugin = plugins[0] if plugins else named
    return series_of(run, plugin, tag, TensorStep.parse, attempts=attempts, max_bytes=max_bytes)


def _joined(run: Run, tag: str, named: str, *, attempts: bool, max_bytes: int) -> Series[TensorStep]:
    """Joins the two stored series of a tag whose first points had no plugin name. Users see one series."""
    (early, hidden_early), (late, hidden_late) = (
        references_of(run, plugin, tag, attempts=True) for plugin in ("", named)
    )
    steps, wall_times = (
        np.concatenate([getattr(part, name) for part in (early, late)]) for name in ("steps", "wall_times")
    )
    hidden = np.concatenate([hidden_early | (early.steps >= late.steps.min()), hidden_late])
    kept = np.arange(len(steps)) if attempts else np.flatnonzero(~hidden)

    def load(index: int, step: int, wall_time: float, hidden: bool) -> TensorStep:
        at = int(kept[index])
        data = early.read(at, max_bytes) if at < len(early) else late.read(at - len(early), max_bytes)
        return TensorStep.parse(data, step, wall_time, hidden)

    return Series(steps[kept], wall_times[kept], hidden[kept], load)
