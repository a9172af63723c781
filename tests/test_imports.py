"""Imports point down, and importing the package loads no heavy library."""

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
    "findings": set(),
    "version": set(),
    "safe_files": set(),
    "safe_toml": set(),
    "safe_paths": {"errors"},
    "events": {"_core", "errors"},
    "bounded_cache": set(),
    "store": {"_core", "errors", "safe_files", "safe_paths"},
    "syntax": {"errors"},
    "series_math": {"_core", "bounded_cache", "errors", "store", "syntax"},
    "kinds": {"_core", "bounded_cache", "errors", "events", "findings", "series_math", "safe_paths", "store", "syntax"},
    "board": {"doctor", "errors", "events", "export", "findings", "kinds", "select", "series_math", "store"},
    "select": {"bounded_cache", "errors", "kinds", "safe_paths", "safe_toml", "series_math", "store", "syntax"},
    "doctor": {"errors", "events", "findings", "kinds", "safe_files", "safe_toml", "select", "store"},
    "export": {"errors", "kinds", "select", "store"},
    "figures": {"errors", "select", "series_math", "store"},
    "writer": {"_core", "errors", "events", "kinds"},
    "integrations": {"doctor", "errors", "writer"},
    "tensorboardX": {"events", "kinds", "writer"},
    "server": {
        "_core",
        "bounded_cache",
        "doctor",
        "errors",
        "events",
        "export",
        "findings",
        "kinds",
        "select",
        "store",
        "syntax",
    },
    "train": {"errors", "findings", "writer"},
    "cli": {
        "board",
        "doctor",
        "errors",
        "export",
        "figures",
        "findings",
        "kinds",
        "select",
        "series_math",
        "server",
        "store",
        "syntax",
        "train",
        "version",
    },
    "__init__": {"board", "doctor", "errors", "events", "server", "version", "writer"},
    "__main__": {"cli"},
}
# module or package of the fine-tuning kit → the others it may import.
TRAIN_BASE = {"config", "findings", "hooks", "optimizers", "precision", "schedules"}
TRAIN_MAY_IMPORT = {
    "precision": set(),
    "schedules": {"config"},  # for its type only
    "config": {"optimizers", "precision", "schedules"},
    "findings": set(),
    "hooks": set(),
    "optimizers": set(),
    "models": TRAIN_BASE,
    "data": TRAIN_BASE | {"models"},
    "tasks": TRAIN_BASE | {"data", "models"},
    "preparation": TRAIN_BASE | {"data", "models", "tasks"},
    "memory": TRAIN_BASE | {"data", "distributed", "models", "preparation"},
    "distributed": set(),
    "runs": TRAIN_BASE | {"memory", "models", "preparation"},
    "reporting": TRAIN_BASE | {"data", "distributed", "preparation", "runs", "tasks"},
    "engines": TRAIN_BASE | {"data", "distributed", "memory", "models", "preparation", "reporting", "runs", "tasks"},
    "inference": TRAIN_BASE | {"data", "models", "preparation", "reporting", "runs", "tasks"},
    "runner": TRAIN_BASE | {"distributed", "engines", "models", "preparation", "runs", "tasks"},
    "sweep": TRAIN_BASE | {"distributed", "runner", "runs", "tasks"},
    "torch_worker": {"distributed", "runner", "runs"},
    "keras_worker": {"distributed", "engines", "runs"},
    "__init__": {"config", "data", "hooks", "inference", "runner", "tasks"},
}
PUBLIC_NAMES = {"__version__": "__init__", "SummaryWriter": "writer", "open": "board"}


def imported(file: Path, *, below: str = "lossboard") -> Iterator[str]:
    """The parts of the package `below` that a file imports from."""
    for node in ast.walk(ast.parse(file.read_text())):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module == below:
            modules = [f"{below}.{PUBLIC_NAMES.get(alias.name, alias.name)}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module]
        yield from (
            module.removeprefix(f"{below}.").split(".")[0] for module in modules if module.startswith(f"{below}.")
        )


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_point_down(file: Path) -> None:
    part = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert set(imported(file)) - {part, "__init__"} <= MAY_IMPORT[part]


@pytest.mark.parametrize(
    "file", sorted((PACKAGE / "train").rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE))
)
def test_train_packages_import_only_lower_ones(file: Path) -> None:
    part = file.relative_to(PACKAGE / "train").parts[0].removesuffix(".py")
    assert set(imported(file, below="lossboard.train")) - {part} <= TRAIN_MAY_IMPORT[part]


def test_kinds_do_not_import_each_other() -> None:
    for file in [*(PACKAGE / "kinds").glob("*/decode.py"), *(PACKAGE / "kinds").glob("*/kind.py")]:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").count(".") == 3:
                _, folder, kind, _ = str(node.module).split(".")
                assert folder != "kinds" or kind == file.parent.name, f"{file} imports {node.module}"


def test_package_import_loads_no_heavy_library() -> None:
    code = (
        "import sys, lossboard; print(sorted({'numpy', 'nanoarrow', 'rich', 'starlette', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
