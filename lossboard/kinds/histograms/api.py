"""What histograms answer: pictures of many tensors over their steps, and what tells the tensors of a model apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import DecodeError
from lossboard.kinds.asked import interval, objects, whole, word
from lossboard.kinds.histograms.decode import histograms
from lossboard.kinds.histograms.export import export
from lossboard.kinds.histograms.layers import Layer, describe
from lossboard.kinds.histograms.merge import Merged, merge
from lossboard.kinds.numbers import number
from lossboard.kinds.registry import Answer, Arrow, Download, Json, Route
from lossboard.query.runs import choose_runs, find_run, run_id

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir

_MAX_CARDS = 200


def cards(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    columns = whole(parameters, "columns", 120, least=1, most=2000)
    rows = whole(parameters, "rows", 60, least=1, most=400)
    steps = interval(parameters.get("range"), "range")
    cursor, heads, tables = logdir.cursor, [], []
    for card in objects(parameters, "cards", most=_MAX_CARDS):
        run, tag = find_run(logdir, card.get("run")), word(card, "tag")
        series = histograms(run, tag)
        points = [p for p in series if steps is None or steps[0] <= p.step <= steps[1]]
        merged = merge(points, columns=columns, rows=rows)
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
    bands = {f"b{i}": np.ascontiguousarray(merged.bands[:, i]) for i in range(merged.bands.shape[1])}
    return {
        "first": merged.first_step,
        "last": merged.last_step,
        "wall": merged.wall_time,
        "merged": merged.merged,
        **bands,
    }


def runs(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    """Which of the chosen runs have any histogram."""
    chosen = choose_runs(logdir, parameters.get("runs"))
    having = [run_id(run.name) for run in chosen if any(info.plugin == "histograms" for info in run.index())]
    return Json({"cursor": logdir.cursor, "runs": having})


def layers(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    """Tags whose first or last histogram cannot be read are left out here and say so on their card."""
    run = find_run(logdir, parameters.get("run"))
    described = []
    for info in run.index():
        if info.plugin != "histograms" or not info.count:
            continue
        try:
            described.append(_plain(describe(run, info.tag)))
        except DecodeError:
            described.append({"tag": info.tag, "steps": info.count, "last_step": info.last_step})
    return Json({"cursor": logdir.cursor, "layers": described})


def _plain(layer: Layer) -> dict[str, Any]:
    return {name: number(value) if isinstance(value, float) else value for name, value in asdict(layer).items()}


ROUTES = (
    Route(
        "cards", cards, "Histograms over steps, on common rows and at most so many columns, with their bands", "POST"
    ),
    Download("export", export, "One tag, every step: its buckets or its nine values, as CSV or JSON", "GET"),
    Route("runs", runs, "Which of the chosen runs have histograms", "POST"),
    Route("layers", layers, "Each histogram tag of a run: change, norm, zeros and spread", "POST"),
)
