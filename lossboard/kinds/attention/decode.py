"""Decoding of attention maps. encode.py describes the tensor."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lossboard.errors import DecodeError
from lossboard.events.summary import TENSOR, Value
from lossboard.events.tensors import Tensor
from lossboard.kinds.attention.encode import FULL_SCALE, PLUGIN, Weights
from lossboard.kinds.series import Point, Series, series_of

if TYPE_CHECKING:
    from lossboard.store.run import Run

MAX_WEIGHTS = 1 << 28


@dataclass(frozen=True, slots=True)
class AttentionStep(Point):
    """Attention maps of one text. `weights` unpacks them on access."""

    tokens: tuple[str, ...]
    layers: int
    heads: int
    packed: bytes

    @property
    def weights(self) -> Weights:
        """Returns an array of layers × heads × tokens × tokens."""
        shape = (self.layers, self.heads, len(self.tokens), len(self.tokens))
        size = self.layers * self.heads * len(self.tokens) ** 2
        raw = _unpacked(self.packed, size)
        roots: Weights = np.divide(np.frombuffer(raw, np.uint8).reshape(shape), FULL_SCALE, dtype=np.float32)
        return roots * roots

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> AttentionStep:
        value = Value.parse(data)
        strings = Tensor.parse(value.body).strings() if value.data_field == TENSOR else []
        if len(strings) != 2:
            raise DecodeError("The attention value has no head or no weights")
        try:
            head = json.loads(strings[0])
            tokens = tuple(str(token) for token in head["tokens"])
            return cls(step, wall_time, hidden, tokens, int(head["layers"]), int(head["heads"]), strings[1])
        except (ValueError, KeyError, TypeError) as error:
            raise DecodeError(f"The head of the attention maps cannot be read: {error}") from None


def _unpacked(packed: bytes, size: int) -> bytes:
    if not 0 < size <= MAX_WEIGHTS:
        raise DecodeError(f"The attention maps claim {size} weights, which is too many")
    try:
        raw = zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error as error:
        raise DecodeError(f"The attention weights cannot be unpacked: {error}") from None
    if len(raw) != size:
        raise DecodeError(f"Expected {size} attention weights, got {len(raw)}")
    return raw


def attentions(run: Run, tag: str, *, attempts: bool = False) -> Series[AttentionStep]:
    return series_of(run, PLUGIN, tag, AttentionStep.parse, attempts=attempts)
