"""Runs that the `runs` parameter of a request selects."""

import pytest

from board_client import ServedBoard
from lossboard.errors import UsageError
from lossboard.store.run_ids import run_id


@pytest.fixture
def board(tmp_path):
    board = ServedBoard(tmp_path)
    for name in ("bert", "cnn", "rnn"):
        board.write(name, {"loss": [1.0]})
    board.poll()
    return board


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (None, ["bert", "cnn", "rnn"]),
        ({"only": [run_id("rnn"), run_id("bert"), run_id("removed"), 7]}, ["bert", "rnn"]),
        ({"except": [run_id("rnn"), run_id("removed")]}, ["bert", "cnn"]),
        ({"only": []}, []),
    ],
)
def test_selection_returns_runs_in_the_order_of_the_board(board, selection, names):
    assert [run.name for run in board.context.select_runs(selection)] == names


@pytest.mark.parametrize("selection", [{}, [], "all", {"only": "a"}, {"filter": "bert"}])
def test_invalid_selection_raises(board, selection):
    with pytest.raises(UsageError):
        board.context.select_runs(selection)
