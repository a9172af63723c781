"""Environment of a run: command line, git commit, host and versions, where they were logged.

Read from `environment.json`, as the fine-tuning kit writes it, and from the `wandb-metadata.json` of Weights & Biases.
Without these, the name of the host is taken from the event files, whose names have it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lossboard.errors import DecodeError
from lossboard.safe_paths import open_within
from lossboard.select.facts.config_files import MAX_BYTES
from lossboard.select.facts.values import FactValue, flatten
from lossboard.store.run_folder import run_folders

_FILES = ("wandb-metadata.json", "environment.json")
"""Later ones override earlier ones."""
_NAMES = {
    "git.commit": "git commit",
    "git.branch": "git branch",
    "git.changed": "uncommitted changes",
    "git.remote": "git remote",
    "os": "platform",
    "cpu_count": "cpus",
    "gpu": "device",
    "devices": "device",
    "username": "user",
}
"""Names in the files, and how the board calls them."""
_FIRST = ("git commit", "git branch", "uncommitted changes", "host", "user", "device", "cpus", "platform", "python")
_PACKAGES = "packages."
_EVENT_FILE_HOST = re.compile(r"events\.out\.tfevents\.\d+\.(?P<host>.+?)(?:\.\d+\.[0-9a-f]+)?(?:\.v2)?")
"""After the host come the process and a counter, which our writer follows with random hex digits."""
_MAX_COMMAND = 10_000


@dataclass(frozen=True)
class Environment:
    command: str = ""
    facts: Mapping[str, FactValue] = field(default_factory=dict)


def read_environment(folder: Path, event_files: Sequence[str], *, root: Path) -> Environment:
    """Returns what is known about the environment of the run whose event files are in `folder`."""
    command = ""
    facts: dict[str, FactValue] = {}
    for each in run_folders(folder, root=root):
        for name in _FILES:
            own_command, own_facts = _read(each / name, root)
            command = own_command or command
            facts |= own_facts
    if "host" not in facts and (host := _host(event_files)):
        facts["host"] = host
    order = {name: place for place, name in enumerate(_FIRST)}
    return Environment(command, dict(sorted(facts.items(), key=lambda item: order.get(item[0], len(order)))))


def _read(path: Path, root: Path) -> tuple[str, Mapping[str, FactValue]]:
    """Returns the command and the facts in a file; nothing if it is missing, unsafe, too large, or not what its name
    says."""
    try:
        with open_within(str(path), base=root, root=root) as file:
            data = file.read(MAX_BYTES + 1)
        document = json.loads(data) if len(data) <= MAX_BYTES else None
        return (_command(document), _facts(document)) if isinstance(document, dict) else ("", {})
    except (OSError, DecodeError, ValueError, RecursionError):
        return "", {}


def _command(document: Mapping[str, Any]) -> str:
    """Returns the command line as a shell would take it."""
    command = document.get("command")
    if command is None and isinstance(document.get("program"), str):
        arguments = document.get("args")
        command = ["python", document["program"], *(arguments if isinstance(arguments, list) else [])]
    if isinstance(command, list):
        command = shlex.join(str(word) for word in command)
    return command[:_MAX_COMMAND] if isinstance(command, str) else ""


def _facts(document: Mapping[str, Any]) -> dict[str, FactValue]:
    ignored = ("command", "program", "args")
    flat = flatten({name: value for name, value in document.items() if name not in ignored})
    return {_NAMES.get(name, name.removeprefix(_PACKAGES)): value for name, value in flat.items()}


def _host(event_files: Sequence[str]) -> str:
    """Returns the host in the name of the newest event file: `events.out.tfevents.<time>.<host>.<pid>.<number>`."""
    for name in reversed(event_files):
        if found := _EVENT_FILE_HOST.fullmatch(name):
            return found["host"]
    return ""
