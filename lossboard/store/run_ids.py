"""Run ids and labels: how requests name runs, and how the UI shows them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run

_LAYOUT_OF_TRAINING_TOOLS = "/logs/tensorboard"


def run_id(name: str) -> str:
    """Returns twelve hex digits that identify a run, as long as it keeps its name."""
    return hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()


def find_run(logdir: Logdir, id: object) -> Run:
    """Returns the run with this id, or raises a LookupError whose message is for users."""
    run = logdir.runs_by_id.get(id) if isinstance(id, str) else None
    if run is None:
        raise LookupError("No such run. It may have been deleted. GET /api/board lists the runs.")
    return run


def run_labels(names: Iterable[str], *, root: Path) -> Mapping[str, str]:
    """Returns the label of each run: its name without the directories that every training tool adds.

    A run keeps its full name if the short one is not unique. A run that is the logdir itself is called like it.
    """
    short = {name: _short(name, root) for name in names}
    uses = Counter(short.values())
    return {name: label if uses[label] == 1 else name for name, label in short.items()}


def _short(name: str, root: Path) -> str:
    if name in (".", ""):
        return Path(root.absolute().as_posix().removesuffix(_LAYOUT_OF_TRAINING_TOOLS)).name or "."
    return name.removesuffix(_LAYOUT_OF_TRAINING_TOOLS) or name
