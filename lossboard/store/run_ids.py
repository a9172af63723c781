"""How a question names runs: by ids that the board gave out, never by a path or a name from outside."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run

_LAYOUT_OF_TRAINING_TOOLS = "/logs/tensorboard"


@lru_cache(maxsize=200_000)
def run_id(name: str) -> str:
    """Twelve letters that stand for a run for ever, whatever else comes and goes."""
    return hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()


def find_run(logdir: Logdir, wanted: object) -> Run:
    """The run with that id, or a LookupError in words."""
    for name, run in logdir.runs.items():
        if run_id(name) == wanted:
            return run
    raise LookupError("No such run: it may have been deleted. Ask /api/board for the runs that are there.")


def select_runs(logdir: Logdir, choice: object) -> list[Run]:
    """The runs that `{"only": [id]}` or `{"except": [id]}` mean; ids of runs that have gone are passed over."""
    match choice:
        case None:
            return list(logdir.runs.values())
        case {"only": list(ids)}:
            wanted = _ids(ids)
            return [run for name, run in logdir.runs.items() if run_id(name) in wanted]
        case {"except": list(ids)}:
            unwanted = _ids(ids)
            return [run for name, run in logdir.runs.items() if run_id(name) not in unwanted]
    raise UsageError('Expected "runs" to be {"only": [id, …]} or {"except": [id, …]}.')


def _ids(ids: Iterable[Any]) -> frozenset[str]:
    return frozenset(item for item in ids if isinstance(item, str))


def run_labels(names: Iterable[str], *, root: Path) -> Mapping[str, str]:
    """What to show for each run: the part of its name that says something, as long as that tells all of them apart.

    A run that is the logdir itself is called as the folder is.
    """
    short = {name: _short(name, root) for name in names}
    uses = Counter(short.values())
    return {name: label if uses[label] == 1 else name for name, label in short.items()}


def _short(name: str, root: Path) -> str:
    if name in (".", ""):
        return Path(root.absolute().as_posix().removesuffix(_LAYOUT_OF_TRAINING_TOOLS)).name or "."
    return name.removesuffix(_LAYOUT_OF_TRAINING_TOOLS) or name
