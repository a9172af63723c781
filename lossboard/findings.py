"""Finding: a reported problem with its location, evidence, reason and advice.

The data checks and the training loop report findings, and a run keeps its own in `findings.jsonl`, one JSON object a
line. This module has no dependencies, so any part of Lossboard can read them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

# error: the result is lost or meaningless. warning: the result is worse than it could be. note: good to know.
Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

Evidence = Mapping[str, float | int | str]

MAX_FILE_BYTES = 4 << 20
"""What is read of a `findings.jsonl`. It may come from others, and must not fill the memory."""
_MAX_FINDINGS = 10_000
_MAX_STEP = 2**63 - 1


@dataclass(frozen=True)
class Location:
    """Where a finding applies: in runs, at steps of a tag, or in rows of a data file. Every part is optional."""

    runs: tuple[str, ...] = ()
    tag: str = ""
    first_step: int | None = None
    last_step: int | None = None
    rows: tuple[str, ...] = ()  # as a person finds them: `reviews.csv, line 17`


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One reported problem. `message` says what was found, `why` why it matters, `advice` what to try."""

    code: str
    severity: Severity
    message: str
    why: str = ""
    advice: str = ""
    evidence: Evidence = field(default_factory=dict)
    location: Location = Location()

    @property
    def key(self) -> str:
        """Identifies it among the findings of a run while the run grows: its steps may still move."""
        return f"{self.code} {self.location.tag}".rstrip()

    def __str__(self) -> str:
        step = self.location.first_step
        at = "" if step is None else f" at step {step}"
        return f"{self.code}{at}: {self.message} {self.advice}".rstrip()

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON form. The location is flat, and its unknown parts are left out."""
        where = self.location
        parts = {
            "run": where.runs[0] if len(where.runs) == 1 else None,
            "runs": list(where.runs) if len(where.runs) > 1 else None,
            "code": self.code,
            "severity": self.severity,
            "tag": where.tag or None,
            "first_step": where.first_step,
            "last_step": where.last_step,
            "what": self.message,
            "evidence": {name: _json_number(value) for name, value in self.evidence.items()},
            "why": self.why,
            "advice": self.advice,
            "places": list(where.rows) or None,
        }
        return {name: value for name, value in parts.items() if value is not None}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Finding:
        """Reads the JSON form, also that of early runs, which had `step` and no severity."""
        step = value.get("step")
        runs = value.get("runs") or ([value["run"]] if value.get("run") else [])
        severity = value.get("severity", "warning")
        if severity not in SEVERITIES:
            raise ValueError(f"Expected the severity to be one of {', '.join(SEVERITIES)}.")
        return cls(
            code=_text(value["code"]),
            severity=severity,
            message=_text(value.get("what", "")),
            why=_text(value.get("why", "")),
            advice=_text(value.get("advice", "")),
            evidence={_text(name): _number_or_text(one) for name, one in value.get("evidence", {}).items()},
            location=Location(
                runs=tuple(map(_text, runs)),
                tag=_text(value.get("tag", "")),
                first_step=_step(value.get("first_step", step)),
                last_step=_step(value.get("last_step", step)),
                rows=tuple(map(_text, value.get("places", ()))),
            ),
        )


def read_findings(file: Path) -> list[Finding]:
    """Returns the findings in a `findings.jsonl`; none if the file is missing.

    A line that is not a finding is skipped: a killed process may leave half a line.
    """
    try:
        with file.open("rb") as opened:
            return parse_findings(opened.read(MAX_FILE_BYTES))
    except FileNotFoundError:
        return []


def parse_findings(data: bytes) -> list[Finding]:
    """Returns the first findings of a file. A hostile one may have hundreds of thousands."""
    findings: list[Finding] = []
    for line in data.decode(errors="replace").splitlines():
        try:
            findings.append(Finding.from_json(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if len(findings) == _MAX_FINDINGS:
            break
    return findings


def append_finding(file: Path, finding: Finding) -> None:
    """Appends one line to a `findings.jsonl`."""
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(finding.to_json(), ensure_ascii=False) + "\n")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"Expected text, not {type(value).__name__}.")
    return value.encode(errors="replace").decode()  # JSON can escape half of a surrogate pair


def _step(value: object) -> int | None:
    if value is None or (type(value) is int and abs(value) <= _MAX_STEP):
        return value
    raise ValueError("Expected a step to be an integer of 64 bits.")


def _number_or_text(value: object) -> float | int | str:
    return value if isinstance(value, int | float) else _text(value)


def _json_number(value: float | int | str) -> float | int | str:
    """Returns a value that JSON can hold: `nan` and `inf` as text."""
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value
