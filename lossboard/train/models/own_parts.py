"""Own parts: a head or a whole model of the user's program in place of the kit's, for both engines.

Code is never stored. A checkpoint says which part it needs, and whoever loads it passes the same part again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from lossboard.errors import UsageError
from lossboard.train.config import Config, TaskName, flag
from lossboard.train.hooks import Hooks
from lossboard.train.models.heads import HEADS, HeadName

# What config.json of a checkpoint says, besides what transformers reads.
OWN_KEY, TASK_KEY = "lossboard_own", "lossboard_task"
# The names of the weights of an own model in a checkpoint.
OWN_PREFIX = "own."
# Settings that need the layers of a known model, with the values that change nothing.
_NEEDS_KNOWN_LAYERS: Mapping[str, Any] = {
    "dropout": None,
    "frozen_embeddings": False,
    "frozen_layers": 0,
    "layer_decay": 1.0,
    "lora_rank": 0,
    "gradient_checkpointing": False,
}


class ModelTask(Protocol):
    """What a model must know of its task."""

    @property
    def name(self) -> TaskName: ...
    @property
    def head(self) -> HeadName: ...
    @property
    def classes(self) -> Sequence[str]: ...
    @property
    def model_settings(self) -> Mapping[str, Any]: ...


def own_settings(hooks: Hooks, task: str) -> dict[str, str]:
    """Returns what config.json of a checkpoint says about its own part; nothing without one."""
    return {OWN_KEY: hooks.own_part, TASK_KEY: task} if hooks.own_part else {}


def stored_part(folder: Path) -> str:
    """Returns the own part that a checkpoint was trained with: `head`, `model` or nothing."""
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return str(settings.get(OWN_KEY, ""))


def check_source(folder: Path, hooks: Hooks) -> None:
    """Raises an error for the checkpoint of an own model, if there is no own model to load it into."""
    if stored_part(folder) == "model" and hooks.model is None:
        raise UsageError(f"{folder} has the weights of an own model. Pass it: hooks=Hooks(model=…).")


def check_own_part(hooks: Hooks, stored: str, *, where: str, call: str) -> None:
    """Raises an error if something was trained with another own part than the hooks have. `call` is what to do."""
    if stored == hooks.own_part:
        return
    if stored:
        raise UsageError(f"{where} was trained with an own {stored}, which is Python code. Pass it again: {call}")
    raise UsageError(f"{where} was trained without an own {hooks.own_part}. Remove it from the hooks.")


def check_settings(config: Config, hooks: Hooks) -> None:
    """Raises an error for settings that an own model cannot follow."""
    if hooks.model is None:
        return
    for name, unused in _NEEDS_KNOWN_LAYERS.items():
        if getattr(config, name) != unused:
            raise UsageError(f"{flag(name)} changes layers that an own model may not have. Remove it, or use a head.")


def check_outputs(shape: Sequence[int | None], *, head: HeadName, classes: Sequence[str], part: str) -> None:
    """Raises an error if an own part does not compute what the loss needs."""
    wanted = ["texts", "tokens"] if HEADS[head].reads_every_token else ["texts"]
    if len(shape) != len(wanted) + 1 or shape[-1] != len(classes):
        got = ", ".join("?" if size is None else str(size) for size in shape)
        raise UsageError(
            f"The own {part} returned outputs of shape [{got}]. It must return [{', '.join(wanted)}, {len(classes)}], "
            f"for: {', '.join(classes[:8])}{' …' if len(classes) > 8 else ''}."
        )
