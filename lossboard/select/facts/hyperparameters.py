"""Hyperparameters of a run, from everywhere people put them.

The hparams plugin overrides config files, those override logged text, and that overrides the directory's name. Logged
text is read only if the run has no hparams session.

A run also has the hyperparameters of the runs above it, such as `train` and `validation` below a session. It also has
those of the sub-runs that torch's `add_hparams` names after the time.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.kinds.hparams.decode import END_TAG, START_TAG, read_session
from lossboard.select.facts.config_files import ConfigFiles, read_config_files
from lossboard.select.facts.directory_names import read_run_name
from lossboard.select.facts.logged_config import TEXT_KEYS, read_logged_config
from lossboard.select.facts.values import FactValue, parse_value

if TYPE_CHECKING:
    from pathlib import Path

    from lossboard.store.run import Key, Run, SeriesInfo

_TIME_NAME = re.compile(r"\d{9,10}\.\d+")


_LOGGED_KEYS: tuple[Key, ...] = (("hparams", START_TAG), ("hparams", END_TAG), *TEXT_KEYS)


@dataclass(frozen=True, slots=True)
class LoggedSession:
    """What a run logged with the hparams plugin."""

    settings: Mapping[str, FactValue]
    group: str
    """Runs with the same group repeat one experiment. It is the name of the run if none was logged."""
    status: str


@dataclass(frozen=True, slots=True)
class OwnHyperparameters:
    """What a run itself has, without those of other runs, and the parts that need not be read again."""

    settings: Mapping[str, FactValue]
    files: ConfigFiles
    logged_at: tuple[int, ...]
    """The cursors at which the series of settings last changed."""
    text: Mapping[str, FactValue]
    session: LoggedSession | None


def read_hyperparameters(
    run: Run, series: Mapping[Key, SeriesInfo], *, root: Path, known: OwnHyperparameters | None
) -> OwnHyperparameters:
    """Returns the hyperparameters of one run. `known` is what the last call returned."""
    files = read_config_files(run.path, root=root, known=known.files if known else ConfigFiles())
    logged_at = tuple(series[key].changed_at for key in _LOGGED_KEYS if key in series)
    if known is not None and known.logged_at == logged_at:
        if files is known.files:
            return known
        text, session = known.text, known.session
    else:
        session = _logged_session(run, series)
        text = {} if session else read_logged_config(run, series)  # `add_config` logs the same settings as both
    logged = session.settings if session else {}
    settings = {**read_run_name(run.name), **text, **files.settings, **logged}
    return OwnHyperparameters(settings, files, logged_at, text, session)


def _logged_session(run: Run, series: Container[Key]) -> LoggedSession | None:
    session = read_session(run) if ("hparams", START_TAG) in series else None
    if session is None:
        return None
    parsed = {name: parse_value(value) if isinstance(value, str) else value for name, value in session.hparams.items()}
    settings = {name: value for name, value in parsed.items() if value is not None}
    return LoggedSession(settings, session.group, session.status)


def is_time_name(name: str) -> bool:
    """Whether torch's `add_hparams` made the run, as a sub-run that it names after the time."""
    return _TIME_NAME.fullmatch(name.rpartition("/")[2]) is not None


def join_hyperparameters(own: Mapping[str, Mapping[str, FactValue]]) -> dict[str, Mapping[str, FactValue]]:
    """Returns the hyperparameters of each run by name, with those that it has from runs above and below it."""
    from_below: dict[str, dict[str, FactValue]] = {}
    for name, settings in own.items():
        if settings and is_time_name(name):
            from_below.setdefault(name.rpartition("/")[0] or ".", {}).update(settings)
    joined: dict[str, Mapping[str, FactValue]] = {}
    for name in sorted(own, key=lambda name: name.count("/") if name != "." else -1):
        above = joined.get(_nearest_above(name, own), {})
        below = from_below.get(name, {})
        joined[name] = {**above, **below, **own[name]} if above or below else own[name]
    return joined


def _nearest_above(name: str, runs: Container[str]) -> str:
    while "/" in name:
        name = name.rpartition("/")[0]
        if name in runs:
            return name
    return "." if name != "." else ""
