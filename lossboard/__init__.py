"""Lossboard: a fast, local dashboard for TensorBoard logs, and a drop-in SummaryWriter."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lossboard.version import VERSION as __version__

if TYPE_CHECKING:
    from lossboard import events
    from lossboard.board import Board, Run, diagnose, open
    from lossboard.doctor.guard import Guard
    from lossboard.errors import LossboardError
    from lossboard.server.launch import launch
    from lossboard.writer import SummaryWriter

__all__ = [
    "Board",
    "Guard",
    "LossboardError",
    "Run",
    "SummaryWriter",
    "__version__",
    "diagnose",
    "events",
    "launch",
    "open",
]

# Public name → module. Modules are imported on first use, so that `import lossboard` costs nothing.
_LAZY_IMPORTS = {
    "Board": "lossboard.board",
    "Guard": "lossboard.doctor.guard",
    "LossboardError": "lossboard.errors",
    "Run": "lossboard.board",
    "launch": "lossboard.server.launch",
    "SummaryWriter": "lossboard.writer",
    "diagnose": "lossboard.board",
    "open": "lossboard.board",
}


def __getattr__(name: str) -> Any:
    if name == "events":
        return import_module("lossboard.events")
    if name not in _LAZY_IMPORTS:
        raise AttributeError(f"module 'lossboard' has no attribute {name!r}")
    return getattr(import_module(_LAZY_IMPORTS[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
