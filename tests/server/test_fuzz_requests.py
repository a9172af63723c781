"""Malformed requests: every value of a valid request is replaced by hostile ones. None may return 5xx or take long.

`test_contract.py` requires a valid request to each route that returns a document. Routes without one get the
parameters of all others.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board_client import Response, ServedBoard
from every_kind import REQUESTS, A, serve_every_kind
from lossboard.store.run_ids import run_id

BUDGET_CPU_SECS = 5.0
"""Limit for one request to a tiny logdir. CPU time, because the machine may be busy."""

HOSTILE: list[Any] = [
    *(None, True, -1, 0, 1, 1.5, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**70, 10**400, 1e308, -1e-320),
    *(float("inf"), float("-inf"), float("nan")),
    *("", "\0", "NaN", "1e999", "../../etc/passwd", "\ud800", "\udcff", "=1+1", "<script>", "x" * 10_000, "9" * 5000),
    *([], {}, [[]], [None], [{}], [1e308, -1e308], [-1e308, 1e308], [0, 10**400], {"": None}, {"only": [[]]}),
    *({"only": "x"}, {"except": [None]}, {"tag": "loss"}, {"tag": "\ud800"}, {"method": "ema", "weight": 0.999999}),
    *(["loss"] * 1000, [{"key": "x", "tags": ["loss"]}] * 150, {"range": [0, 0], "scale": "log"}),
]
# Parameters that valid requests leave out.
OPTIONAL = {
    "/api/scalars/charts": {
        **{"runs": None, "since": 0, "charts": [{"key": "0", "tags": ["loss"], "width": 100, "height": 100}]},
        **{"x": "step", "range": None, "y": None, "emphasised": [], "max_lines": 2, "smoothing": None},
    },
    "/api/scalars/points": {"run": A, "tag": "loss", "range": None, "smoothing": None, "format": "csv"},
    "/api/scalars/export": {"charts": [{"tags": ["loss"], "x": "step"}], "runs": None, "format": "json"},
    "/api/images/zip": {"things": [{"run": A, "tag": "picture", "step": 0}]},
    "/api/text/zip": {"things": [{"run": A, "tag": "note/text_summary", "step": 0}]},
    "/api/audio/zip": {"things": [{"run": A, "tag": "beep", "step": 0}]},
    "/api/audio/spectrograms": {"clips": [{"run": A, "tag": "beep", "step": 0}], "columns": 10, "rows": 10},
    "/api/audio/waveforms": {"clips": [{"run": A, "tag": "beep", "step": 0}], "columns": 10},
    "/api/histograms/cards": {
        "cards": [{"key": "k", "run": A, "tag": "weights", "steps": None, "bins": 10, "rows": 10, "width": 10}]
    },
    "/api/histograms/layers": {"runs": None, "of": [A]},
    "/api/runs/delete": {"ids": ["gone"]},
    "/api/runs/undelete": {"undo": "0-00"},
}
ADDRESSES = {
    "/api/tags": {"kind": "scalars"},
    "/api/images/blob": {"run": A, "tag": "picture", "step": "0", "sample": "0"},
    "/api/images/thumb": {"run": A, "tag": "picture", "step": "0", "sample": "0", "side": "128"},
    "/api/audio/blob": {"run": A, "tag": "beep", "step": "0", "sample": "0"},
    "/api/embeddings/sprite": {"run": A, "tag": "vectors", "step": "0"},
    "/api/histograms/export": {"run": A, "tag": "weights", "what": "buckets", "format": "csv"},
}
BODIES = [
    *((path, body) for path, bodies in REQUESTS.items() for body in bodies if isinstance(body, dict)),
    *OPTIONAL.items(),
]
ANY_BODY = {name: value for _, body in BODIES for name, value in body.items()}
ANY_ADDRESS = {name: value for values in ADDRESSES.values() for name, value in values.items()}
EVENT_STREAM = "/api/live"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedBoard]:
    served = serve_every_kind(tmp_path_factory.mktemp("logs"))
    served.write(os.fsdecode(b"caf\xe9"), {"loss": [1.0], "epoch": [0.5]})
    served.poll()
    yield served
    served.context.jobs.close()


def mutations(value: Any) -> Iterator[Any]:
    """Yields a value with each of its parts replaced by each hostile value."""
    yield from HOSTILE
    if isinstance(value, dict):
        for name, part in value.items():
            yield {other: kept for other, kept in value.items() if other != name}
            yield from ({**value, name: changed} for changed in mutations(part))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from ([*value[:i], changed, *value[i + 1 :]] for changed in mutations(part))


def check(response: Response, cpu_secs: float, request: object) -> None:
    assert response.status < 500, (request, response.body)
    assert cpu_secs < BUDGET_CPU_SECS, request


@pytest.mark.parametrize(("path", "body"), BODIES, ids=[f"{path}-{i}" for i, (path, _) in enumerate(BODIES)])
def test_no_changed_body_returns_5xx_or_takes_long(board: ServedBoard, path: str, body: dict[str, Any]) -> None:
    post_mutations(board, path, body)


@pytest.mark.parametrize("path", ADDRESSES)
def test_no_changed_address_returns_5xx_or_takes_long(board: ServedBoard, path: str) -> None:
    get_mutations(board, path, ADDRESSES[path])


def test_no_other_route_returns_5xx_or_takes_long(board: ServedBoard) -> None:
    known = {path for path, _ in BODIES} | ADDRESSES.keys() | {EVENT_STREAM}
    others = [route for route in board.get("/api").json()["routes"] if route["path"] not in known]
    assert others, "GET /api/board is one of them"
    for route in others:
        if route["method"] == "POST":
            post_mutations(board, route["path"], ANY_BODY)
        else:
            get_mutations(board, route["path"], ANY_ADDRESS)


def post_mutations(board: ServedBoard, path: str, body: dict[str, Any]) -> None:
    for changed in mutations(body):
        sent = json.dumps(changed).encode()
        started = time.process_time()
        check(board.post(path, sent), time.process_time() - started, (path, sent[:500]))


def get_mutations(board: ServedBoard, path: str, valid: dict[str, str]) -> None:
    texts = [value for value in HOSTILE if isinstance(value, str) and len(value) < 8000]
    for name in valid:
        for text in (*texts, "-1", "0", "Infinity", "1e5"):
            values = {**valid, name: text}
            sent = "&".join(f"{key}={quote(value, errors='surrogatepass')}" for key, value in values.items())
            started = time.process_time()
            check(board.get(f"{path}?{sent}"), time.process_time() - started, (path, sent[:500]))


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 500_000, b"\xff", b'{"a":"\xed\xa0\x80"}', b'{"a":' + b"1" * 10**6])
def test_body_that_is_not_json_returns_400(board: ServedBoard, body: bytes) -> None:
    for path in ("/api/scalars/charts", "/api/runs/edit", "/api/images/zip"):
        assert board.post(path, body).status == 400


anything = st.recursive(
    st.one_of(st.sampled_from([*HOSTILE, "loss", "step", "wall", "ema", "csv", run_id("a")]), st.text(max_size=8)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
)
chart = st.fixed_dictionaries(
    {"key": st.just("0"), "tags": st.just(["loss"]) | anything},
    optional=dict.fromkeys(("x", "range", "width", "height", "smoothing", "attempts", "max_lines", "y"), anything),
)


words = st.sampled_from(
    [
        *("(", ")", "<", ">", "=", "!", "~", ",", "`", '"', "'", "/", "\\", "and", "or", "not", "in", "exists", " "),
        *("lr", "model", "last(loss)", "at(loss, 1)", "1e-3", "7d ago", "/(a*)*$/", "(?i)x", "nan", "\0", "é"),
    ]
)
queries = st.lists(words | st.text(max_size=4), max_size=40).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(text=queries, caret=st.integers(-1, 200))
def test_random_queries_never_return_5xx(board: ServedBoard, text: str, caret: int) -> None:
    answer = board.post("/api/query", {"query": text}).json()
    problem = answer["problem"]
    assert (answer["runs"] is None) == (problem is not None)
    assert problem is None or 0 <= problem["start"] <= problem["end"] <= len(text)
    for lacked in answer["lacking"]:
        assert set(board.post("/api/query", {"query": lacked["including"]}).json()["runs"]) >= set(answer["runs"])
    assert board.post("/api/query/complete", {"query": text, "caret": caret}).status in (200, 400)
    assert board.post("/api/groups", {"by": text}).status == 200
    assert board.post("/api/facts", {"fields": [text]}).status == 200


@pytest.mark.parametrize(
    "text", ["(" * 1000 + "lr", "x" * 500_000, "not " * 400 + "lr = 1", "run ~ /((a{1,100}){1,100}){1,100}/"]
)
def test_hostile_queries_are_refused_at_once(board: ServedBoard, text: str) -> None:
    started = time.process_time()
    assert board.post("/api/query", {"query": text}).json()["problem"] is not None
    assert board.post("/api/groups", {"by": text}).json()["problem"] is not None
    assert board.post("/api/query/complete", {"query": text, "caret": len(text)}).status == 200
    assert time.process_time() - started < BUDGET_CPU_SECS


@settings(max_examples=60, deadline=None)
@given(request=st.fixed_dictionaries({"charts": st.lists(chart, max_size=3)}, optional={"runs": anything}))
def test_random_charts_never_return_5xx(board: ServedBoard, request: dict[str, Any]) -> None:
    assert board.post("/api/scalars/charts", json.dumps(request).encode()).status < 500
