"""Routes of attention: what was logged, overviews, single heads and tokens, measures over steps, rollout and change."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from lossboard.errors import DecodeError, LogdirError, UsageError
from lossboard.kinds.attention import analysis
from lossboard.kinds.attention.decode import AttentionStep, attentions
from lossboard.kinds.attention.documents import (
    AttentionChange,
    AttentionCurves,
    AttentionLayer,
    AttentionMap,
    AttentionOverview,
    AttentionSeries,
    AttentionSeriesList,
)
from lossboard.kinds.attention.encode import PLUGIN, visible_tag
from lossboard.kinds.attention.measures import MEASURES
from lossboard.kinds.attention.packing import compress, to_bytes
from lossboard.kinds.context import Context
from lossboard.kinds.limits import MAX_RESPONSE_BYTES, MAX_STEPS, check_size
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, get_point, list_series
from lossboard.kinds.params import get_int, get_str
from lossboard.kinds.routes import ArrowResult, JsonResult, Route

_shown = partial(attentions, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> JsonResult[AttentionSeriesList]:
    cursor = context.logdir.cursor
    found = [
        _describe(one, newest)
        for one, newest in list_series(context, params, PLUGIN, _shown)
        if visible_tag(one["tag"]) is not None
    ]
    return JsonResult({"cursor": cursor, "series": found})


def _describe(series: MediaSeries, newest: AttentionStep | None) -> AttentionSeries:
    described = cast(AttentionSeries, series)  # all further fields are optional
    if newest is not None:
        described["tokens"] = list(newest.tokens)
    return described


def overview(context: Context, params: Mapping[str, Any]) -> ArrowResult[AttentionOverview]:
    step = get_point(context, params, _shown)
    head: AttentionOverview = {
        "tokens": list(step.tokens),
        "keys": list(step.keys),
        "kind": step.kind,
        "causal": step.is_causal,
        "layers": [_layer(part.number, part.numbers, part.kv_heads) for part in step.parts],
        "thumbnail": step.thumbnail,
        "maps": step.has_maps,
        "measures": list(MEASURES),
        "problems": list(step.problems),
    }
    if step.grid:
        head["grid"] = step.grid
    measured = {name: np.ascontiguousarray(step.measured[:, i]) for i, name in enumerate(MEASURES)}
    return ArrowResult(head, [_packed(step.packed_thumbnails), measured])


def _layer(number: int, heads: tuple[int, ...], kv_heads: int | None) -> AttentionLayer:
    layer: AttentionLayer = {"layer": number, "heads": list(heads)}
    return layer if kv_heads is None else {**layer, "kv_heads": kv_heads}


def _packed(data: bytes) -> Mapping[str, Any]:
    """Returns a table with bytes as they are stored. The page unpacks them."""
    return {"packed": np.frombuffer(data, np.uint8)}


def head(context: Context, params: Mapping[str, Any]) -> ArrowResult[AttentionMap]:
    step = get_point(context, params, _shown)
    layer = get_int(params, "layer", default=0, minimum=0, maximum=step.layers - 1)
    position = get_int(params, "head", default=0, minimum=0, maximum=len(step.parts[layer].numbers) - 1)
    packed = step.packed_head(layer, position)
    step.unpack(layer, position, packed)  # so that the page never gets a map of a wrong size
    return ArrowResult(_size(step), [_packed(packed)])


def _size(step: AttentionStep) -> AttentionMap:
    return {"queries": len(step.tokens), "keys": len(step.keys)}


def rollout(context: Context, params: Mapping[str, Any]) -> ArrowResult[AttentionMap]:
    step = get_point(context, params, _shown)
    weights = analysis.rollout(step).astype(np.float32)
    return ArrowResult(_size(step), [_packed(compress(to_bytes(weights.clip(0, 1))))])


def token(context: Context, params: Mapping[str, Any]) -> ArrowResult[AttentionMap]:
    """Returns heads × keys of a query, or heads × queries of a key."""
    step = get_point(context, params, _shown)
    side = params.get("side", "from")
    if side not in ("from", "to"):
        raise UsageError('Expected "side" to be "from" or "to".')
    positions = len(step.tokens if side == "from" else step.keys)
    position = get_int(params, "token", default=0, minimum=0, maximum=positions - 1)
    found = (analysis.from_token if side == "from" else analysis.to_token)(step, position)
    return ArrowResult(_size(step), [_packed(compress(found))])


def change(context: Context, params: Mapping[str, Any]) -> ArrowResult[AttentionChange]:
    other = params.get("other")
    if not isinstance(other, dict):
        raise UsageError('Expected "other" to be an object with "run", "tag" and "step".')
    step, base = get_point(context, params, _shown), get_point(context, other, _shown)
    queries = len(step.tokens)
    try:
        found = analysis.compare(step, base)
    except DecodeError as error:
        refused: AttentionChange = {
            "refused": str(error),
            "largest": 0.0,
            "queries": queries,
            "compared": 0,
            "problems": [],
        }
        return ArrowResult(refused, [{"divergence": np.empty(0, np.float32)}])
    head: AttentionChange = {
        "largest": found.largest,
        "queries": queries,
        "compared": found.rows,
        "problems": found.problems,
    }
    return ArrowResult(head, [{"divergence": found.divergence}])


def curves(context: Context, params: Mapping[str, Any]) -> ArrowResult[AttentionCurves]:
    """Returns the steps that have the same heads as the newest readable one."""
    cursor = context.logdir.cursor
    name = get_str(params, "measure")
    if name not in MEASURES:
        raise UsageError(f'Expected "measure" to be one of {", ".join(MEASURES)}.')
    series = _shown(context.find_run(params.get("run")), get_str(params, "tag"))
    check_size(len(series), MAX_STEPS, "steps", "Log attention less often.")
    column = MEASURES.index(name)
    found: list[tuple[int, Any]] = []
    for index in range(len(series)):
        try:
            point = series[index]
        except (DecodeError, LogdirError):  # it cannot be decoded, or its file was removed
            continue
        found.append((point.step, point.measured[:, column].copy()))
    heads = len(found[-1][1]) if found else 0
    same = [(step, values) for step, values in found if len(values) == heads]
    check_size(4 * heads * len(same), MAX_RESPONSE_BYTES, "bytes", "Log attention less often.")
    values = np.concatenate([values for _, values in same]) if same else np.empty(0, np.float32)
    described: AttentionCurves = {
        "cursor": cursor,
        "measure": name,
        "steps": [step for step, _ in same],
        "heads": heads,
        "skipped": len(series) - len(same),
    }
    return ArrowResult(described, [{"value": values}])


ROUTES = (
    Route("series", series, "Attention of the selected runs: tags, steps and tokens", "POST"),
    Route("overview", overview, "Layers and heads of one text at one step: thumbnails and measures", "POST"),
    Route("head", head, "The map of one head", "POST"),
    Route("token", token, "One token in all heads: where it attends to, or what attends to it", "POST"),
    Route("rollout", rollout, "Attention rollout over all layers", "POST"),
    Route("change", change, "Divergence of each head between two steps or runs", "POST"),
    Route("curves", curves, "One measure of every head over the steps", "POST"),
)
