"""Limits of requests: one that is too large is rejected before it starts to work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from board_client import Response, ServedBoard
from every_kind import A, serve_every_kind

CARD = {"run": A, "tag": "weights"}
TEXT = {"run": A, "tag": "note/text_summary", "step": 0}


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedBoard]:
    served = serve_every_kind(tmp_path_factory.mktemp("logs"))
    yield served
    served.context.jobs.close()


def set_limit(monkeypatch: pytest.MonkeyPatch, name: str, limit: int) -> None:
    monkeypatch.setattr(f"lossboard.kinds.{name}", limit)


@pytest.mark.parametrize(
    ("limit", "path", "body", "size"),
    [
        ("histograms.api.MAX_STEPS", "histograms/cards", {"cards": [CARD]}, 3),
        ("histograms.api.MAX_RESPONSE_BYTES", "histograms/cards", {"cards": [CARD], "rows": 10, "columns": 2}, 80),
        ("histograms.api._MAX_BUCKETS", "histograms/cards", {"cards": [CARD]}, None),
        ("media.MAX_LISTED_STEPS", "images/series", {}, 3),
        ("text.api._MAX_CHARACTERS", "text/texts", {"texts": [TEXT, TEXT]}, 24),
        ("scalars.budget._MAX_LISTED_LINES", "scalars/at", {"charts": [{"tags": ["loss"]}], "x": 0}, 3),
        ("scalars.budget._MAX_LISTED_LINES", "scalars/extremes", {"charts": [{"tags": ["loss"]}]}, 3),
    ],
)
def test_request_above_a_limit_is_rejected(
    board: ServedBoard, monkeypatch: pytest.MonkeyPatch, limit: str, path: str, body: dict[str, Any], size: int | None
) -> None:
    def post(maximum: int, cursor: str) -> Response:
        set_limit(monkeypatch, limit, maximum)
        return board.post(f"/api/{path}", {**body, "not cached": cursor})

    if size is not None:
        assert post(size, "at the limit").status == 200
    rejected = post(1 if size is None else size - 1, "above it")
    assert rejected.status == 400
    assert "more than the limit of" in rejected.json()["error"]["message"]


def test_range_of_steps_counts_only_its_own(board: ServedBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "histograms.api.MAX_STEPS", 1)
    head, _ = board.post("/api/histograms/cards", {"cards": [CARD], "range": [1, 1]}).frames()
    assert head["cards"][0]["steps"] == 1


def test_search_says_that_it_did_not_search_everything(board: ServedBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    assert board.post("/api/text/search", {"words": "words"}).json()["cut"] is False
    set_limit(monkeypatch, "text.search._MAX_CHARACTERS", 1)
    found = board.post("/api/text/search", {"words": "WORDS"}).json()
    assert (len(found["hits"]), found["cut"]) == (1, True)


def test_search_finds_a_text_across_two_parts(board: ServedBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "text.search._PART_CHARS", 7)  # "some *w" "ords*"
    hits = board.post("/api/text/search", {"words": "*words*"}).json()["hits"]
    assert [hit["excerpt"] for hit in hits] == ["some *words*"] * 3
