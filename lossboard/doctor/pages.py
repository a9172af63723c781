"""Pages of the docs about each code, generated from the rules: `python -m lossboard.doctor.pages docs/doctor`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lossboard.doctor.roles import ROLES
from lossboard.doctor.rules import RULES

if TYPE_CHECKING:
    from lossboard.doctor.rule import Rule


def page(rule: Rule) -> str:
    """Returns the page of a code as Markdown."""
    parts = [f"# {rule.title}: `{rule.code}`", f"Severity: {rule.severity}.", "## What is reported", rule.detects]
    parts += ["## What is not", rule.quiet, "## Why it matters", rule.why, "## What to try", rule.advice]
    parts += ["## What must be logged", _needs(rule)]
    if rule.thresholds:
        rows = [f"| `{name}` | {one.value:g} | {one.reason} |" for name, one in rule.thresholds.items()]
        parts += [
            "## Thresholds",
            f"[`lossboard.toml`](../doctor.md#settings) changes them, under `[doctor.thresholds.{rule.code}]`.",
            "\n".join(["| name | value | reason |", "|---|---|---|", *rows]),
        ]
    return "\n\n".join(parts) + "\n"


def _needs(rule: Rule) -> str:
    if not rule.needs:
        return "Nothing in particular."
    return "\n".join(f"* {role.replace('_', ' ')}, for example `{ROLES[role]}`" for role in rule.needs)


def write_pages(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for rule in RULES.values():
        (folder / f"{rule.code}.md").write_text(page(rule), encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
