"""docs/query.md: its examples run, and it lists what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lossboard.select.facts.fields import AGGREGATES, RUN_FACTS
from lossboard.select.facts.table import FactTable
from lossboard.select.query.run_query import run_query

PAGE = (Path(__file__).parents[3] / "docs" / "query.md").read_text("utf-8")
EXAMPLES = PAGE.partition("## Examples\n")[2].partition("\n## ")[0]
QUERIES = [
    found[1].strip().replace("\\|", "|")
    for found in re.finditer(r"^\| `{1,2} ?(.+?) ?`{1,2} \|", EXAMPLES, re.MULTILINE)
]
EMPTY = {"start >= 2026-02-10 and start < 2026-03", "size > 100MB or corrupt_records > 0"}


def test_the_page_has_examples() -> None:
    assert len(QUERIES) == EXAMPLES.count("\n| `") >= 20


@pytest.mark.parametrize("query", QUERIES)
def test_examples_select_some_runs(table: FactTable, query: str) -> None:
    found = run_query(table, query).runs
    assert found or query in EMPTY


def test_every_fact_and_aggregate_is_documented() -> None:
    facts = PAGE.partition("### Facts that every run has")[2].partition("\n### ")[0]
    assert [name for name, (type, _) in RUN_FACTS.items() if f"| `{name}` | {type} |" not in facts] == []
    assert [name for name in AGGREGATES if f"`{name}(tag" not in PAGE] == []
