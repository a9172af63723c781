"""What is wrong with training data, found before it costs a training run."""

from collections.abc import Sequence

# Importing a module of checks registers them.
from lossboard.train.data.checks import labels, texts, tokens  # noqa: F401
from lossboard.train.data.checks.base import CHECKS, SEVERITIES, Check, Finding, Observation, Severity
from lossboard.train.data.checks.context import CheckContext
from lossboard.train.data.examples import TextData

__all__ = ["CHECKS", "Check", "Finding", "Observation", "Severity", "markdown_report", "run_checks"]


def run_checks(context: CheckContext) -> list[Finding]:
    """What all checks found, the worst first."""
    seen = [(each, each.run(context)) for each in CHECKS]
    findings = [Finding(c.code, s.severity, s.what, c.why, c.advice, s.places) for c, s in seen if s is not None]
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def markdown_report(data: TextData, findings: Sequence[Finding]) -> str:
    """The data report that a run logs as text."""
    lines = ["### Data", *(f"- {note}" for note in data.notes), "", "### Checks"]
    for f in findings:
        lines += [f"- **{f.severity} {f.code}**: {f.what} {f.advice}", *(f"    - {place}" for place in f.places)]
    lines += [] if findings else ["- nothing found"]
    return "\n".join(lines)
