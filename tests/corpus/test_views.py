"""HTTP responses for files from real writers, compared with TensorBoard: bins, percentiles, bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from board_client import ServedBoard
from corpus.corpus import CORPUS, NAMES, Line, golden
from lossboard.select.facts.values import parse_value
from lossboard.store.run_ids import run_id

_HISTOGRAMS, _DISTRIBUTIONS = "/data/plugin/histograms/histograms", "/data/plugin/distributions/distributions"
_SESSION_GROUPS = "/data/plugin/hparams/session_groups"
_PR_CURVES = "/data/plugin/pr_curves/pr_curves"
_BLOBS = {"images": "/data/plugin/images/individualImage", "audio": "/data/plugin/audio/individualAudio"}


def answers(mode: str, *paths: str) -> list[Any]:
    """Yields a parameter for each series that was requested from TensorBoard: (corpus logdir, response)."""
    found = ((name, answer) for name in NAMES for answer in golden(name, mode) if answer["path"] in paths)
    return [pytest.param(name, answer, id=f"{name}-{i}") for i, (name, answer) in enumerate(found)]


@pytest.fixture(scope="module")
def boards() -> Iterator[dict[str, ServedBoard]]:
    opened: dict[str, ServedBoard] = {}
    yield opened
    opened.clear()


def board_of(boards: dict[str, ServedBoard], name: str) -> ServedBoard:
    if name not in boards:
        boards[name] = ServedBoard(CORPUS / "logdirs" / name)
        boards[name].logdir.poll()
    return boards[name]


@pytest.mark.parametrize(("name", "answer"), answers("slow", _DISTRIBUTIONS))
def test_percentiles_equal_tensorboards(name: str, answer: Line, boards: dict[str, ServedBoard]) -> None:
    query = dict(answer["query"])
    card = {"key": "", "run": run_id(query["run"]), "tag": query["tag"]}
    head, (columns, _) = (
        board_of(boards, name).post("/api/histograms/cards", {"cards": [card], "columns": 2000}).frames()
    )
    ours = {step: [columns[f"b{i}"][at] for i in range(9)] for at, step in enumerate(columns["first"])}
    assert head["cards"][0]["columns"] == len(ours)
    for _, step, pairs in answer["json"]:
        theirs = [value for _, value in pairs]
        if step in ours and not any(isinstance(value, str) for value in theirs):
            np.testing.assert_allclose(ours[step], theirs, rtol=0, atol=max(map(abs, theirs)) * 1e-5)


@pytest.mark.parametrize(("name", "answer"), answers("slow", _HISTOGRAMS))
def test_histogram_counts_equal_tensorboards(name: str, answer: Line, boards: dict[str, ServedBoard]) -> None:
    query = dict(answer["query"])
    asked = urlencode({"run": run_id(query["run"]), "tag": query["tag"], "what": "buckets", "format": "json"})
    ours = {one["step"]: one["buckets"] for one in board_of(boards, name).get(f"/api/histograms/export?{asked}").json()}
    seen = [step for _, step, _ in answer["json"] if step in ours]
    assert seen
    for _, step, rows in answer["json"]:
        if step in ours:  # theirs went through float32
            assert np.array_equal(np.float32(ours[step]), np.float32(rows)), step


@pytest.mark.parametrize(("name", "answer"), answers("slow", _PR_CURVES))
def test_pr_curves_equal_tensorboards(name: str, answer: Line, boards: dict[str, ServedBoard]) -> None:
    """TensorBoard truncates counts to integers, and ends a curve where these are all 0. Ours may have a longer tail."""
    tag = dict(answer["query"])["tag"]
    for run, entries in answer["json"].items():
        places = [{"run": run_id(run), "tag": tag, "step": entry["step"]} for entry in entries]
        head, tables = board_of(boards, name).post("/api/pr_curves/curves", {"curves": places}).frames()
        for entry, curve, table in zip(entries, head["curves"], tables, strict=True):
            length = len(entry["thresholds"])
            assert curve["wall"] == entry["wall_time"]
            for row in ("true_positives", "false_positives", "true_negatives", "false_negatives"):
                assert np.trunc(table[row][:length]).tolist() == entry[row]
            for row in ("precision", "recall"):
                assert table[row][:length].tolist() == entry[row]
            thresholds = np.arange(length) / (len(table["recall"]) - 1)
            np.testing.assert_allclose(thresholds, entry["thresholds"], atol=1e-12)
            is_whole = all(np.array_equal(np.trunc(table[row]), table[row]) for row in list(table)[:4])
            assert curve["drawn"] == length if is_whole else curve["drawn"] >= length


@pytest.mark.parametrize(("name", "answer"), answers("fast", *_BLOBS.values()))
def test_blobs_equal_tensorboards(name: str, answer: Line, boards: dict[str, ServedBoard]) -> None:
    blob = answer["blob"]
    place = {"run": run_id(blob["run"]), "tag": blob["tag"], "step": blob["step"], "sample": blob["sample"]}
    ours = board_of(boards, name).get(f"/api/{blob['plugin']}/blob?{urlencode(place)}")
    assert (hashlib.sha256(ours.body).hexdigest(), len(ours.body)) == (answer["sha256"], answer["bytes"])


@pytest.mark.parametrize(("name", "answer"), answers("slow", _SESSION_GROUPS))
def test_trials_equal_tensorboards_sessions(name: str, answer: Line, boards: dict[str, ServedBoard]) -> None:
    metrics = {(one["name"]["group"], one["name"]["tag"]) for one in _sessions(answer, "metricValues")}
    wanted = [{"group": group, "tag": tag} for group, tag in sorted(metrics)]
    head, tables = board_of(boards, name).post("/api/hparams/table", {"metrics": wanted}).frames()
    assert len(head["shown"]) == len(metrics)
    columns = [column["name"] for column in head["hparams"]] + sorted(metrics)
    texts = [column.get("texts", []) for column in head["hparams"]] + [[]] * len(metrics)
    for group in answer["json"].get("sessionGroups", []):
        for session in group["sessions"]:
            row = _row_of_session(head["runs"], session["name"])
            values = (_cell(table, row, own) for table, own in zip(tables, texts, strict=True))
            ours = {column: value for column, value in zip(columns, values, strict=True) if value is not None}
            measured = {(m["name"]["group"], m["name"]["tag"]): m["value"] for m in session["metricValues"]}
            given = {key: parse_value(v) if isinstance(v, str) else v for key, v in group["hparams"].items()}
            assert ours == pytest.approx({k: v for k, v in given.items() if v is not None} | measured)
            assert head["sessions"][row] == {"group": group["name"], "status": session["status"]}


def _sessions(answer: Line, field: str) -> Iterator[Any]:
    for group in answer["json"].get("sessionGroups", []):
        for session in group["sessions"]:
            yield from session[field]


def _row_of_session(ids: list[str], name: str) -> int:
    """The row of the session's run, or of the run above it, to which torch's sub-runs belong."""
    above = run_id(name.rpartition("/")[0] or ".")
    return ids.index(above if above in ids else run_id(name))


def _cell(table: dict[str, Any], row: int, texts: list[str]) -> Any:
    match table["kind"][row]:
        case 0:
            return None
        case 2:
            return texts[table["code"][row]]
        case kind:
            return table["number"][row] if kind == 1 else bool(table["number"][row])
