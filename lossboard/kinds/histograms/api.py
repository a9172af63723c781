"""What histograms answer: pictures of many tensors over their steps, and what tells the tensors of a model apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import DecodeError
from lossboard.kinds.asked import flag, interval, objects, strings, whole, word
from lossboard.kinds.histograms.decode import histograms
from lossboard.kinds.histograms.export import export
from lossboard.kinds.histograms.layers import Layer, describe
from lossboard.kinds.histograms.merge import Merged, merge
from lossboard.kinds.numbers import number
from lossboard.kinds.registry import Answer, Arrow, Download, Json, Route
from lossboard.query.runs import choose_runs, find_run, run_id

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run, SeriesInfo

_MAX_CARDS = 200


def cards(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    columns = whole(parameters, "columns", 120, least=1, most=2000)
    rows = whole(parameters, "rows", 60, least=1, most=400)
    steps = interval(parameters.get("range"), "range")
    with_bands = flag(parameters, "bands", True)
    cursor, heads, tables = logdir.cursor, [], []
    for card in objects(parameters, "cards", most=_MAX_CARDS):
        run, tag = find_run(logdir, card.get("run")), word(card, "tag")
        series = histograms(run, tag)
        points = [p for p in series if steps is None or steps[0] <= p.step <= steps[1]]
        merged = merge(points, columns=columns, rows=rows, with_bands=with_bands)
        heads.append(_head(str(card.get("key", "")), merged, len(points), series.skipped))
        tables += [_columns(merged), {"count": merged.counts.ravel()}]
    return Arrow({"cursor": cursor, "cards": heads}, tables)


def _head(key: str, merged: Merged, steps: int, skipped: int) -> dict[str, Any]:
    return {
        "key": key,
        "steps": steps,
        "skipped": skipped,
        "columns": len(merged.merged),
        "rows": len(merged.edges) - 1,
        "values": [float(merged.edges[0]), float(merged.edges[-1])],
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


def layers(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    """Which of the chosen runs have histograms, and the tags of those in “of”, else of the first that has any."""
    having = [run for run in choose_runs(logdir, parameters.get("runs")) if next(_histograms_of(run), None)]
    of = parameters.get("of")
    described = having[:1] if of is None else [find_run(logdir, name) for name in strings(of, "of")]
    return Json(
        {
            "cursor": logdir.cursor,
            "runs": [run_id(run.name) for run in having],
            "layers": {run_id(run.name): [_layer(run, info) for info in _histograms_of(run)] for run in described},
        }
    )


def _histograms_of(run: Run) -> Iterator[SeriesInfo]:
    return (info for info in run.index() if info.plugin == "histograms" and info.count)


def _layer(run: Run, info: SeriesInfo) -> dict[str, Any]:
    """Of a tag whose first or last histogram cannot be read no more than the index says; its card says why."""
    try:
        return _plain(describe(run, info.tag))
    except DecodeError:
        return {"tag": info.tag, "steps": info.count, "last_step": info.last_step}


def _plain(layer: Layer) -> dict[str, Any]:
    return {name: number(value) if isinstance(value, float) else value for name, value in asdict(layer).items()}


ROUTES = (
    Route(
        "cards", cards, "Histograms over steps, on common rows and at most so many columns, with their bands", "POST"
    ),
    Download("export", export, "One tag, every step: its buckets or its nine values, as CSV or JSON", "GET"),
    Route("layers", layers, "Which runs have histograms, and of each tag its change, norm, zeros and spread", "POST"),
)
