"""Export of charts: every point of all lines, with the displayed names."""

import csv
import io
import json
import math

import nanoarrow as na
import pytest
from nanoarrow.ipc import InputStream

from board_client import ServedBoard
from lossboard.kinds.scalars.api import export
from lossboard.store.run_ids import run_id
from reference import tensorboard_ema

LOSS = {"tags": ["loss"], "smoothing": {"method": "ema", "weight": 0.5}}
VALUES = [3.0, math.nan, 1.0]


@pytest.fixture
def board(tmp_path):
    board = ServedBoard(tmp_path)
    board.write("a", {"loss": VALUES, "epoch": [0.0, 0.5, 1.0]})
    board.write("=b,c", {"loss": [2.0], "acc": [0.5]})
    board.poll()
    return board


def taken(board, form, *charts, **more):
    response = board.post("/api/scalars/export", {"charts": list(charts), "format": form} | more)
    assert response.status == 200, response.body
    return response


def test_csv_has_every_point_and_no_formula(board):
    rows = list(csv.reader(io.StringIO(taken(board, "csv", LOSS).body.decode())))
    assert rows[0] == ["run", "tag", "step", "wall_time", "value", "smoothed"]
    assert [row[:3] for row in rows[1:]] == [["'=b,c", "loss", "0"], *(["a", "loss", str(step)] for step in range(3))]
    smoothed = [float(row[5]) for row in rows[2:]]
    assert smoothed == pytest.approx(list(tensorboard_ema(VALUES, 0.5)), nan_ok=True)


def test_json_has_strings_for_non_finite_numbers(board):
    series = json.loads(taken(board, "json", LOSS, runs={"only": [run_id("a")]}).body)
    assert [(one["run"], one["tag"], one["step"], one["value"]) for one in series] == [
        ("a", "loss", [0, 1, 2], [3.0, "NaN", 1.0])
    ]


def test_arrow_export_has_the_names_that_the_board_shows(board):
    charts = LOSS, {"tags": ["acc", "nothing"]}
    assert b"my best" not in taken(board, "arrow", *charts).body
    board.post("/api/runs/edit", {"ids": [run_id("a")], "set": {"alias": "my best"}})
    body = taken(board, "arrow", *charts).body  # an equal request, but the name has changed since
    with InputStream.from_readable(body) as stream:
        table = na.Array(stream)
    columns = dict(zip((field.name for field in table.schema.fields), table.iter_children(), strict=True))
    assert columns["run"].to_pylist() == ["=b,c", "my best", "my best", "my best", "=b,c"]
    assert columns["tag"].to_pylist() == ["loss"] * 4 + ["acc"]
    assert columns["step"].to_pylist() == [0, 0, 1, 2, 0]
    assert columns["value"].to_pylist()[-1] == 0.5


def test_another_scalar_as_x_is_a_column(board):
    rows = taken(board, "csv", LOSS | {"x": {"tag": "epoch"}}).body.decode().splitlines()
    assert rows[0] == "run,tag,step,wall_time,x,value,smoothed"
    assert [row.split(",")[4] for row in rows[1:]] == ["0.0", "0.5", "1.0"]


@pytest.mark.parametrize("form", ["csv", "json", "arrow"])
def test_export_without_lines_is_an_empty_table(board, form):
    body = taken(board, form, {"tags": ["nothing"]}).body
    match form:
        case "csv":
            assert body == b"run,tag,step,wall_time,value,smoothed\n"
        case "json":
            assert json.loads(body) == []
        case "arrow":
            with InputStream.from_readable(body) as stream:
                assert len(na.Array(stream)) == 0


@pytest.mark.parametrize("wrong", [{"format": "xlsx"}, {}, {"format": ["csv"]}])
def test_invalid_parameters_return_an_error(board, wrong):
    response = board.post("/api/scalars/export", {"charts": [LOSS]} | wrong)
    assert (response.status, response.error) == (400, "question")


STEPS = [0, 2**53 + 1, 2**62 + 3]


@pytest.fixture
def exact(tmp_path):
    """A board with steps that a float cannot represent."""
    board = ServedBoard(tmp_path / "exact")
    for step in STEPS:
        board.write("a", {"loss": [1.0]}, first_step=step)
    board.poll()
    return board


def test_large_steps_are_exact_in_exports(exact):
    rows = taken(exact, "csv", LOSS).body.decode().splitlines()[1:]
    assert [int(row.split(",")[2]) for row in rows] == STEPS
    assert json.loads(taken(exact, "json", LOSS).body)[0]["step"] == STEPS


def test_large_steps_are_exact_in_single_series(exact):
    question = {"run": run_id("a"), "tag": "loss"}
    rows = exact.post("/api/scalars/points", question | {"format": "csv"}).body.decode().splitlines()[1:]
    assert [int(row.split(",")[1]) for row in rows] == STEPS
    assert exact.post("/api/scalars/points", question | {"format": "json"}).json()["step"] == STEPS


@pytest.mark.parametrize("form", ["csv", "json", "arrow"])
def test_export_is_streamed_in_parts(tmp_path, form):
    board = ServedBoard(tmp_path / "long")
    board.write("a", {"loss": list(range(12_000))})
    board.poll()
    params = {"charts": [LOSS | {"key": ""}], "format": form}
    parts = list(export(board.context, params).parts)
    assert max(map(len, parts)) < 600_000
    assert form == "arrow" or len(parts) > 3
    assert b"".join(parts) == taken(board, form, LOSS).body
    if form == "json":
        (series,) = json.loads(b"".join(parts))
        assert series["value"] == list(range(12_000))
