"""The command line: help, version and invalid arguments."""

import pytest

from lossboard.cli import main as cli
from lossboard.version import full_version


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        cli.main(["--version"])
    assert (exit.value.code, capsys.readouterr().out) == (0, f"lossboard {full_version()}\n")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        cli.main(["--help"])
    help = capsys.readouterr().out
    assert exit.value.code == 0
    assert [name for name in cli.COMMANDS if f" {name}" not in help] == []


def test_help_of_a_command_keeps_the_case_of_names(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["board", "--help"])
    assert "Start the web UI (the default: lossboard LOGDIR).\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--lodgir", "runs"],
            "lossboard board: unknown option --lodgir. Did you mean --logdir? See lossboard board --help",
        ),
        (
            ["runs", "--prot=6007"],
            "lossboard board: unknown option --prot. Did you mean --port? See lossboard board --help",
        ),
        (["inspect", "runs", "--quux"], "lossboard inspect: unknown option --quux. See lossboard inspect --help"),
        (["inspect", "runs", "more"], "lossboard inspect: unexpected argument more. See lossboard inspect --help"),
        (["--logdir"], "lossboard board: argument --logdir: expected one argument. See lossboard board --help"),
        (
            ["runs", "--reload_interval=often"],
            "lossboard board: argument --reload_interval: invalid float value: 'often'. See lossboard board --help",
        ),
    ],
)
def test_invalid_arguments_print_one_line_and_exit_with_2(args, message, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        cli.main(args)
    assert (exit.value.code, capsys.readouterr().err) == (2, f"{message}\n")
