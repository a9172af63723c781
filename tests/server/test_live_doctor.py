"""The doctor on a board: marks of runs, dismissed findings, what was read, and what could not be judged."""

import asyncio
import json
import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import lossboard
from board_client import ServedBoard
from lossboard.doctor.rules import RULES
from lossboard.server import live_doctor
from lossboard.server.live import ChangeSet
from lossboard.store.run_ids import run_id

HEALTHY = [4.0, 3.0, 2.0]
BROKEN = [4.0, 3.0, math.nan]
NAN = "non-finite loss"


@pytest.fixture
def board(tmp_path: Path) -> ServedBoard:
    served = ServedBoard(tmp_path)
    served.write("healthy", {"loss": HEALTHY})
    served.write("broken", {"loss": BROKEN})
    served.poll()
    return served


def judged(board: ServedBoard) -> ChangeSet | None:
    """Returns what a page is told while the doctor judges."""

    async def listen() -> ChangeSet | None:
        with board.follower.subscribe() as page:
            await asyncio.to_thread(board.board.live_doctor.judge)
            return await page.next(0.05)

    return asyncio.run(listen())


def wait_for(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.005)


def marks(board: ServedBoard) -> dict[str, object]:
    return {run["name"]: run.get("findings") for run in board.get("/api/board").json()["runs"]}


def listed(board: ServedBoard, **params: object) -> dict[str, list[dict[str, object]]]:
    return board.post("/api/findings/list", params).json()


def test_runs_with_findings_are_marked_and_pages_are_told_once(board: ServedBoard) -> None:
    assert marks(board) == {"broken": None, "healthy": None}
    assert board.get("/api/board").json()["judged"] == -1
    told = judged(board)
    described = board.get("/api/board").json()
    assert described["judged"] == described["cursor"]
    assert told is not None and set(told.grown) == {"broken"} and not told.runs
    assert marks(board) == {"broken": {"count": 1, "severity": "error"}, "healthy": None}
    assert judged(board) is None


def test_marks_follow_runs_that_grow_and_go(board: ServedBoard) -> None:
    judged(board)
    board.write("healthy", {"loss": [math.inf]}, first_step=3)
    board.poll()
    told = judged(board)
    assert told is not None and set(told.grown) == {"healthy"}
    board.post("/api/runs/delete", {"ids": [run_id("broken")]})
    board.poll()
    judged(board)
    assert marks(board) == {"healthy": {"count": 1, "severity": "error"}}
    assert board.board.live_doctor.findings_of("broken") == ()


def test_marks_count_what_training_reported_as_well(board: ServedBoard, tmp_path: Path) -> None:
    report = {"code": "oom", "severity": "warning", "what": "Memory ran out."}
    (tmp_path / "broken" / "findings.jsonl").write_text(json.dumps(report))
    board.poll()
    judged(board)
    assert marks(board)["broken"] == {"count": 2, "severity": "error"}


def test_dismissed_finding_is_not_counted_and_stays_in_the_list(board: ServedBoard, tmp_path: Path) -> None:
    judged(board)
    (row,) = listed(board)["findings"]
    assert (row["key"], row["title"], row["curves"]) == (
        NAN,
        "NaN or infinite values",
        [{"run": run_id("broken"), "tag": "loss"}],
    )
    board.post("/api/runs/edit", {"ids": [run_id("broken")], "set": {"dismissed": [NAN]}})
    assert marks(board)["broken"] is None
    assert [one["key"] for one in listed(board)["findings"]] == [NAN]
    assert lossboard.diagnose(tmp_path) == []
    board.post("/api/runs/edit", {"ids": [run_id("broken")], "set": {"dismissed": None}})
    assert marks(board)["broken"] == {"count": 1, "severity": "error"}
    assert [one.key for one in lossboard.diagnose(tmp_path)] == [NAN]


def test_dismissed_finding_of_another_tag_is_reported(board: ServedBoard) -> None:
    board.post("/api/runs/edit", {"ids": [run_id("broken")], "set": {"dismissed": ["non-finite other"]}})
    judged(board)
    assert marks(board)["broken"] == {"count": 1, "severity": "error"}


