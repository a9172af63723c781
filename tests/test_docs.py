"""Docs are tests: what can be called, asked for or found is written down, or this fails."""

import argparse
import re
from pathlib import Path

import pytest

import lossboard
from lossboard.cli.main import COMMANDS, parser_for
from lossboard.kinds import NAMES

PROJECT = Path(__file__).parent.parent


def page(name: str) -> str:
    return (PROJECT / name).read_text("utf-8")


def test_the_public_names_are_the_documented_ones() -> None:
    assert sorted(re.findall(r"^## `lossboard\.(\w+)", page("docs/api.md"), re.MULTILINE)) == sorted(lossboard.__all__)


def test_every_public_name_can_be_had() -> None:
    assert [name for name in lossboard.__all__ if not hasattr(lossboard, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lossboard.nothing  # noqa: B018


@pytest.mark.parametrize(("cls", "word"), [(lossboard.Board, "board"), (lossboard.Run, "run")])
def test_every_method_is_documented(cls: type, word: str) -> None:
    told = page("docs/api.md")
    assert [name for name in vars(cls) if not name.startswith("_") and f"{word}.{name}" not in told] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_is_documented_with_its_command(command: str) -> None:
    _, found, section = page("docs/cli.md").partition(f"## `lossboard {command}`\n")
    assert found
    told = section.partition("\n## ")[0]
    actions = next(a for a in parser_for([command])._actions if isinstance(a, argparse._SubParsersAction))
    flags = [
        flag
        for action in actions.choices[command]._actions
        if action.help != argparse.SUPPRESS and action.dest != "help"
        for flag in action.option_strings
    ]
    assert [flag for flag in flags if f"`{flag}`" not in told] == []


def test_every_kind_is_documented() -> None:
    told = page("docs/export.md")
    assert [name for name in NAMES if f"\n| `{name}` |" not in told] == []


def test_every_folder_and_module_is_on_the_map() -> None:
    told = page("ARCHITECTURE.md")
    parts = [path for path in (PROJECT / "lossboard").iterdir() if path.name[0] not in "_." and path.name != "py.typed"]
    names = [f"lossboard/{path.name}{'/' if path.is_dir() else ''}" for path in parts if path.name != "web"]
    assert [name for name in names if f"`{name}" not in told] == []


def test_links_between_pages_lead_somewhere() -> None:
    for path in [*PROJECT.glob("*.md"), *(PROJECT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"
