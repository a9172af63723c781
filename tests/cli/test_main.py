"""The command line as a whole: help, version, mistakes."""

import pytest

from lossboard.cli import main as cli
from lossboard.version import full_version


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["--version"])
    assert (left.value.code, capsys.readouterr().out) == (0, f"lossboard {full_version()}\n")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["--help"])
    told = capsys.readouterr().out
    assert left.value.code == 0
    assert [name for name in cli.COMMANDS if f" {name}" not in told] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--lodgir", "runs"],
            "lossboard board: there is no --lodgir (perhaps --logdir). See lossboard board --help",
        ),
        (
            ["runs", "--prot=6007"],
            "lossboard board: there is no --prot (perhaps --port). See lossboard board --help",
        ),
        (["inspect", "runs", "--quux"], "lossboard inspect: there is no --quux. See lossboard inspect --help"),
        (["--logdir"], "lossboard board: argument --logdir: expected one argument. See lossboard board --help"),
        (
            ["runs", "--reload_interval=often"],
            "lossboard board: argument --reload_interval: invalid float value: 'often'. See lossboard board --help",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line_with_status_2(words, told, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(words)
    assert (left.value.code, capsys.readouterr().err) == (2, f"{told}\n")
