import json
from pathlib import Path

import pytest

from lossboard.findings import MAX_FILE_BYTES, Finding, Location, append_finding, read_findings

FULL = Finding(
    code="spike",
    severity="warning",
    message="The loss rose from 1 to 9.",
    why="The optimizer may not recover.",
    advice="Lower the learning rate.",
    evidence={"before": 1.0, "after": 9.0, "file": "a.json"},
    location=Location(runs=("a",), tag="train/loss", first_step=3, last_step=5, rows=("x.csv, line 2",)),
)


def test_json_form_has_the_documented_fields() -> None:
    assert FULL.to_json() == {
        "run": "a",
        "code": "spike",
        "severity": "warning",
        "tag": "train/loss",
        "first_step": 3,
        "last_step": 5,
        "what": "The loss rose from 1 to 9.",
        "evidence": {"before": 1.0, "after": 9.0, "file": "a.json"},
        "why": "The optimizer may not recover.",
        "advice": "Lower the learning rate.",
        "places": ["x.csv, line 2"],
    }


def test_finding_of_several_runs_lists_them_as_runs() -> None:
    finding = Finding(code="seed-spread", severity="note", message="", location=Location(runs=("a", "b")))
    assert finding.to_json()["runs"] == ["a", "b"] and "run" not in finding.to_json()
    assert Finding.from_json(finding.to_json()) == finding


def test_non_finite_evidence_is_valid_json() -> None:
    finding = Finding(code="not-finite", severity="warning", message="", evidence={"loss": float("nan")})
    assert json.loads(json.dumps(finding.to_json(), allow_nan=False))["evidence"] == {"loss": "nan"}


def test_appended_findings_read_back(tmp_path: Path) -> None:
    file = tmp_path / "findings.jsonl"
    assert read_findings(file) == []
    plain = Finding(code="memory", severity="note", message="m")
    append_finding(file, FULL)
    append_finding(file, plain)
    assert read_findings(file) == [FULL, plain]


def test_findings_of_early_runs_read_with_their_step(tmp_path: Path) -> None:
    file = tmp_path / "findings.jsonl"
    file.write_text('{"code": "memory", "step": 7, "what": "It did not fit.", "advice": "Use less."}\n')
    (finding,) = read_findings(file)
    assert str(finding) == "memory at step 7: It did not fit. Use less."
    assert (finding.severity, finding.location.last_step) == ("warning", 7)


@pytest.mark.parametrize(
    "changed",
    [
        {"code": 7},
        {"severity": "fatal"},
        {"what": ["a"]},
        {"first_step": "3"},
        {"first_step": 2**70},
        {"last_step": True},
        {"evidence": [1]},
        {"evidence": {"nested": {}}},
        {"places": [None]},
        {"runs": 5},
    ],
    ids=str,
)
def test_line_with_an_invalid_field_is_skipped(tmp_path: Path, changed: dict[str, object]) -> None:
    file = tmp_path / "findings.jsonl"
    lines = [json.dumps({**FULL.to_json(), **changed}), json.dumps(FULL.to_json())]
    file.write_text("\n".join(lines))
    assert read_findings(file) == [FULL]


def test_deeply_nested_line_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "findings.jsonl"
    file.write_text("[" * 200_000 + "\n" + json.dumps(FULL.to_json()))
    assert read_findings(file) == [FULL]


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "findings.jsonl"
    file.write_text('{"code": "memory", "what": "\\ud800 and more"}')
    assert read_findings(file)[0].message == "? and more"


def test_only_the_start_of_a_huge_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "findings.jsonl"
    append_finding(file, FULL)
    with file.open("a") as out:
        out.truncate(MAX_FILE_BYTES)
        append_finding(file, FULL)
    assert read_findings(file) == [FULL]


def test_half_a_line_after_a_kill_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "findings.jsonl"
    append_finding(file, FULL)
    with file.open("a") as out:
        out.write('{"code": "mem')
    assert read_findings(file) == [FULL]
