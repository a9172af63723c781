"""Folders of a run: its own, and the one that a training tool made around it."""

from __future__ import annotations

from pathlib import Path

_LAYOUT_OF_TRAINING_TOOLS = ("logs", "tensorboard")


def run_folders(path: Path, *, root: Path) -> list[Path]:
    """Returns the folders with files of the run whose event files are in `path`, the outermost first.

    The fine-tuning kit writes events to `<run>/logs/tensorboard`, and everything else to `<run>`.
    """
    outer = path.parent.parent
    if path.parts[-2:] == _LAYOUT_OF_TRAINING_TOOLS and outer.is_relative_to(root):
        return [outer, path]
    return [path]
