"""Live doctor: one thread judges the runs of a board, so that pages mark those with findings."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from lossboard.kinds.findings.decode import PLUGIN
from lossboard.server.live import ChangeSet

if TYPE_CHECKING:
    from lossboard.doctor.engine import Checked, Doctor
    from lossboard.findings import Finding
    from lossboard.server.live import LogdirFollower
    from lossboard.store.logdir import Logdir

_LOADED_SECS = 0.5
"""How long to wait for the first reading of the logdir before looking whether the board stops."""
_PAUSE_SECS = 5.0
_PAUSE_FACTOR = 20
"""A pause is this much longer than what the runs took, so that following them costs little."""
_PAUSE_AFTER_FAILURE_SECS = 60.0
_REST_FACTOR = 4
"""Likewise between two runs: requests must not wait for the first reading of thousands."""
_MIN_REST_SECS = 0.001

log = logging.getLogger(__name__)


class LiveDoctor:
    """The findings of the doctor about each run, as of a few seconds ago.

    Runs that grow are judged again only while a page is open.
    """

    def __init__(self, doctor: Doctor, logdir: Logdir, follower: LogdirFollower) -> None:
        self._doctor = doctor
        self._logdir = logdir
        self._follower = follower
        self._found: dict[str, tuple[Finding, ...]] = {}
        self.judged_cursor = -1
        """The cursor of the logdir when all runs were last judged."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lossboard-doctor", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def findings_of(self, run: str) -> tuple[Finding, ...]:
        return self._found.get(run, ())

    def _run(self) -> None:
        while not self._follower.loaded.wait(_LOADED_SECS):
            if self._stop.is_set():
                return
        pause = 0.0
        while not self._stop.wait(pause):
            if self.judged_cursor >= 0 and not self._follower.is_watched:
                pause = _PAUSE_SECS
                continue
            started = time.thread_time()
            try:
                self.judge()
                pause = max(_PAUSE_SECS, _PAUSE_FACTOR * (time.thread_time() - started))
            except Exception:
                log.exception("The doctor failed, so marks of runs may be missing. Trying again in a minute.")
                pause = _PAUSE_AFTER_FAILURE_SECS

    def judge(self) -> None:
        """Judges the runs that have changed, and tells pages whose findings have."""
        cursor = self._logdir.cursor
        if cursor == self.judged_cursor:
            return
        changed: dict[str, set[str]] = {}
        publish_at, interval = time.monotonic() + 1, 1.0
        started = time.thread_time()
        for checked in self._doctor.checking():
            changed |= self._update(checked)
            if changed and time.monotonic() > publish_at:
                self._tell(changed)
                changed = {}
                interval *= 2
                publish_at = time.monotonic() + interval
            now = time.thread_time()
            if (spent := now - started) > _MIN_REST_SECS:
                self._stop.wait(_REST_FACTOR * spent)
                started = time.thread_time()
            if self._stop.is_set():
                return
        self.judged_cursor = cursor
        self._tell(changed)
        self._found = {name: found for name, found in self._found.items() if name in self._logdir.runs}

    def _update(self, checked: Checked) -> dict[str, set[str]]:
        """Stores the findings of one training. Returns the codes of the runs whose findings are others than before."""
        changed = {}
        for name, _ in checked.subject.runs:
            found = tuple(one.finding for one in checked.diagnoses if name in one.finding.location.runs)
            before = self._found.get(name, ())
            if found:
                self._found[name] = found
            elif before:
                del self._found[name]
            if [one.key for one in found] != [one.key for one in before]:
                changed[name] = {one.code for one in (*found, *before)}
        return changed

    def _tell(self, changed: dict[str, set[str]]) -> None:
        if changed:
            grown = {name: {(PLUGIN, code) for code in codes} for name, codes in changed.items()}
            self._follower.publish(ChangeSet(self._logdir.cursor, grown=grown))
