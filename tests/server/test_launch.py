"""`lossboard.launch`: a board in a thread."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

import lossboard
from board_client import write_scalars


def test_launched_board_serves_until_it_is_stopped(tmp_path: Path) -> None:
    write_scalars(tmp_path / "a", {"loss": [1.0]})
    board = lossboard.launch(tmp_path)
    assert repr(board) == f"<Board at {board.url}>"
    with urlopen(f"{board.url}api/live", timeout=60) as stream:
        stream.readline()
        with urlopen(f"{board.url}api/board", timeout=60) as response:
            assert json.load(response)["logdirs"] == [str(tmp_path)]
        board.stop()
    board.stop()
    assert repr(board) == f"<Stopped board at {board.url}>"
    with pytest.raises(URLError):
        urlopen(board.url, timeout=60)


def test_two_boards_run_side_by_side(tmp_path: Path) -> None:
    with lossboard.launch(tmp_path / "a") as one, lossboard.launch(tmp_path / "b") as other:
        assert one.url != other.url
        for board in (one, other):
            with urlopen(board.url, timeout=60) as page:
                assert page.status == 200
