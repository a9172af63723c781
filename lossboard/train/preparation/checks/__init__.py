"""Data checks: find problems in training data before training starts. `base.py` says what a check is."""

from collections.abc import Sequence

from lossboard.findings import SEVERITIES, Finding, Location

# Importing a module of checks registers its checks.
from lossboard.train.preparation.checks import labels, numbers, texts, tokens  # noqa: F401
from lossboard.train.preparation.checks.base import CHECKS, Check, Observation
from lossboard.train.preparation.checks.context import CheckContext
from lossboard.train.preparation.examples import TextData

__all__ = ["CHECKS", "Check", "Observation", "markdown_report", "run_checks"]


def run_checks(context: CheckContext) -> list[Finding]:
    """Runs all checks and returns their findings, the most severe first."""
    observed = [(check, check.run(context)) for check in CHECKS]
    findings = [_finding(check, observation) for check, observation in observed if observation is not None]
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def _finding(check: Check, observation: Observation) -> Finding:
    return Finding(
        code=check.code,
        severity=observation.severity,
        message=observation.message,
        why=check.why,
        advice=check.advice,
        evidence=observation.evidence,
        location=Location(rows=observation.locations),
    )


def markdown_report(data: TextData, findings: Sequence[Finding]) -> str:
    """Returns the data report that a run logs as text."""
    lines = ["### Data", *(f"- {note}" for note in data.notes), "", "### Checks"]
    for finding in findings:
        lines.append(f"- **{finding.severity} {finding.code}**: {finding.message} {finding.advice}")
        lines += [f"    - {row}" for row in finding.location.rows]
    lines += [] if findings else ["- no findings"]
    return "\n".join(lines)
