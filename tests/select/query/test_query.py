"""The query language: which runs a query selects, and which errors it has where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lossboard.select.facts.columns import text_column
from lossboard.select.facts.fields import Field
from lossboard.select.facts.table import FactTable
from lossboard.select.query.evaluate import Evaluation
from lossboard.select.query.parser import parse
from lossboard.select.query.run_query import run_query
from lossboard.syntax.errors import QueryError

ALL = {"bert-a", "bert-b", "cnn/one", "cnn/two", "no config", "empty"}


def names(table: FactTable, query: str) -> set[str]:
    return {run.name for run in run_query(table, query).runs}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ALL),
        ("  ", ALL),
        # comparisons of numbers, texts and booleans
        ("hp.optim.lr < 1e-4", {"bert-b"}),
        ("optim.lr >= 0.001", {"bert-a", "cnn/one", "cnn/two"}),
        ("lr<1e-4", {"bert-b"}),
        ("batch_size = 32 and seed != 1", {"bert-b"}),
        ("batch_size == 32.0 seed = 2", {"bert-b"}),
        ("model = cnn", {"cnn/one", "cnn/two"}),
        ('model = "bert-base"', {"bert-a"}),
        ("model != cnn", {"bert-a", "bert-b"}),
        ("model < c", {"bert-a", "bert-b"}),
        ("amp = true", {"bert-a"}),
        ("amp != true", {"bert-b"}),
        ("`hp.model` = cnn", {"cnn/one", "cnn/two"}),
        # missing values are unknown
        ("dropout > 0.2", {"cnn/one"}),
        ("not dropout > 0.2", {"bert-a"}),
        ("dropout > 0.2 or not dropout > 0.2", {"bert-a", "cnn/one"}),
        ("exists dropout", {"bert-a", "cnn/one"}),
        ("not exists dropout", {"bert-b", "cnn/two", "no config", "empty"}),
        ("dropout > 0.2 or seed = 2", {"cnn/one", "bert-b"}),
        # and, or, not, parentheses
        ("model = cnn or seed = 2 and amp = true", {"cnn/one", "cnn/two"}),
        ("(model = cnn or seed = 2) and not dropout > 0", set()),
        ("NOT model = cnn AND seed IN (1)", {"bert-a"}),
        ("not not seed = 2", {"bert-b"}),
        # in
        ("model in (cnn, bert-base)", {"bert-a", "cnn/one", "cnn/two"}),
        ("seed not in (1, 3)", {"bert-b"}),
        ("not seed in (1)", {"bert-b"}),
        # mixed columns compare only values of the literal's type
        ("width = 64", {"cnn/one"}),
        ("width = wide", {"cnn/two"}),
        ("width != 64", set()),
        ("width != narrow", {"cnn/two"}),
        ("width in (64, wide)", {"cnn/one", "cnn/two"}),
        ("width not in (64, narrow)", {"cnn/two"}),
        # metrics
        ("last(train/loss) < 1", {"bert-b"}),
        ("train/loss < 1", {"bert-b"}),
        ("min(train/loss) = 1", {"bert-a", "no config"}),
        ("max(eval/acc) > 0.92", {"bert-b"}),
        ("acc > 0.9", {"bert-b"}),
        ("argmax(acc) = 1", {"bert-a"}),
        ("count(train/loss) >= 3", {"bert-a", "cnn/two"}),
        ("first(train/loss) = 4", {"cnn/one", "cnn/two"}),
        ("mean(train/loss) = 2", {"bert-a"}),
        ("at(train/loss, 1) = 2", {"bert-a"}),
        ("argmin(train/loss) = 0", {"cnn/one", "no config"}),
        ("last(`odd tag (x)`) = 5", {"no config"}),
        ('last("odd tag (x)") = 5', {"no config"}),
        # NaN is a value that compares with nothing
        ("last(train/loss) = nan", {"cnn/one"}),
        ("last(train/loss) != nan", {"bert-a", "bert-b", "cnn/two", "no config"}),
        ("last(train/loss) > 1", {"cnn/two"}),
        ("not last(train/loss) > 1", {"bert-a", "bert-b", "no config"}),
        ("exists last(train/loss) and not exists eval/acc", {"cnn/one", "cnn/two", "no config"}),
        # facts of every run
        ("run = bert-a", {"bert-a"}),
        ("name = bert-a", {"bert-a"}),
        ("folder = cnn", {"cnn/one", "cnn/two"}),
        ("run.state = finished", ALL),
        ("run.state = finished and exists hp.state", {"cnn/two"}),
        ("tags = paper", {"bert-a"}),
        ("tag in (paper, other)", {"bert-a"}),
        ("tags != paper", ALL - {"bert-a"}),
        ("tags ~ /^base/", {"bert-a"}),
        ("exists tags", {"bert-a"}),
        ("last_step >= 2", {"bert-a", "cnn/two"}),
        ("duration < 1h and size < 10MB", ALL),
        ("duration > 2d", set()),
        ("size > 1", ALL),
        ("corrupt_records = 0", ALL),
        ("start > 7d ago", ALL),
        ("start < 2020-01-01", set()),
        ("start >= 2020-01 or start < 1990-12-31", ALL),
        ("start > yesterday", ALL),
        ("start != 1999-12-31", ALL),
        ("start <= 2020-06-01T12:30", set()),
        # regular expressions
        ("run ~ /^cnn/", {"cnn/one", "cnn/two"}),
        ("run !~ /cnn|bert/", {"no config", "empty"}),
        ("run ~ /cnn\\/o/", {"cnn/one"}),
        ("run ~ /CNN/", set()),
        ("run ~ /CNN/i", {"cnn/one", "cnn/two"}),
        ('model ~ "\\w+-l"', {"bert-b"}),
        ("model ~ large", {"bert-b"}),
        ("model !~ bert", {"cnn/one", "cnn/two"}),
        # words
        ("bert", {"bert-a", "bert-b"}),
        ("one CNN", {"cnn/one"}),
        ("first", {"bert-a"}),
        ("baseline", {"bert-a"}),
        ('"no config"', {"no config"}),
        ("bert seed = 2", {"bert-b"}),
        ("not bert", ALL - {"bert-a", "bert-b"}),
        ("bert or one", {"bert-a", "bert-b", "cnn/one"}),
        ("bert|one", {"bert-a", "bert-b", "cnn/one"}),
        ("^cnn", {"cnn/one", "cnn/two"}),
    ],
)
def test_selected_runs(table: FactTable, query: str, expected: set[str]) -> None:
    assert names(table, query) == expected


@pytest.mark.parametrize(
    ("query", "place", "message", "suggestion"),
    [
        ("modle = cnn", "modle", "No run has a fact called modle.", "model"),
        ("hp.modle = cnn", "hp.modle", "No run has a fact called hp.modle.", "hp.model"),
        ("last(train/los) < 1", "train/los", "No run has logged the scalar train/los.", "train/loss"),
        ("lasst(loss) < 1", "lasst", "Unknown function lasst.", "last"),
        ("loss < 1", "loss", "loss may mean last(eval/loss), last(train/loss).", "last(eval/loss)"),
        ("min(loss) < 1", "loss", "loss may mean eval/loss, train/loss.", "eval/loss"),
        ("state = finished", "state", "state may mean hp.state, run.state.", "hp.state"),
        ("seed < a", "a", "hp.seed is a number, but a is a text.", ""),
        ('seed = "1"', '"1"', 'hp.seed is a number, but "1" is a text.', "1"),
        ("model = 5", "5", "hp.model is a text, but 5 is a number.", '"5"'),
        ("amp = 1", "1", "hp.amp is true or false, but 1 is a number.", "true"),
        ("seed = true", "true", "hp.seed is a number, but true is true or false.", "1"),
        ("amp < true", "true", "< needs an order", ""),
        ("start > 5", "5", "start is a time, but 5 is a number.", ""),
        ("start > 2026-13-01", "2026-13-01", "start is a time", ""),
        ("duration > 5x", "5x", "duration is a duration, but 5x is a text.", ""),
        ("seed ~ 1", "seed", "hp.seed is not a text", ""),
        ("run ~ /(/", "/(/", "Not a regular expression that RE2 can run", ""),
        ("run ~ /(?=a)b/", "/(?=a)b/", "Not a regular expression that RE2 can run", ""),
        ("run ~ /abc", "/abc", "no closing slash", "/abc/"),
        ("run ~ ", "", "Expected a regular expression", ""),
        ('run = "abc', '"abc', "This quote is not closed.", '"abc"'),
        ("seed <", "", "Expected a value, but the query ends here.", ""),
        ("seed < and", "and", "Expected a value, but got 'and'.", ""),
        ("(seed = 1", "", "Expected ')', but the query ends here.", ""),
        ("seed = 1)", ")", "Expected and, or, or the end of the query", ""),
        ("seed in 1", "1", "Expected '('", ""),
        ("seed in ()", ")", "Expected a value", ""),
        ("last(eval/acc)and seed=1", "and", "Expected a comparison", ""),
        ("= 1", "=", "Expected a name", ""),
        ("exists", "", "Expected a name", ""),
        ("at(loss) = 1", ")", "Expected ','", ""),
        ("at(loss, x) = 1", "x", "Expected a step", ""),
        ("seed ! 1 = 2", "!", "Unexpected '!'.", "!="),
        ("[a", "[a", "Not a regular expression", ""),
    ],
)
def test_errors_have_a_place_and_a_suggestion(
    table: FactTable, query: str, place: str, message: str, suggestion: str
) -> None:
    with pytest.raises(QueryError) as raised:
        run_query(table, query)
    error = raised.value
    assert message in error.message
    assert query[error.start : error.end] == place
    assert error.suggestion == suggestion
    assert error.start == (query.rindex(place) if place else len(query))


def test_result_counts_the_runs_that_lack_a_fact(table: FactTable) -> None:
    result = run_query(table, "dropout > 0.2 and batch_size = 32")
    assert result.lacking == {Field("hp", "dropout"): 4, Field("hp", "batch_size"): 2}
    assert result.ids == [table.by_name["cnn/one"].id]
    assert result.rows.tolist() == [table.runs.index(table.by_name["cnn/one"])]


# JavaScript reads these otherwise, or RE2 cannot run them, since it never backtracks.
ONLY_JAVASCRIPT = {
    r"^(?!.*test).*", r"\u00e9", r"(?<=lr)3", r"(?<!lr)3", r"(a|b)\1", "[]", "[^]", r"\A", r"\Z\e", "[$]", "a{", "x]",
}  # fmt: skip
ONLY_RE2 = {"(?P<x>a)", "(?i)a"}
QUERIES = {"a,b=c", r"(?<lr>\d)e", "[&&|~]", "(?>a)"}
CASES = Path(__file__).parents[3] / "ui" / "src" / "app" / "filterCases.json"


SHARED_CASES = [
    case for case in json.loads(CASES.read_text("utf-8")) if case["filter"] not in ONLY_JAVASCRIPT | ONLY_RE2 | QUERIES
]


@pytest.mark.parametrize("case", SHARED_CASES, ids=lambda case: repr(case["filter"]))
def test_plain_filters_work_as_in_the_sidebar(case: dict[str, object]) -> None:
    text = str(case["filter"])
    if case.get("error"):
        with pytest.raises(QueryError):
            Evaluation(_NamesOnly([])).run(parse(text))  # type: ignore[arg-type]
        return
    given: list[str] = case["names"]  # type: ignore[assignment]
    node = parse(text)
    truth = None if node is None else Evaluation(_NamesOnly(given)).run(node).true  # type: ignore[arg-type]
    assert [name for i, name in enumerate(given) if truth is None or truth[i]] == case["matches"]


class _NamesOnly:
    """A table of facts that has only the names of runs."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    def column(self, field: Field) -> object:
        return text_column(self.names if field.name == "run" else [None] * len(self.names))  # type: ignore[arg-type]
