"""Config files in the directory of a run: `config`, `hparams` or `args` in JSON, YAML or TOML.

The files of a logdir may come from anyone. A file is read only if it lies within the logdir, is a regular file and is
small. YAML is read event by event, so tags construct nothing, and an alias, with which a small file could describe a
huge one, is left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lossboard.errors import DecodeError
from lossboard.safe_paths import open_within
from lossboard.safe_toml import parse_toml
from lossboard.select.facts.values import FactValue, flatten, parse_value
from lossboard.store.run_folder import run_folders

MAX_BYTES = 256 << 10
_STEMS = ("args", "hparams", "config")
_SUFFIXES = (".toml", ".yml", ".yaml", ".json")
_NAMES = {stem + suffix: order for order, (stem, suffix) in enumerate((a, b) for a in _STEMS for b in _SUFFIXES)}
"""Later ones override earlier ones."""
_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class ConfigFiles:
    """Settings in the config files of a run, and the state of the files that they were read from."""

    stamp: tuple[object, ...] = ()
    settings: Mapping[str, FactValue] = field(default_factory=dict)


def read_config_files(folder: Path, *, root: Path, known: ConfigFiles) -> ConfigFiles:
    """Returns the settings in a run's directory. Unchanged files are not read again."""
    found = [entry for each in run_folders(folder, root=root) for entry in _config_files(each)]
    stamp = tuple((path, size, modified_ns) for path, size, modified_ns in found)
    if stamp == known.stamp:
        return known
    settings: dict[str, FactValue] = {}
    for path, _, _ in found:
        settings |= _read(path, root)
    return ConfigFiles(stamp, settings)


def _config_files(folder: Path) -> list[tuple[str, int, int]]:
    try:
        names = sorted((name for name in os.listdir(folder) if name in _NAMES), key=_NAMES.__getitem__)  # noqa: PTH208
    except OSError:  # the run was just removed
        return []
    files = []
    for name in names:
        path = os.path.join(folder, name)  # noqa: PTH118 (a Path for each of 10,000 runs takes longer than the listing)
        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            continue
        files.append((path, status.st_size, status.st_mtime_ns))
    return files


def _read(path: str, root: Path) -> dict[str, FactValue]:
    """Returns the settings of one file; none if it is not a config after all."""
    try:
        with open_within(path, base=root, root=root) as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            return {}
        return parse_config(data.decode("utf-8-sig"), suffix=Path(path).suffix)
    except (OSError, DecodeError, UnicodeDecodeError):
        return {}


def parse_config(text: str, *, suffix: str) -> dict[str, FactValue]:
    """Returns the settings in the text of a config file. Raises DecodeError if it is not valid."""
    try:
        if suffix == ".json":
            config = json.loads(text)
        elif suffix == ".toml":
            config = parse_toml(text)
        else:
            config = _parse_yaml(text)
        return flatten(config) if isinstance(config, dict) else {}
    except (ValueError, RecursionError) as error:  # also for a number or a list that cannot become text
        raise DecodeError(f"Not a valid {suffix} file: {error}") from None


def _parse_yaml(text: str) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = yaml.parse(text, Loader=loader)
        for event in events:
            if isinstance(event, yaml.NodeEvent):
                return _YamlReader(events).value(event, 0)
    except yaml.YAMLError as error:
        raise ValueError(error) from None
    return None


class _YamlReader:
    """Makes values of YAML events. It knows no tags, and takes plain words for what they look like."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events

    def value(self, event: Any, depth: int) -> Any:
        import yaml

        if depth > _MAX_DEPTH:
            raise ValueError("nested too deeply")
        if isinstance(event, yaml.ScalarEvent):
            return parse_value(event.value) if event.implicit[0] else str(event.value)
        if isinstance(event, yaml.SequenceStartEvent):
            return [self.value(item, depth + 1) for item in self._until(yaml.SequenceEndEvent)]
        if isinstance(event, yaml.MappingStartEvent):
            mapping = {}
            for event in self._until(yaml.MappingEndEvent):
                key = self.value(event, depth + 1)
                mapping[getattr(event, "value", str(key))] = self.value(next(self._events), depth + 1)
            return mapping
        return None  # an alias

    def _until(self, end: type) -> Iterator[Any]:
        for event in self._events:
            if isinstance(event, end):
                return
            yield event
