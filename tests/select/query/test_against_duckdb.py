"""Random queries select the same runs as SQL over the same facts, run by DuckDB."""

from __future__ import annotations

import math
import random
from pathlib import Path

import duckdb
import pytest

from lossboard.export.facts_table import FactsTable
from lossboard.select.facts.columns import Column
from lossboard.select.facts.table import FactTable
from lossboard.select.query.names import resolve
from lossboard.select.query.parser import parse
from lossboard.select.query.run_query import run_query
from lossboard.select.query.syntax import And, Compare, Exists, Matches, Node, Not, OneOf, Or, Value, Words
from sweep import table_of, write_run

QUERIES = 400


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> FactTable:
    logdir: Path = tmp_path_factory.mktemp("duckdb")
    rng = random.Random(0)
    for number in range(60):
        config = {
            "lr": rng.choice([1e-5, 1e-4, 1e-3]),
            "model": rng.choice(["bert", "cnn", "Bert-large"]),
            "amp": rng.random() < 0.5,
            "dropout": rng.choice([0.0, 0.1, 0.5]),
        }
        some = {name: value for name, value in config.items() if rng.random() < 0.8}
        losses = [rng.choice([0.5, 1.0, 2.0, math.nan]) for _ in range(rng.randrange(4))]
        write_run(logdir / f"run-{number}", some, loss=losses, acc=[rng.random()])
    return table_of(logdir)


def condition(rng: random.Random, depth: int = 0) -> str:
    """Returns a random query."""
    choice = rng.random()
    if depth < 4 and choice < 0.25:
        return f"({condition(rng, depth + 1)} {rng.choice(['and', 'or', ''])} {condition(rng, depth + 1)})"
    if depth < 4 and choice < 0.4:
        return f"not {condition(rng, depth + 1)}"
    number = rng.choice(["0", "1e-4", "0.5", "1", "2", "-3.5e2"])
    symbol = rng.choice(["=", "!=", "<", "<=", ">", ">="])
    text = rng.choice(["bert", "cnn", "zzz", '"Bert-large"'])
    field = rng.choice(["lr", "dropout", "last(loss)", "min(loss)", "mean(loss)", "count(loss)", "argmax(acc)", "acc"])
    return rng.choice(
        [
            f"{field} {symbol} {number}",
            f"{field} {symbol} {number}",
            f"{field} {rng.choice(['in', 'not in'])} ({number}, 2, 0.5)",
            f"model {symbol} {text}",
            f"model {rng.choice(['in', 'not in'])} ({text}, cnn)",
            f"model {rng.choice(['~', '!~'])} /{rng.choice(['^b', 'er?t', 'n{2}', '[A-Z]'])}/",
            f"amp {rng.choice(['=', '!='])} {rng.choice(['true', 'false'])}",
            f"exists {rng.choice([field, 'model', 'amp'])}",
            f"run-{rng.randrange(10)}",
        ]
    )


def to_sql(node: Node, table: FactTable) -> str:
    def column(name: object) -> tuple[str, bool]:
        field = resolve(name, table)  # type: ignore[arg-type]
        found = table.column(field)
        return '"' + str(field) + '"', isinstance(found, Column) and found.type == "number"

    def comparable(name: object) -> str:
        # DuckDB holds NaN to be equal to itself and larger than all numbers.
        quoted, is_number = column(name)
        return f"nullif({quoted}, 'nan'::double)" if is_number else quoted

    def literal(value: Value) -> str:
        return value.text if not value.quoted and value.text[0] in "-0123456789tf" else f"'{value.text}'"

    match node:
        case And(parts):
            return "(" + " and ".join(to_sql(part, table) for part in parts) + ")"
        case Or(parts):
            return "(" + " or ".join(to_sql(part, table) for part in parts) + ")"
        case Not(inner):
            return f"(not {to_sql(inner, table)})"
        case Exists(name):
            return f"({column(name)[0]} is not null)"
        case Words(words):
            return "(" + " and ".join(f"contains(lower(run), '{word}')" for word in words) + ")"
        case Matches(name, pattern, negated):
            return f"({'not ' if negated else ''}regexp_matches({column(name)[0]}, '{pattern.text}'))"
        case Compare(name, symbol, value):
            return f"({comparable(name)} {symbol} {literal(value)})"
        case OneOf(name, values, negated):
            return f"({comparable(name)} {'not ' if negated else ''}in ({', '.join(map(literal, values))}))"
    raise AssertionError(node)


def test_random_queries_select_the_same_runs_as_sql(table: FactTable) -> None:
    rng = random.Random(1)
    facts = FactsTable({str(field): table.column(field) for field in table.fields()}, run_query(table, "").rows)
    with duckdb.connect() as connection:
        connection.register("facts", facts)
        connection.execute("create table runs as select * from facts")
        for _ in range(QUERIES):
            query = condition(rng) + " and (exists run)"  # never a plain filter
            node = parse(query)
            assert node is not None
            rows = connection.execute(f"select run from runs where {to_sql(node, table)}").fetchall()
            assert {run.name for run in run_query(table, query).runs} == {row[0] for row in rows}, query
