"""Decoding of attention maps, in the present and in the older form. encode.py describes both."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import DecodeError
from lossboard.events.summary import TENSOR, Value
from lossboard.events.tensors import Tensor
from lossboard.kinds.attention.encode import PLUGIN, VERSION, layer_tag
from lossboard.kinds.attention.measures import MEASURES, NAN, Layout, Table, measure
from lossboard.kinds.attention.packing import (
    Bytes,
    compress,
    decompress,
    from_bytes,
    thumbnail_shape,
    thumbnails,
)
from lossboard.kinds.attention.weights import AttentionKind, Weights
from lossboard.kinds.series import Point, Series, references_of
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import Run

MAX_HEADS = 1 << 14
MAX_TOKENS = 1 << 16

ReadLayer = Callable[[int], Sequence[bytes]]
"""Returns the packed maps of each head of a layer, given its index among the logged layers."""


@dataclass(frozen=True, slots=True)
class LayerHeads:
    """The logged heads of one layer. `number` and `numbers` are positions in the model."""

    number: int
    numbers: tuple[int, ...]
    kv_heads: int | None = None


@dataclass(frozen=True, slots=True)
class AttentionStep(Point):
    """Attention of one text at one step. Maps are read and unpacked on access."""

    tokens: tuple[str, ...]
    """One for each query."""
    keys: tuple[str, ...]
    kind: AttentionKind
    is_causal: bool
    grid: tuple[int, int] | None
    parts: tuple[LayerHeads, ...]
    has_maps: bool
    measured: Table
    """Heads of all layers × MEASURES."""
    packed_thumbnails: bytes
    problems: tuple[str, ...]
    """Sentences about what cannot be read."""
    read_layer: ReadLayer

    @property
    def layers(self) -> int:
        return len(self.parts)

    @property
    def heads(self) -> int:
        """Number of heads of the layer with the most."""
        return max(len(part.numbers) for part in self.parts)

    @property
    def thumbnail(self) -> tuple[int, int]:
        return thumbnail_shape(len(self.tokens), len(self.keys))

    def packed_head(self, layer: int, head: int) -> bytes:
        """Returns the packed map of a head. Both numbers count what was logged."""
        packed = self._packed_layer(layer)
        if head >= len(packed):
            raise DecodeError(f"The maps of layer {self.parts[layer].number} have no head {head}.")
        return packed[head]

    def map_of(self, layer: int, head: int) -> Bytes:
        """Returns queries × keys."""
        return self.unpack(layer, head, self.packed_head(layer, head))

    def maps_of(self, layer: int) -> Bytes:
        """Returns heads × queries × keys."""
        packed = self._packed_layer(layer)
        if len(packed) != len(self.parts[layer].numbers):
            raise DecodeError(f"Layer {self.parts[layer].number} has maps of {len(packed)} heads.")
        return np.stack([self.unpack(layer, head, one) for head, one in enumerate(packed)])

    @property
    def weights(self) -> list[Weights]:
        """Returns heads × queries × keys for each layer."""
        return [from_bytes(self.maps_of(layer)) for layer in range(self.layers)]

    def _packed_layer(self, layer: int) -> Sequence[bytes]:
        if not 0 <= layer < self.layers:
            raise DecodeError(f"These maps have no layer {layer}.")
        if not self.has_maps:
            raise DecodeError(
                f"Only measures and thumbnails were logged at step {self.step}, to save space. "
                "keep='maps' in add_attention keeps the maps."
            )
        return self.read_layer(layer)

    def unpack(self, layer: int, head: int, packed: bytes) -> Bytes:
        """Returns queries × keys from the packed map of a head. Raises DecodeError if it has another size."""
        number, name = self.parts[layer].number, self.parts[layer].numbers[head]
        return decompress(packed, (len(self.tokens), len(self.keys)), f"The map of layer {number} head {name}")

    @classmethod
    def parse(
        cls,
        data: bytes,
        step: int = 0,
        wall_time: float = 0.0,
        hidden: bool = False,
        *,
        read_layer: ReadLayer | None = None,
    ) -> AttentionStep:
        strings = _strings(data)
        if not strings:
            raise DecodeError("The attention value is empty")
        try:
            head = json.loads(strings[0])
            if head.get("version") == VERSION:
                return cls._of_summary(Point(step, wall_time, hidden), head, strings, read_layer or _no_layer)
            return cls._of_older_form(Point(step, wall_time, hidden), head, strings)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            raise DecodeError(f"The head of the attention maps cannot be read: {error}") from None

    @classmethod
    def _of_summary(
        cls, at: Point, head: Mapping[str, Any], strings: Sequence[bytes], read_layer: ReadLayer
    ) -> AttentionStep:
        tokens = _tokens(head["tokens"])
        keys = _tokens(head["keys"]) if "keys" in head else tokens
        parts = _parts(head["layers"])
        heads = sum(len(part.numbers) for part in parts)
        problems: list[str] = []
        measured = np.full((heads, len(MEASURES)), NAN, np.float32)
        try:
            measured = _measured(strings[1], [str(name) for name in head["measures"]], heads)
        except (DecodeError, IndexError) as error:
            problems.append(str(error) if isinstance(error, DecodeError) else "The measures are missing.")
        packed = strings[2] if len(strings) > 2 else b""
        try:
            decompress(packed, (heads, *thumbnail_shape(len(tokens), len(keys))), "The overview")
        except DecodeError as error:
            problems.append(str(error))
            packed = b""
        kind: AttentionKind = "cross" if head["kind"] == "cross" else "self"
        grid = _grid(head.get("grid"), len(tokens))
        known = (tokens, keys, kind, bool(head["causal"]), grid, parts, bool(head["maps"]))
        return cls(at.step, at.wall_time, at.hidden, *known, measured, packed, tuple(problems), read_layer)

    @classmethod
    def _of_older_form(cls, at: Point, head: Mapping[str, Any], strings: Sequence[bytes]) -> AttentionStep:
        if len(strings) != 2:
            raise DecodeError("The attention value has no head or no weights")
        tokens, layers, heads = _tokens(head["tokens"]), int(head["layers"]), int(head["heads"])
        if not (0 < layers <= MAX_HEADS and 0 < heads <= MAX_HEADS and layers * heads <= MAX_HEADS):
            raise DecodeError(f"The attention maps claim {layers} layers of {heads} heads")
        size = (layers, heads, len(tokens), len(tokens))
        maps = decompress(strings[1], size, "The attention value")
        later = ~np.tri(len(tokens), dtype=bool)
        is_causal = len(tokens) > 1 and not maps[:, :, later].any()
        layout = Layout(len(tokens), tokens, "self", is_causal, None)
        parts = tuple(LayerHeads(layer, tuple(range(heads))) for layer in range(layers))
        measured = np.concatenate([measure(from_bytes(layer), layout) for layer in maps])
        small = compress(thumbnails(maps.reshape(-1, *size[2:])))

        def read_layer(layer: int) -> Sequence[bytes]:
            return [compress(one) for one in maps[layer]]

        return cls(
            at.step,
            at.wall_time,
            at.hidden,
            tokens,
            tokens,
            "self",
            is_causal,
            None,
            parts,
            True,
            measured,
            small,
            (),
            read_layer,
        )


def attentions(run: Run, tag: str, *, attempts: bool = False, max_bytes: int = NO_LIMIT) -> Series[AttentionStep]:
    """Returns a series. Maps or summaries larger than `max_bytes` raise an error on access."""
    source, hidden = references_of(run, PLUGIN, tag, attempts=attempts)

    def load(index: int, step: int, wall_time: float, hidden: bool) -> AttentionStep:
        read_layer = partial(_read_layer, run, tag, (step, wall_time), max_bytes)
        return AttentionStep.parse(source.read(index, max_bytes), step, wall_time, hidden, read_layer=read_layer)

    return Series(source.steps, source.wall_times, hidden, load)


def _read_layer(run: Run, tag: str, at: tuple[int, float], max_bytes: int, layer: int) -> Sequence[bytes]:
    """Returns the maps of a layer that were logged together with a summary."""
    missing = DecodeError(f"The maps of layer {layer} at step {at[0]} are not in the event files.")
    try:
        source, _ = references_of(run, PLUGIN, layer_tag(tag, layer), attempts=True)
    except LookupError:
        raise missing from None
    found = np.flatnonzero((source.steps == at[0]) & (source.wall_times == at[1]))
    if not len(found):
        raise missing
    return _strings(source.read(int(found[-1]), max_bytes))


def _no_layer(layer: int) -> Sequence[bytes]:
    raise DecodeError(f"The maps of layer {layer} are not in this value.")


def _strings(data: bytes) -> list[bytes]:
    value = Value.parse(data)
    return Tensor.parse(value.body).strings() if value.data_field == TENSOR else []


def _tokens(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not 0 < len(given) <= MAX_TOKENS:
        raise DecodeError("The attention maps name no tokens, or too many")
    return tuple(map(str, given))


def _parts(given: Sequence[Mapping[str, Any]]) -> tuple[LayerHeads, ...]:
    parts = tuple(
        LayerHeads(
            int(part["layer"]),
            tuple(int(head) for head in part["heads"]),
            None if part.get("kv_heads") is None else int(part["kv_heads"]),
        )
        for part in given
    )
    if not parts or not all(part.numbers for part in parts) or sum(len(part.numbers) for part in parts) > MAX_HEADS:
        raise DecodeError("The attention maps have no heads, or too many")
    return parts


def _measured(data: bytes, names: Sequence[str], heads: int) -> Table:
    """Returns heads × MEASURES. Measures that an older version did not log are NaN."""
    values = np.frombuffer(data[: len(data) // 4 * 4], "<f4")
    if len(values) != heads * len(names):
        raise DecodeError(f"The measures are {len(values)} numbers. Expected {heads * len(names)}.")
    stored = values.reshape(heads, len(names))
    table = np.full((heads, len(MEASURES)), NAN, np.float32)
    for column, name in enumerate(MEASURES):
        if name in names:
            table[:, column] = stored[:, names.index(name)]
    return table


def _grid(given: object, tokens: int) -> tuple[int, int] | None:
    match given:
        case [int() as rows, int() as columns] if rows > 0 and columns > 0 and rows * columns <= tokens:
            return rows, columns
    return None
