"""Completion: what is suggested at the caret."""

from __future__ import annotations

import pytest

from lossboard.select.facts.table import FactTable
from lossboard.select.query.complete import complete
from lossboard.select.query.run_query import run_query


def texts(table: FactTable, query: str) -> list[str]:
    return [completion.text for completion in complete(table, query, len(query))]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("mod", ["model"]),
        ("model ", ["=", "!=", "~", "in (", "and", "or"]),
        ("seed ", ["<", "<=", ">", ">=", "=", "!=", "and", "or"]),
        ("amp ", ["=", "!="]),
        ("model = ", ["cnn", "bert-base", "bert-large"]),
        ("model = b", ["bert-base", "bert-large"]),
        ("model in (", ["cnn"]),
        ("model not in (cnn, ", ["cnn"]),
        ("amp = ", ["false", "true"]),
        ("tags = ", ["baseline", "paper"]),
        ("run = no", ['"no config"']),
        ("run.state = ", ["finished"]),
        ("start > ", ["today", "yesterday", "7d ago"]),
        ("last(", ["eval/acc", "eval/loss", "`odd tag (x)`", "train/loss"]),
        ("last(tr", ["train/loss"]),
        ("last(train/loss) ", ["<"]),
        ("seed = 1 ", ["and", "or"]),
        ("seed = 1 and dro", ["dropout"]),
        ("exists o", ["optim.lr", "optim.name"]),
        ("not dro", ["dropout"]),
        ("(dro", ["dropout"]),
        ("lr", ["optim.lr"]),
        ("hp.st", ["hp.state"]),
        ('model = "b', []),
        ("model ~ /b", []),
        ("nothing = ", []),
    ],
)
def test_suggestions(table: FactTable, query: str, first: list[str]) -> None:
    found = texts(table, query)
    assert found[: len(first)] == first
    assert bool(found) == bool(first)


def test_suggestion_replaces_the_typed_text(table: FactTable) -> None:
    query = "seed = 1 and mo = cnn"
    completion = next(one for one in complete(table, query, 15) if one.text == "model")
    assert (completion.start, completion.end) == (13, 15)
    completed = query[: completion.start] + completion.text + query[completion.end :]
    assert run_query(table, completed).runs


def test_every_suggested_name_can_be_queried(table: FactTable) -> None:
    for completion in complete(table, "", 0):
        if completion.kind in ("name", "metric"):
            run_query(table, f"exists {completion.text}")
