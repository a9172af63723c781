"""Hostile queries: refused, and never a crash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lossboard.select.facts.table import FactTable
from lossboard.select.query.complete import complete
from lossboard.select.query.run_query import run_query
from lossboard.syntax.errors import QueryError

WORDS = (
    "and or not in exists ( ) , = != < <= > >= ~ !~ seed hp.optim.lr model amp width state run.state tags start "
    "duration size last( at( train/loss 'x' /a+/ /(/ 1 -1e-5 nan 2h 10MB 2026-02-10 7d ago true cnn desc"
)
FRAGMENTS = [
    *WORDS.split(),
    *('"text"', "`odd tag (x)`", "`", '"', "\\", "*", "[", "é", "\U0001f680", "\x00", "\ud800", " ", "\n"),
]


def assert_handled(table: FactTable, query: str) -> None:
    """Runs a query and completes it. It may be wrong, but then the error has a place in it."""
    try:
        result = run_query(table, query)
        assert len(result.runs) <= len(table)
    except QueryError as error:
        assert 0 <= error.start <= error.end <= len(query)
        assert error.message and "\n" not in error.message[:1]
        assert error.explain(query)
    for caret in {0, len(query) // 2, len(query)}:
        for completion in complete(table, query, caret):
            assert 0 <= completion.start <= completion.end == caret


@given(parts=st.lists(st.sampled_from(FRAGMENTS), max_size=30), separator=st.sampled_from(["", " "]))
def test_any_tokens_give_runs_or_an_error_with_a_place(table: FactTable, parts: list[str], separator: str) -> None:
    assert_handled(table, separator.join(parts))


@given(query=st.text(max_size=200))
def test_any_text_gives_runs_or_an_error_with_a_place(table: FactTable, query: str) -> None:
    assert_handled(table, query)


@pytest.mark.parametrize(
    "query",
    [
        "x" * 1_000_000,
        "(" * 1_000_000,
        "(" * 1000 + "seed = 1" + ")" * 1000,
        "not " * 500 + "seed = 1",
        "run ~ /((a?){30}){30}/",
        "run ~ /(.?){500}z/",
        "run ~ /(x{1000}){1000}/",
    ],
    ids=lambda query: query[:20],
)
def test_hostile_queries_are_refused(table: FactTable, query: str) -> None:
    with pytest.raises(QueryError):
        run_query(table, query)
    complete(table, query, len(query))


@pytest.mark.parametrize("pattern", ["(e+)+Q$", "(e|ee)+Q$", "(.*)*Q", "(?:e?){20}e{20}"])
def test_patterns_that_make_others_backtrack_are_run(table: FactTable, pattern: str) -> None:
    assert run_query(table, f"run ~ /{pattern}/").runs == []


def test_long_flat_queries_run(table: FactTable) -> None:
    query = " or ".join(["seed = 2"] * 150)
    assert [run.name for run in run_query(table, query).runs] == ["bert-b"]


def test_deepest_allowed_query_runs(table: FactTable) -> None:
    query = "(" * 63 + "seed = 2" + ")" * 63
    assert [run.name for run in run_query(table, query).runs] == ["bert-b"]
