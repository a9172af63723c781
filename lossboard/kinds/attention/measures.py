"""Measures of attention heads, each a number for a head: where it attends to, and how sharply.

`a` is the weight of a query on a key. Averages run over the queries that attend to anything. A measure that has no
meaning for the maps, such as the weight on [CLS] of tokens without one, is NaN.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lossboard.kinds.attention.weights import AttentionKind, AttentionMaps, Weights

MEASURES = (
    "entropy",  # −Σ a ln a, in nats
    "relative_entropy",  # entropy ÷ ln of the number of keys that the query may attend to
    "confidence",  # largest a
    "distance",  # Σ a·|i − j|, in tokens; on a grid, Euclidean in patches
    "offset",  # Σ a·(j − i): negative towards earlier tokens
    "self",
    "previous",
    "next",
    "first",
    "cls",
    "sep",
    "punctuation",
    "duplicate",  # on a sequence that is repeated: a on the same token, one repetition earlier
    "induction",  # and on the token after that one
)
NAN = float("nan")
_CLS = frozenset({"[CLS]", "<s>", "<cls>", "<bos>", "<|begin_of_text|>"})
_SEP = frozenset({"[SEP]", "</s>", "<sep>", "<eos>", "<|endoftext|>", "<|end_of_text|>"})
_WORD_MARKS = "#Ġ▁Ċ "
_MIN_REPEATED = 4
_TINY = np.float32(1e-12)

Table = npt.NDArray[np.float32]
Positions = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Layout:
    """What the measures need to know of the tokens."""

    queries: int
    tokens: tuple[str, ...]
    """Of the keys."""
    kind: AttentionKind
    is_causal: bool
    grid: tuple[int, int] | None

    @classmethod
    def of(cls, maps: AttentionMaps) -> Layout:
        return cls(len(maps.tokens), maps.keys, maps.kind, maps.is_causal, maps.grid)

    @property
    def first_position(self) -> int:
        return len(self.tokens) - self.queries

    def columns(self, matches: Callable[[str], bool]) -> Positions:
        return np.flatnonzero([matches(token) for token in self.tokens])


def measure_all(maps: AttentionMaps) -> Table:
    """Returns heads × measures, of all layers."""
    layout = Layout.of(maps)
    return np.concatenate([measure(layer.weights, layout) for layer in maps.layers])


def measure(weights: Weights, layout: Layout) -> Table:
    """Returns heads × MEASURES. `weights` are heads × queries × keys."""
    found = np.full((len(weights), len(MEASURES)), NAN, np.float32)
    for head, one in enumerate(weights):
        rows = np.flatnonzero(one.sum(-1) > 0)
        if len(rows):
            values = _measure_head(one[rows], rows, layout)
            found[head] = [values.get(name, NAN) for name in MEASURES]
    return found


def _measure_head(weights: Weights, rows: Positions, layout: Layout) -> dict[str, float]:
    entropy = -(weights * np.log(np.maximum(weights, _TINY))).sum(-1)
    found = {
        "entropy": float(entropy.mean()),
        "relative_entropy": _relative(entropy, rows, layout),
        "confidence": float(weights.max(-1).mean()),
        "first": float(weights[:, 0].mean()),
    }
    for name, columns in (
        ("cls", layout.columns(_CLS.__contains__)),
        ("sep", layout.columns(_SEP.__contains__)),
        ("punctuation", layout.columns(_is_punctuation)),
    ):
        if len(columns):
            found[name] = float(weights[:, columns].sum(-1).mean())
    if layout.kind == "self":
        found |= _by_position(weights, rows, layout)
    return found


def _relative(entropy: npt.NDArray[np.float32], rows: Positions, layout: Layout) -> float:
    keys = len(layout.tokens)
    allowed = rows + layout.first_position + 1 if layout.is_causal else np.full(len(rows), keys)
    chosen = allowed > 1  # a single key is no choice
    return float((entropy[chosen] / np.log(allowed[chosen])).mean()) if chosen.any() else NAN


def _by_position(weights: Weights, rows: Positions, layout: Layout) -> dict[str, float]:
    places = rows + layout.first_position
    found = {
        "self": _diagonal(weights, places, 0),
        "previous": _diagonal(weights, places, -1),
        "next": NAN if layout.is_causal else _diagonal(weights, places, 1),
    }
    if layout.grid is None:
        offsets = np.arange(len(layout.tokens)) - places[:, None]
        found["distance"] = float((weights * np.abs(offsets)).sum(-1).mean())
        found["offset"] = float((weights * offsets).sum(-1).mean())
    else:
        found["distance"] = _grid_distance(weights, places, layout)
    if repetition := find_repetition(layout.tokens):
        start, period = repetition
        second = places >= start
        found["duplicate"] = _diagonal(weights[second], places[second], -period)
        found["induction"] = _diagonal(weights[second], places[second], 1 - period)
    return found


def _diagonal(weights: Weights, places: Positions, offset: int) -> float:
    """Returns the mean weight on the key at that offset, over the queries that have such a key."""
    columns = places + offset
    inside = np.flatnonzero((columns >= 0) & (columns < weights.shape[1]))
    return float(weights[inside, columns[inside]].mean()) if len(inside) else NAN


def _grid_distance(weights: Weights, places: Positions, layout: Layout) -> float:
    """Returns the mean distance from patch to patch. Weight on tokens that are not patches counts as distance 0."""
    assert layout.grid is not None
    height, width = layout.grid
    extra = len(layout.tokens) - height * width
    at = np.stack(np.divmod(np.arange(height * width), width), -1)
    patches = places >= extra
    if not patches.any():
        return NAN
    distances = np.linalg.norm(at[places[patches] - extra][:, None] - at[None], axis=-1)
    return float((weights[patches][:, extra:] * distances).sum(-1).mean())


def find_repetition(tokens: Sequence[str]) -> tuple[int, int] | None:
    """Returns start and length of the second half, if it repeats the first. A special token may come before both."""
    for skipped in (0, 1):
        rest = tokens[skipped:]
        half, odd = divmod(len(rest), 2)
        if not odd and half >= _MIN_REPEATED and tuple(rest[:half]) == tuple(rest[half:]):
            return skipped + half, half
    return None


def _is_punctuation(token: str) -> bool:
    text = token.strip(_WORD_MARKS) or token.strip()
    return bool(text) and all(unicodedata.category(character).startswith("P") for character in text)
