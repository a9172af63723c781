"""Documentation: every public name, flag, kind and folder appears in the docs."""

import argparse
import re
from pathlib import Path
from typing import get_args

import pytest

import lossboard
from lossboard.cli.main import COMMANDS, parser_for
from lossboard.kinds import NAMES
from lossboard.series_math.smoothing import METHODS
from lossboard.store.run_state import RunState

PROJECT = Path(__file__).parent.parent


def page(name: str) -> str:
    return (PROJECT / name).read_text("utf-8")


def test_public_names_are_the_documented_ones() -> None:
    assert sorted(re.findall(r"^## `lossboard\.(\w+)", page("docs/api.md"), re.MULTILINE)) == sorted(lossboard.__all__)


def test_every_public_name_can_be_imported() -> None:
    assert [name for name in lossboard.__all__ if not hasattr(lossboard, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lossboard.nothing  # noqa: B018


@pytest.mark.parametrize(("cls", "variable"), [(lossboard.Board, "board"), (lossboard.Run, "run")])
def test_every_method_is_documented(cls: type, variable: str) -> None:
    text = page("docs/api.md")
    assert [name for name in vars(cls) if not name.startswith("_") and f"{variable}.{name}" not in text] == []


def command_section(command: str) -> str:
    _, found, section = page("docs/cli.md").partition(f"## `lossboard {command}`\n")
    assert found
    return section.partition("\n## ")[0]


def command_options(command: str) -> list[argparse.Action]:
    commands = next(a for a in parser_for([command])._actions if isinstance(a, argparse._SubParsersAction))
    actions = commands.choices[command]._actions
    return [action for action in actions if action.help != argparse.SUPPRESS and action.dest != "help"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_is_documented_with_its_command(command: str) -> None:
    text = command_section(command)
    flags = [flag for action in command_options(command) for flag in action.option_strings]
    assert [flag for flag in flags if f"`{flag}`" not in text] == []


@pytest.mark.parametrize("command", ["board", "inspect", "export"])
def test_help_of_each_option_is_its_documented_description(command: str) -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", command_section(command), re.MULTILINE)
    documented = {re.findall(r"`(.+?)`", names)[0]: text.replace("`", "") for names, text in rows if "`" in names}
    for action in command_options(command):
        name = action.option_strings[0] if action.option_strings else action.metavar
        assert documented[name].startswith(str(action.help)), name


def test_every_kind_is_documented() -> None:
    text = page("docs/export.md")
    assert [name for name in NAMES if f"\n| `{name}` |" not in text] == []


def test_every_smoothing_method_and_run_state_is_documented() -> None:
    text = page("docs/http.md")
    assert [name for name in (*METHODS, *get_args(RunState)) if f"`{name}`" not in text] == []


def test_every_folder_and_module_is_in_the_architecture_page() -> None:
    text = page("ARCHITECTURE.md")
    parts = [path for path in (PROJECT / "lossboard").iterdir() if path.name[0] not in "_." and path.name != "py.typed"]
    names = [f"lossboard/{path.name}{'/' if path.is_dir() else ''}" for path in parts if path.name != "web"]
    assert [name for name in names if f"`{name}" not in text] == []


def test_links_between_pages_have_targets() -> None:
    for path in [*PROJECT.glob("*.md"), *(PROJECT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"
