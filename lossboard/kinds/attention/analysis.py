"""Arithmetic on stored maps: rollout, divergence of two steps, one token over all heads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.kinds.attention.decode import AttentionStep
from lossboard.kinds.attention.packing import Bytes, from_bytes, to_bytes
from lossboard.kinds.cancellation import check_cancelled

MAX_COMPARED_ROWS = 128
"""Queries of a head that a comparison reads, evenly spread. 24 × 16 heads of 512 tokens would take too long."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """Jensen–Shannon divergence of each head in nats, at most ln 2; and the largest difference of any weight."""

    divergence: npt.NDArray[np.float32]
    largest: float
    rows: int
    """Queries that were compared."""
    problems: list[str]


def rollout(step: AttentionStep) -> Matrix:
    """Returns how much of each input token is in each output token, if heads are averaged (Abnar & Zuidema 2020).

    Ã = ½ mean over heads + ½ I, rows scaled to 1; R of a layer = Ã · R of the layer below.
    """
    if step.kind == "cross" or len(step.tokens) != len(step.keys):
        raise DecodeError("Rollout multiplies the layers of self attention, so it has no meaning for these maps.")
    if [part.number for part in step.parts] != list(range(step.layers)):
        raise DecodeError("Rollout needs every layer from 0 on, but only some were logged.")
    identity = np.eye(len(step.tokens))
    result = identity
    for layer in range(step.layers):
        check_cancelled()
        mean = from_bytes(step.maps_of(layer)).mean(0, dtype=np.float64)
        mixed = 0.5 * mean + 0.5 * identity
        result = mixed / mixed.sum(-1, keepdims=True) @ result
    return result


def compare(a: AttentionStep, b: AttentionStep) -> Change:
    """Compares the heads of two steps or runs on the same text. Raises DecodeError if they cannot be compared."""
    _check_comparable(a, b)
    queries = len(a.tokens)
    rows = np.unique(np.linspace(0, queries - 1, min(queries, MAX_COMPARED_ROWS)).round().astype(int))
    divergence: list[float] = []
    largest, problems = 0.0, []
    for layer, part in enumerate(a.parts):
        check_cancelled()
        try:
            p, q = from_bytes(a.maps_of(layer)[:, rows]), from_bytes(b.maps_of(layer)[:, rows])
        except DecodeError as error:
            problems.append(str(error))
            divergence += [float("nan")] * len(part.numbers)
            continue
        divergence += [jensen_shannon(*pair) for pair in zip(p, q, strict=True)]
        largest = max(largest, float(np.abs(p - q).max()))
    if len(problems) == a.layers:
        raise DecodeError(problems[0])
    return Change(np.array(divergence, np.float32), largest, len(rows), problems)


def jensen_shannon(p: npt.NDArray[np.float32], q: npt.NDArray[np.float32]) -> float:
    """Returns the mean divergence of rows, in nats. Rows without weight on either side are left out."""
    both = (p.sum(-1) > 0) & (q.sum(-1) > 0)
    if not both.any():
        return float("nan")
    p, q = p[both], q[both]
    middle = np.maximum((p + q) / 2, np.float32(1e-12))
    total = sum(
        (part * np.log(np.maximum(part, np.float32(1e-12)) / middle)).sum(-1, dtype=np.float64) for part in (p, q)
    )
    return max(0.0, float(np.mean(total)) / 2)


def _check_comparable(a: AttentionStep, b: AttentionStep) -> None:
    for ours, theirs, what in ((a.tokens, b.tokens, "tokens"), (a.keys, b.keys, "keys")):
        if ours == theirs:
            continue
        if len(ours) != len(theirs):
            difference = f"{len(ours)} and {len(theirs)} of them"
        else:
            at = next(i for i, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other)
            difference = f"the first difference is {ours[at]!r} and {theirs[at]!r} at position {at}"
        raise DecodeError(f"The {what} differ ({difference}), so their weights cannot be compared.")
    if [(part.number, part.numbers) for part in a.parts] != [(part.number, part.numbers) for part in b.parts]:
        raise DecodeError(f"The models differ: {_shape(a)} and {_shape(b)}, so heads cannot be compared.")


def _shape(step: AttentionStep) -> str:
    return f"{step.layers} layers of {step.heads} heads"


def from_token(step: AttentionStep, token: int) -> Bytes:
    """Returns where one query attends to, in each head: heads × keys."""
    return _of_all_heads(step, lambda maps: to_bytes(from_bytes(maps[:, token])))


def to_token(step: AttentionStep, key: int) -> Bytes:
    """Returns which queries attend to one key, in each head: heads × queries."""

    def column(maps: Bytes) -> Bytes:
        sums = np.square(maps, dtype=np.uint32).sum(-1, dtype=np.float32)
        squares = np.square(maps[:, :, key], dtype=np.float32)
        return to_bytes(np.divide(squares, sums, out=np.zeros_like(squares), where=sums > 0))

    return _of_all_heads(step, column)


def _of_all_heads(step: AttentionStep, read: Callable[[Bytes], Bytes]) -> Bytes:
    parts = []
    for layer in range(step.layers):
        check_cancelled()
        parts.append(read(step.maps_of(layer)))
    return np.concatenate(parts)
