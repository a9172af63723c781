"""Findings of runs: in the index, in the export, over HTTP, live, and deleted with their run."""

import json
from pathlib import Path
from typing import Any

import pytest

import lossboard
from board_client import ServedBoard
from lossboard.export.jsonl import JsonlExporter
from lossboard.findings import Finding, Location, Severity, append_finding
from lossboard.select.series import SeriesSelection
from lossboard.server.live import _tags_by_kind
from lossboard.store.run_ids import run_id

KIT_RUN = "2026-01-02_001/logs/tensorboard"


def report(folder: Path, code: str, severity: Severity, step: int | None = None, **evidence: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    finding = Finding(
        code=code, severity=severity, message=f"{code}.", evidence=evidence, location=Location(first_step=step)
    )
    append_finding(folder / "findings.jsonl", finding)


@pytest.fixture
def board(tmp_path: Path) -> ServedBoard:
    """A healthy run, a run with its findings next to its event files, and a run of the fine-tuning kit."""
    served = ServedBoard(tmp_path)
    for run in ("healthy", "plain", KIT_RUN):
        served.write(run, {"loss": [4.0, 3.0]})
    report(tmp_path / "plain", "memory", "note")
    report(tmp_path / "2026-01-02_001", "not-finite", "warning", 7, loss=float("nan"))
    report(tmp_path / "2026-01-02_001", "diverged", "error", 9)
    served.poll()
    return served


def marks(board: ServedBoard) -> dict[str, Any]:
    return {run["name"]: run.get("findings") for run in board.get("/api/board").json()["runs"]}


def test_runs_are_marked_with_the_worst_severity(board: ServedBoard) -> None:
    assert marks(board) == {
        "healthy": None,
        "plain": {"count": 1, "severity": "note"},
        KIT_RUN: {"count": 2, "severity": "error"},
    }
    assert board.get("/api/board").json()["kinds"] == {"scalars": 1, "findings": 3}


def test_list_has_the_findings_of_the_selected_runs_worst_first(board: ServedBoard) -> None:
    selected = {"runs": {"only": [run_id(KIT_RUN), run_id("healthy")]}}
    found = board.post("/api/findings/list", selected).json()["findings"]
    assert [(one["run"], one["code"], one["first_step"]) for one in found] == [
        (run_id(KIT_RUN), "diverged", 9),
        (run_id(KIT_RUN), "not-finite", 7),
    ]
    assert found[1]["evidence"] == {"loss": "nan"}


def test_new_findings_are_pushed(board: ServedBoard, tmp_path: Path) -> None:
    report(tmp_path / "healthy", "not-learning", "warning", 20)
    report(tmp_path / "2026-01-02_001", "interrupted", "note", 10)
    grown = {run: _tags_by_kind(series) for run, series in board.logdir.poll().grown.items()}
    assert grown["healthy"] == {"findings": ["not-learning"]}
    assert "interrupted" in grown[KIT_RUN]["findings"]
    assert marks(board)["healthy"] == {"count": 1, "severity": "warning"}
    assert marks(board)[KIT_RUN] == {"count": 3, "severity": "error"}


def test_export_has_a_line_per_finding(board: ServedBoard) -> None:
    exporter = JsonlExporter(SeriesSelection.of())
    lines = [json.loads(line) for run in board.logdir.runs.values() for line in exporter.of_run(run)]
    found = [line for line in lines if line["kind"] == "findings"]
    assert [(line["run"], line["tag"], line["step"], line["finding"]["severity"]) for line in found] == [
        (KIT_RUN, "diverged", 9, "error"),
        (KIT_RUN, "not-finite", 7, "warning"),
        ("plain", "memory", 0, "note"),
    ]


def test_python_api_returns_the_findings_of_all_runs(board: ServedBoard, tmp_path: Path) -> None:
    found = [(one.run, one.step, one.finding.code) for one in lossboard.open(tmp_path).findings()]
    assert found == [(KIT_RUN, 9, "diverged"), (KIT_RUN, 7, "not-finite"), ("plain", 0, "memory")]


def test_deleted_run_of_the_kit_moves_and_restores_its_findings(board: ServedBoard, tmp_path: Path) -> None:
    undo = board.post("/api/runs/delete", {"ids": [run_id(KIT_RUN)]}).json()["undo"]
    board.poll()
    assert list(marks(board)) == ["healthy", "plain"] and not (tmp_path / "2026-01-02_001/findings.jsonl").exists()
    board.post("/api/runs/undelete", {"undo": undo})
    board.poll()
    assert marks(board)[KIT_RUN] == {"count": 2, "severity": "error"}


def test_findings_above_a_linked_folder_of_logs_are_read_in_the_logdir(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "logdir" / "run"
    ServedBoard(outside).write("logs/tensorboard", {"loss": [1.0]})
    report(outside, "secret", "error")
    inside.mkdir(parents=True)
    (inside / "logs").symlink_to(outside / "logs")
    report(inside, "memory", "note")
    assert [one.finding.code for one in lossboard.open(tmp_path / "logdir").findings()] == ["memory"]


def test_folder_with_only_findings_is_a_run(tmp_path: Path) -> None:
    report(tmp_path / "refused", "refused", "error", 0)
    assert list(lossboard.open(tmp_path).runs) == ["refused"]


def test_list_has_what_the_doctor_finds_too(board: ServedBoard) -> None:
    board.write("broken", {"loss": [1.0, 0.5, float("nan")]})
    board.poll()
    selected = {"runs": {"only": [run_id("broken"), run_id("plain")]}}
    found = board.post("/api/findings/list", selected).json()["findings"]
    assert [(one["run"], one["code"]) for one in found if one["run"] == run_id("broken")] == [
        (run_id("broken"), "non-finite")
    ]
    assert len([one for one in found if one["run"] == run_id("plain")]) == 1


def test_error_in_the_settings_of_the_doctor_does_not_stop_the_board(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "lossboard.toml").write_text("[doctor]\nsilence = 1")
    served = ServedBoard(tmp_path)
    served.write("broken", {"loss": [1.0, float("nan")]})
    served.poll()
    assert [one["code"] for one in served.post("/api/findings/list", {}).json()["findings"]] == ["non-finite"]
    assert "silence must be a list of codes" in caplog.text
