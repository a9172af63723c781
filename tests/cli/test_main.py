"""The command line as a whole: help, version, mistakes."""

import pytest

from lossboard import __version__
from lossboard.cli import main as cli


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["--version"])
    assert (left.value.code, capsys.readouterr().out) == (0, f"lossboard {__version__}\n")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["--help"])
    told = capsys.readouterr().out
    assert left.value.code == 0
    assert [name for name in cli.COMMANDS if f" {name}" not in told] == []


@pytest.mark.parametrize("words", [["--no-such-flag"], ["board", "--no-such-flag"]])
def test_a_mistake_is_told_with_status_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(words)
    assert left.value.code == 2
    assert "usage: lossboard" in capsys.readouterr().err
