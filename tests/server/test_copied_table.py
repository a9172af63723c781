"""Copies of the runs table: Markdown, LaTeX, CSV and Parquet."""

import pytest

from board_client import ServedBoard
from lossboard.store.run_ids import run_id

COLUMNS = [{"field": "last(loss)", "title": "loss", "best": "min"}]


@pytest.fixture
def seeds(tmp_path) -> ServedBoard:
    board = ServedBoard(tmp_path)
    for name, loss in (("lr=0.1,seed=1", 0.5), ("lr=0.1,seed=2", 0.25), ("lr=0.2,seed=1", 2.0), ("lr=0.2,seed=2", 1.0)):
        board.write(name, {"loss": [loss]})
    board.poll()
    return board


def copy(board: ServedBoard, format: str, **params) -> str:
    return board.post("/api/facts/copy", {"format": format, "columns": COLUMNS, **params}).json()["text"]


def test_rows_have_the_order_of_the_request(seeds):
    order = [run_id("lr=0.2,seed=2"), run_id("lr=0.1,seed=2")]
    assert copy(seeds, "csv", runs={"only": order}).splitlines() == [
        "run,loss",
        '"lr=0.2,seed=2",1',
        '"lr=0.1,seed=2",0.25',
    ]


def test_best_value_is_bold(seeds):
    lines = copy(seeds, "markdown").splitlines()
    assert lines[0] == "| run | loss |"
    assert "| lr=0.1,seed=2 | **0.25** |" in lines
    assert r"\textbf{0.25}" in copy(seeds, "latex")


def test_groups_have_mean_and_deviation(seeds):
    text = copy(seeds, "latex", by="lr")
    assert text.startswith(r"\begin{tabular}")
    assert r"0.1 & 2 & \textbf{0.375 $\pm$ 0.1768} \\" in text
    assert r"0.2 & 2 & 1.5 $\pm$ 0.7071 \\" in text


def test_alias_is_the_name_of_the_run(seeds):
    seeds.post("/api/runs/edit", {"ids": [run_id("lr=0.1,seed=1")], "set": {"alias": "base_line & more"}})
    assert r"base\_line \& more" in copy(seeds, "latex")


def test_parquet_is_a_file(seeds, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    response = seeds.post("/api/facts/parquet", {"columns": [{"field": "lr"}, *COLUMNS]})
    assert response.headers["content-disposition"] == 'attachment; filename="runs.parquet"'
    path = tmp_path / "copy.parquet"
    path.write_bytes(response.body)
    assert duckdb.sql(f"SELECT lr, sum(loss) FROM '{path}' GROUP BY lr ORDER BY lr").fetchall() == [
        (0.1, 0.75),
        (0.2, 3.0),
    ]


@pytest.mark.parametrize(
    "params",
    [
        {"format": "html", "columns": COLUMNS},
        {"format": "csv", "columns": "lr"},
        {"format": "csv", "columns": [{"field": "no_such_fact"}]},
        {"format": "csv", "columns": COLUMNS, "by": "no_such_fact"},
        {"format": "csv", "columns": COLUMNS, "runs": 3},
    ],
)
def test_bad_requests_are_refused(seeds, params):
    assert seeds.post("/api/facts/copy", params).status == 400
