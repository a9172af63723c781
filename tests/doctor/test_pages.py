"""The pages in docs/doctor are those that the rules generate, and docs/doctor.md lists them all."""

from pathlib import Path

import pytest

from lossboard.doctor.pages import page
from lossboard.doctor.roles import ROLES
from lossboard.doctor.rules import RULES

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.mark.parametrize("code", RULES)
def test_page_is_the_generated_one(code: str) -> None:
    assert (DOCS / "doctor" / f"{code}.md").read_text("utf-8") == page(RULES[code]), (
        "Run: python -m lossboard.doctor.pages docs/doctor"
    )


def test_every_code_has_a_page_and_a_row() -> None:
    assert sorted(path.stem for path in (DOCS / "doctor").iterdir()) == sorted(RULES)
    text = (DOCS / "doctor.md").read_text("utf-8")
    rows = [f"| [`{rule.code}`](doctor/{rule.code}.md) | {rule.severity} | {rule.title} |" for rule in RULES.values()]
    assert [row for row in rows if row not in text] == []
    assert [role for role in ROLES if f"`{role}`" not in text] == []


def test_every_rule_needs_known_roles() -> None:
    assert {role for rule in RULES.values() for role in rule.needs} <= ROLES.keys()