def test_list_says_what_could_not_be_judged(board: ServedBoard) -> None:
    board.write("full", {"train/loss": HEALTHY, "val/loss": HEALTHY, "grad_norm": HEALTHY})
    board.poll()
    document = listed(board)
    assert document["trainings"] == 3
    unjudged = {one["role"]: one for one in document["unjudged"]}
    assert set(unjudged) == {"val_loss", "gradient_norm"}
    assert unjudged["val_loss"]["trainings"] == 2 and "overfitting" in unjudged["val_loss"]["codes"]
    assert unjudged["val_loss"]["snippet"] == 'log.add_scalar("val/loss", loss, step)'
    assert listed(board, runs={"only": [run_id("full")]})["unjudged"] == []


def test_roles_name_the_series_of_all_runs_of_a_training(board: ServedBoard) -> None:
    board.write("keras/train", {"epoch_loss": HEALTHY})
    board.write("keras/validation", {"epoch_loss": HEALTHY})
    board.poll()
    roles = board.post("/api/findings/roles", {"run": run_id("keras/validation")}).json()["roles"]
    assert {one["role"]: one["curves"] for one in roles} == {
        "train_loss": [{"run": run_id("keras/train"), "tag": "epoch_loss"}],
        "val_loss": [{"run": run_id("keras/validation"), "tag": "epoch_loss"}],
    }
    assert board.post("/api/findings/roles", {"run": "none"}).status == 404


def test_runs_that_grow_are_judged_only_while_a_page_is_open(
    board: ServedBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_doctor, "_PAUSE_SECS", 0.01)
    judged_cursors: list[int] = []
    watched = threading.Event()

    class Follower(type(board.follower)):
        @property
        def is_watched(self) -> bool:
            judged_cursors.append(board.board.live_doctor.judged_cursor)
            return watched.is_set()

    board.follower.__class__ = Follower
    board.board.live_doctor.start()
    try:
        wait_for(lambda: len(judged_cursors) > 1)
        first = judged_cursors[-1]
        board.write("healthy", {"loss": [1.0]}, first_step=3)
        board.poll()
        seen = len(judged_cursors)
        wait_for(lambda: len(judged_cursors) > seen + 3)
        assert set(judged_cursors) == {first} and first < board.logdir.cursor
        watched.set()
        wait_for(lambda: board.board.live_doctor.judged_cursor == board.logdir.cursor)
    finally:
        board.board.live_doctor.stop()


def test_failing_rule_is_logged_and_the_thread_goes_on(
    board: ServedBoard, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(live_doctor, "_PAUSE_AFTER_FAILURE_SECS", 0)
    check = RULES["non-finite"].check

    def fail_once(*_: object) -> None:
        object.__setattr__(RULES["non-finite"], "check", check)
        raise ZeroDivisionError("planted")

    object.__setattr__(RULES["non-finite"], "check", fail_once)

    async def listen() -> ChangeSet | None:
        with board.follower.subscribe() as page:
            board.board.live_doctor.start()
            return await page.next(60)

    try:
        told = asyncio.run(listen())
    finally:
        object.__setattr__(RULES["non-finite"], "check", check)
        board.board.live_doctor.stop()
    assert told is not None and "broken" in told.grown
    assert "The doctor failed" in caplog.text and "planted" in caplog.text


def test_reported_finding_without_a_series_is_shown_with_the_training_loss(board: ServedBoard, tmp_path: Path) -> None:
    reports = [{"code": "oom", "step": 2}, {"code": "refused"}, {"code": "spike", "tag": "lost", "step": 1}]
    (tmp_path / "healthy" / "findings.jsonl").write_text("\n".join(map(json.dumps, reports)))
    board.poll()
    curves = {one["code"]: one["curves"] for one in listed(board)["findings"] if one["run"] == run_id("healthy")}
    assert curves == {"oom": [{"run": run_id("healthy"), "tag": "loss"}], "refused": [], "spike": []}
