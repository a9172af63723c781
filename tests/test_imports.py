"""Imports point down, so that each part can be read without those above it; and the first one costs next to nothing."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "lossboard"

# part → what it may import of the others. A new part finds its place here.
MAY_IMPORT = {
    "errors": set(),
    "version": set(),
    "confine": {"errors"},
    "events": {"_core", "errors"},
    "store": {"_core", "errors"},
    "series_math": {"_core", "errors", "store"},
    "kinds": {"_core", "confine", "errors", "events", "series_math", "store"},
    "board": {"errors", "export", "kinds", "store"},
    "export": {"errors", "kinds", "store"},
    "writer": {"_core", "errors", "events", "kinds"},
    "integrations": {"errors", "writer"},
    "server": {"_core", "errors", "events", "kinds", "store"},
    "train": {"errors", "writer"},
    "cli": {"board", "errors", "export", "kinds", "server", "store", "train", "version"},
    "__init__": {"board", "errors", "version", "writer"},
}
PUBLIC_NAMES = {"__version__": "__init__", "SummaryWriter": "writer", "open": "board"}


def imported(file: Path) -> Iterator[str]:
    """The parts of the package that a file imports from."""
    for node in ast.walk(ast.parse(file.read_text())):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module == "lossboard":
            modules = [f"lossboard.{PUBLIC_NAMES.get(alias.name, alias.name)}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module]
        yield from (module.split(".")[1] for module in modules if module.startswith("lossboard."))


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_point_down(file: Path) -> None:
    part = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert set(imported(file)) - {part, "__init__"} <= MAY_IMPORT[part]


def test_reading_one_kind_needs_no_other() -> None:
    for file in [*(PACKAGE / "kinds").glob("*/decode.py"), *(PACKAGE / "kinds").glob("*/kind.py")]:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").count(".") == 3:
                _, folder, kind, _ = str(node.module).split(".")
                assert folder != "kinds" or kind == file.parent.name, f"{file} imports {node.module}"


def test_the_package_imports_nothing_heavy_until_it_is_used() -> None:
    code = (
        "import sys, lossboard; print(sorted({'numpy', 'nanoarrow', 'rich', 'starlette', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
