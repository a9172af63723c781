"""Attention weights as given to `add_attention`, checked: layers of heads of queries × keys, and their tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from lossboard.events.conversions import Array, as_array, as_real
from lossboard.events.warn_once import warn_once

Weights: TypeAlias = npt.NDArray[np.float32]
AttentionKind = Literal["self", "cross"]

_SUM_TOLERANCE = 0.01


@dataclass(frozen=True)
class Layer:
    """Heads of one layer. `number` and `numbers` are positions in the model, because only some may be logged."""

    number: int
    numbers: tuple[int, ...]
    kv_heads: int | None
    """Number of key–value heads that the heads share (grouped-query attention). None if each head has its own."""
    weights: Weights
    """Heads × queries × keys. A row that may attend to nothing is all zeros."""


@dataclass(frozen=True)
class AttentionMaps:
    layers: tuple[Layer, ...]
    tokens: tuple[str, ...]
    """One for each query."""
    keys: tuple[str, ...]
    kind: AttentionKind
    is_causal: bool
    grid: tuple[int, int] | None
    """Rows and columns of image patches, which are the last tokens."""

    @property
    def first_position(self) -> int:
        """Position of the first query among the keys. With a cache, only the newest tokens are queries."""
        return len(self.keys) - len(self.tokens)


class AttentionOptions(TypedDict, total=False):
    """What `add_attention` takes beside the weights and the tokens."""

    keys: Sequence[str] | None
    layers: Sequence[int] | None
    heads: Sequence[int] | None
    kv_heads: int | None
    mask: Any
    causal: bool | None
    grid: tuple[int, int] | None
    kind: AttentionKind


def as_maps(weights: Any, tokens: Sequence[str], **options: Unpack[AttentionOptions]) -> AttentionMaps:
    """Checks the arguments of `add_attention`. Leaves out padding: what `mask` excludes, or what follows the tokens."""
    if unknown := options.keys() - AttentionOptions.__annotations__.keys():
        known = ", ".join(AttentionOptions.__annotations__)
        raise TypeError(f"add_attention got an unexpected keyword argument {min(unknown)!r}. Its options are {known}")
    keys, mask, causal, kind = (
        options.get("keys"),
        options.get("mask"),
        options.get("causal"),
        options.get("kind", "self"),
    )
    if kind not in ("self", "cross"):
        raise ValueError(f"kind must be 'self' or 'cross', got {kind!r}")
    if kind == "cross" and keys is None:
        raise ValueError("Cross attention needs keys: the tokens that are attended to")
    query_tokens = _as_tokens(tokens, "Tokens")
    key_tokens = query_tokens if keys is None else _as_tokens(keys, "Keys")
    arrays = _as_layers(weights)
    rows, columns = arrays[0].shape[1:]
    kept_keys = _kept(mask, key_tokens, columns, "keys" if keys is not None else "tokens")
    kept_queries = kept_keys if keys is None and rows == columns else _kept(None, query_tokens, rows, "tokens")
    if keys is None and rows != columns:
        raise ValueError(f"The weights are {rows} queries × {columns} keys. Name the keys with keys=[…]")
    query_tokens, key_tokens = _without_padding(query_tokens, kept_queries), _without_padding(key_tokens, kept_keys)
    if kind == "self" and key_tokens[len(key_tokens) - len(query_tokens) :] != query_tokens:
        raise ValueError("In self attention, the last keys must be the tokens. For cross attention, set kind='cross'")
    arrays = [_clean(array[:, kept_queries][:, :, kept_keys]) for array in arrays]
    return AttentionMaps(
        _named(arrays, options.get("layers"), options.get("heads"), options.get("kv_heads")),
        query_tokens,
        key_tokens,
        kind,
        kind == "self" and (_looks_causal(arrays) if causal is None else bool(causal)),
        _as_grid(options.get("grid"), len(query_tokens), len(key_tokens)),
    )


def _as_tokens(tokens: Sequence[str], what: str) -> tuple[str, ...]:
    if isinstance(tokens, str) or not all(isinstance(token, str) for token in tokens):
        raise TypeError(f"{what} must be a list of str, one for each position")
    return tuple(tokens)


def _as_layers(weights: Any) -> list[Array]:
    if not isinstance(weights, Iterable):
        raise TypeError(f"Attentions must be an array, or one for each layer, got {type(weights).__name__}")
    layers = [_heads_of(layer) for layer in weights]
    shapes = sorted({layer.shape[1:] for layer in layers})
    if len(shapes) != 1:
        raise ValueError(f"Attentions must have as many tokens in each layer, got {[list(shape) for shape in shapes]}")
    return layers


def _heads_of(layer: object) -> Array:
    if layer is None:
        raise ValueError(
            "A layer has no attention weights: the model uses an implementation that returns none. "
            "Load it with attn_implementation='eager', or use lossboard.integrations.huggingface.attention_of"
        )
    array = as_real(layer, "Attentions")
    if array.ndim == 4 and len(array) == 1:
        array = array[0]
    if array.ndim != 3 or 0 in array.shape:
        shape = list(array.shape)
        raise ValueError(
            f"A layer's attention must be [heads, queries, keys], got {shape}: "
            "of a batch, give one example, as [layer[0] for layer in attentions]"
        )
    return array


def _kept(mask: Any, tokens: Sequence[str], size: int, what: str) -> npt.NDArray[np.intp]:
    """Returns the positions that are not padding."""
    if mask is None:
        if not 0 < len(tokens) <= size:
            raise ValueError(f"{len(tokens)} {what} for an attention over {size} positions")
        return np.arange(len(tokens))
    flags = as_array(mask, "The mask").reshape(-1) != 0
    if len(flags) != size or not flags.any():
        raise ValueError(f"The mask must have {size} values, 1 for a token and 0 for padding, got {flags.astype(int)}")
    if len(tokens) not in (size, int(flags.sum())):
        raise ValueError(f"{len(tokens)} {what} for a mask of {size} positions, {int(flags.sum())} of them tokens")
    return np.flatnonzero(flags)


def _without_padding(tokens: tuple[str, ...], kept: npt.NDArray[np.intp]) -> tuple[str, ...]:
    return tokens if len(tokens) == len(kept) else tuple(tokens[i] for i in kept)


def _clean(layer: Array) -> Weights:
    """Returns float32 from 0 to 1. NaN, which a fully masked row has, becomes 0."""
    weights = layer.astype(np.float32)
    is_finite = np.isfinite(weights)
    if not is_finite.all():
        weights = np.where(is_finite, weights, np.float32(0))
    sums = weights.sum(-1)
    if ((np.abs(sums - 1) > _SUM_TOLERANCE) & (sums > 0)).any():
        warn_once(
            "Attention weights of a token do not add up to 1. If dropout was on, call model.eval() before; "
            "scores before the softmax are not weights"
        )
    return weights.clip(0, 1)


def _named(
    arrays: list[Array], layers: Sequence[int] | None, heads: Sequence[int] | None, kv_heads: int | None
) -> tuple[Layer, ...]:
    numbers = range(len(arrays)) if layers is None else [int(layer) for layer in layers]
    if len(numbers) != len(arrays):
        raise ValueError(f"{len(numbers)} layers are named for the weights of {len(arrays)}")
    named = []
    for number, array in zip(numbers, arrays, strict=True):
        count = len(array)
        names = tuple(range(count)) if heads is None else tuple(int(head) for head in heads)
        if len(names) != count:
            raise ValueError(f"{len(names)} heads are named, but layer {number} has {count}")
        if kv_heads is not None and heads is None and (kv_heads < 1 or count % kv_heads):
            raise ValueError(f"kv_heads={kv_heads} must divide the {count} heads of layer {number}")
        named.append(Layer(number, names, kv_heads, array))
    return tuple(named)


def _looks_causal(arrays: list[Weights]) -> bool:
    """Returns whether no token attends to a later one."""
    rows, columns = arrays[0].shape[1:]
    later = ~np.tri(rows, columns, columns - rows, dtype=bool)
    return rows > 1 and not any(layer[:, later].any() for layer in arrays)


def _as_grid(grid: tuple[int, int] | None, queries: int, keys: int) -> tuple[int, int] | None:
    if grid is None:
        return None
    rows, columns = (int(size) for size in grid)
    if queries != keys or rows < 1 or columns < 1 or rows * columns > keys:
        raise ValueError(f"A grid of {rows} × {columns} patches does not fit {keys} tokens")
    return rows, columns
