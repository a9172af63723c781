"""Routes of histograms: heatmaps over steps, statistics of each tag, and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import DecodeError
from lossboard.kinds.context import Context
from lossboard.kinds.histograms.decode import histograms
from lossboard.kinds.histograms.documents import CardHead, CardsHead, Layer, LayersResponse
from lossboard.kinds.histograms.export import export
from lossboard.kinds.histograms.layers import describe
from lossboard.kinds.histograms.merge import Merged, merge
from lossboard.kinds.json_numbers import number
from lossboard.kinds.params import get_bool, get_int, get_objects, get_str, parse_interval, parse_strings
from lossboard.kinds.routes import ArrowResult, Download, JsonResult, Route

if TYPE_CHECKING:
    from lossboard.store.run import Run, SeriesInfo

_MAX_CARDS = 200


def cards(context: Context, params: Mapping[str, Any]) -> ArrowResult[CardsHead]:
    columns = get_int(params, "columns", default=120, minimum=1, maximum=2000)
    rows = get_int(params, "rows", default=60, minimum=1, maximum=400)
    steps = parse_interval(params.get("range"), "range")
    with_bands = get_bool(params, "bands", default=True)
    cursor = context.logdir.cursor
    heads: list[CardHead] = []
    tables: list[Mapping[str, Any]] = []
    for card in get_objects(params, "cards", maximum=_MAX_CARDS):
        run, tag = context.find_run(card.get("run")), get_str(card, "tag")
        series = histograms(run, tag)
        points = [p for p in series if steps is None or steps[0] <= p.step <= steps[1]]
        merged = merge(points, columns=columns, rows=rows, with_bands=with_bands)
        heads.append(_head(str(card.get("key", "")), merged, len(points), series.skipped))
        tables += [_columns(merged), {"count": merged.counts.ravel()}]
    return ArrowResult({"cursor": cursor, "cards": heads}, tables)


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
    """Returns the selected runs that have histograms, and the tags of the runs in "of" or else of the first one."""
    cursor = context.logdir.cursor
    having = [run for run in context.select_runs(params.get("runs")) if next(_histograms_of(run), None)]
    of = params.get("of")
    described = having[:1] if of is None else [context.find_run(name) for name in parse_strings(of, "of")]
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
