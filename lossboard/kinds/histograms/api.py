"""Routes of histograms: heatmaps over steps, statistics of each tag, and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import DecodeError
from lossboard.kinds.batches import Missing, read_or_missing
from lossboard.kinds.context import Context
from lossboard.kinds.histograms.decode import HistogramStep, histograms
from lossboard.kinds.histograms.documents import CardHead, CardsHead, Layer, LayersResponse
from lossboard.kinds.histograms.export import export
from lossboard.kinds.histograms.layers import describe
from lossboard.kinds.histograms.merge import Merged, merge
from lossboard.kinds.json_numbers import number
from lossboard.kinds.limits import MAX_RESPONSE_BYTES, MAX_STEPS, check_size
from lossboard.kinds.media import MAX_SHOWN_BYTES
from lossboard.kinds.params import get_bool, get_int, get_objects, get_str, parse_interval, parse_strings
from lossboard.kinds.routes import ArrowResult, Download, JsonResult, Route
from lossboard.kinds.series import Series

if TYPE_CHECKING:
    from lossboard.store.run import Run, SeriesInfo

_MAX_CARDS = 200
_MAX_BUCKETS = 10_000_000
"""Buckets of one tag. They take 240 MB."""

_shown = partial(histograms, max_bytes=MAX_SHOWN_BYTES)


def cards(context: Context, params: Mapping[str, Any]) -> ArrowResult[CardsHead]:
    columns = get_int(params, "columns", default=120, minimum=1, maximum=2000)
    rows = get_int(params, "rows", default=60, minimum=1, maximum=400)
    steps = parse_interval(params.get("range"), "range")
    with_bands = get_bool(params, "bands", default=True)
    cursor = context.logdir.cursor
    heads: list[CardHead | Missing] = []
    tables: list[Mapping[str, Any]] = []
    cards = get_objects(params, "cards", maximum=_MAX_CARDS)

    def open_series(card: Mapping[str, Any]) -> Series[HistogramStep]:
        return _shown(context.find_run(card.get("run")), get_str(card, "tag")).between(steps)

    series = [read_or_missing(open_series, card) for card in cards]
    counts = [0 if isinstance(one, dict) else len(one) for one in series]
    check_size(sum(counts), MAX_STEPS, "histograms", "Request fewer tags or a smaller range of steps.")
    cells = sum(min(count, columns) * rows for count in counts)
    check_size(4 * cells, MAX_RESPONSE_BYTES, "bytes", "Request fewer tags, columns or rows.")
    for card, one in zip(cards, series, strict=True):
        if isinstance(one, dict):
            heads.append(one)
            continue
        merged = merge(_load(one), columns=columns, rows=rows, with_bands=with_bands)
        heads.append(_head(str(card.get("key", "")), merged, len(one) - one.skipped, one.skipped))
        tables += [_columns(merged), {"count": merged.counts.ravel()}]
    return ArrowResult({"cursor": cursor, "cards": heads}, tables)


def _load(series: Series[HistogramStep]) -> list[HistogramStep]:
    points, buckets = [], 0
    for point in series:
        points.append(point)
        buckets += len(point.buckets)
        check_size(buckets, _MAX_BUCKETS, "buckets", "Request a smaller range of steps.")
    return points


def _head(key: str, merged: Merged, steps: int, skipped: int) -> CardHead:
    return {
        "key": key,
        "steps": steps,
        "skipped": skipped,
        "columns": len(merged.merged),
        "rows": len(merged.edges) - 1,
        "values": (float(merged.edges[0]), float(merged.edges[-1])),
    }


def _columns(merged: Merged) -> dict[str, Any]:
    bands = () if merged.bands is None else np.ascontiguousarray(merged.bands.T)
    return {
        "first": merged.first_step,
        "last": merged.last_step,
        "wall": merged.wall_time,
        "merged": merged.merged,
        **{f"b{i}": band for i, band in enumerate(bands)},
    }


def layers(context: Context, params: Mapping[str, Any]) -> JsonResult[LayersResponse]:
    """Returns the selected runs that have histograms, and the tags of the runs in "of" or else of the first one.

    Runs in "of" that no longer exist are left out.
    """
    cursor = context.logdir.cursor
    selected = context.index.of(context.select_runs(params.get("runs")))
    having = [run for run, series in selected if any(plugin == "histograms" for plugin, _ in series)]
    of = params.get("of")
    by_id, wanted = context.logdir.runs_by_id, dict.fromkeys(parse_strings(of or [], "of"))
    described = having[:1] if of is None else [by_id[id] for id in wanted if id in by_id]
    return JsonResult(
        {
            "cursor": cursor,
            "runs": [run.id for run in having],
            "layers": {run.id: [_layer(run, info) for info in _histograms_of(run)] for run in described},
        }
    )


def _histograms_of(run: Run) -> Iterator[SeriesInfo]:
    return (info for info in run.index() if info.plugin == "histograms" and info.count)


def _layer(run: Run, info: SeriesInfo) -> Layer:
    try:
        layer = describe(run, info.tag)
    except DecodeError:  # the chart of this tag reports it
        return {"tag": info.tag, "steps": info.count, "last_step": int(histograms(run, info.tag).steps[-1])}
    return {
        "tag": layer.tag,
        "steps": layer.steps,
        "last_step": layer.last_step,
        "change": number(layer.change),
        "norm": number(layer.norm),
        "zeros": None if layer.zeros is None else number(layer.zeros),
        "spread": number(layer.spread),
    }


ROUTES = (
    Route("cards", cards, "Heatmaps of histograms over steps, with percentiles", "POST"),
    Download("export", export, "Every step of one tag: buckets or percentiles, as CSV or JSON", "GET"),
    Route("layers", layers, "Runs with histograms; change, norm, zeros and spread of each tag", "POST"),
)
