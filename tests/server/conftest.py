from pathlib import Path

import pytest

from board_client import START, ServedBoard


@pytest.fixture
def board(tmp_path: Path) -> ServedBoard:
    """Two runs: `a` with a loss and an accuracy, `b` with a loss."""
    served = ServedBoard(tmp_path)
    served.write("a", {"loss": [4.0, 3.0, 2.0], "accuracy": [0.1, 0.2, 0.3]})
    served.write("b", {"loss": [5.0, 4.0]}, start=START + 100)
    served.poll()
    return served
