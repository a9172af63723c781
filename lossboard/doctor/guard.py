"""Guard: the doctor inside a training loop. It calls functions of the program when something is wrong with the run."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from lossboard.doctor.engine import Doctor
from lossboard.doctor.rules import RULES
from lossboard.doctor.settings import FILE_NAME, Settings, read_settings
from lossboard.errors import UsageError, did_you_mean
from lossboard.findings import SEVERITIES
from lossboard.kinds import asset_kinds
from lossboard.store.logdir import Logdir, Root
from lossboard.store.series_index import SeriesIndex

if TYPE_CHECKING:
    from lossboard.findings import Finding

Action: TypeAlias = Callable[["Finding"], object] | Literal["stop"]

_PAUSE_FACTOR = 50
"""A check waits for this many times what the last one took, so that checks take at most 2 % of the time."""

log = logging.getLogger("lossboard")


class HasLogDir(Protocol):
    """A writer: ours, torch's or tensorboardX's."""

    @property
    def log_dir(self) -> str | os.PathLike[str]: ...


class Guard:
    """Judges one run while it is trained, and acts on what it finds.

        guard = lossboard.Guard(log, on={"non-finite": "stop", "overfitting": save_checkpoint})
        for step, batch in enumerate(batches):
            ...
            log.add_scalar("train/loss", loss, step)
            guard.check()
            if guard.should_stop:
                break

    * `run` is the writer of the run, or its directory.
    * `on` maps codes of the doctor, or a severity for all of its codes, to a function that takes the `Finding`, or to
      "stop", which sets `should_stop`. Each finding of a series is acted on once.

    Exceptions of these functions end the training, if it does not catch them. Errors of the guard itself are logged.
    """

    def __init__(self, run: HasLogDir | str | os.PathLike[str], on: Mapping[str, Action]) -> None:
        self._on = check_actions(on)
        self._folder = Path(run if isinstance(run, str | os.PathLike) else run.log_dir)
        self._logdir = Logdir([Root(self._folder)], assets=asset_kinds())
        self._doctor = Doctor(self._logdir, SeriesIndex(), _settings(self._folder))
        self._known: set[tuple[str, ...]] = set()
        self._next_check = 0.0
        self._has_failed = False
        self.should_stop = False
        """Whether a finding asked to stop."""

    def check(self) -> list[Finding]:
        """Judges the run and acts on new findings, which it also returns. Cheap enough to be called at every step.

        Most calls return at once: a check that takes long is repeated less often.
        """
        if self._has_failed or time.monotonic() < self._next_check:
            return []
        return self.check_now()

    def check_now(self) -> list[Finding]:
        """Does the same as `check`, without waiting for its turn. For the end of a training."""
        started = time.monotonic()
        new = self._find()
        self._next_check = time.monotonic() + _PAUSE_FACTOR * (time.monotonic() - started)
        for finding in new:
            action = self._on.get(finding.code) or self._on.get(finding.severity)
            if action == "stop":
                self.should_stop = True
            elif action is not None:
                action(finding)
        return new

    def _find(self) -> list[Finding]:
        try:
            self._logdir.poll()
            found = [one.finding for checked in self._doctor.check() for one in checked.diagnoses]
        except Exception:
            # Training is worth more than its guard.
            self._has_failed = True
            log.exception("The guard of %s failed and no longer judges the run.", self._folder)
            return []
        new = [one for one in found if (one.key, *one.location.runs) not in self._known]
        self._known.update((one.key, *one.location.runs) for one in new)
        return new


def check_actions(on: Mapping[str, Action]) -> dict[str, Action]:
    """Returns the actions. Raises UsageError if a code does not exist or an action cannot be called."""
    known = (*RULES, *SEVERITIES)
    for code, action in on.items():
        if code not in known:
            raise UsageError(f"Unknown code in on: {code!r}.{did_you_mean(code, known)}")
        if action != "stop" and not callable(action):
            raise UsageError(f'on[{code!r}] must be a function that takes a Finding, or "stop", not {action!r}.')
    return dict(on)


def _settings(folder: Path) -> Settings:
    """Returns the settings of the logdir: those next to the run, or else above it."""
    above = (one for one in (folder, folder.parent) if (one / FILE_NAME).is_file())
    return read_settings(next(above, folder))
