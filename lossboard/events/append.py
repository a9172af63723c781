"""The event files that a program writes, and what is said about their faults: when one happens, and at the end."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from lossboard._core import EventWriter
from lossboard.errors import WriteError
from lossboard.events.values import as_scalar, as_step

_log = logging.getLogger("lossboard")


class EventFiles:
    """A run's event file and those of its sub-runs. Faults are logged, never raised, once the first file is open."""

    def __init__(self, folder: str, suffix: str) -> None:
        self.folder = folder
        self._suffix = suffix
        self._told_fault = False
        self._told_lost = 0
        self.main = self._file(folder)
        self._files = {folder: self.main}
        try:
            self.main.open()
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            hint = "Give a log_dir that this process may write to"
            raise WriteError(error.errno, f"Cannot write event files: {reason}. {hint}", folder) from None

    def sub_run(self, folder: str) -> EventWriter:
        """The file of a folder below; its first event creates it."""
        if folder not in self._files:
            self._files[folder] = self._file(folder)
        return self._files[folder]

    def tell(self, fault: str) -> None:
        """Says the first fault. A log line, since a warning could be turned into an exception."""
        if self._told_fault:
            return
        self._told_fault = True
        _log.warning(
            "Cannot write to %s: %s. What is logged waits in memory, up to 64 MB, until it can be written.",
            self.folder,
            fault,
        )

    def lose(self, what: str, error: OSError) -> None:
        """Says that something which does not wait in memory could not be written."""
        _log.warning("%s of %s was lost: %s.", what.capitalize(), self.folder, error.strerror or error)

    def flush(self) -> None:
        for file in self._files.values():
            if not file.flush():
                self.tell(file.fault)

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        lost = sum(file.lost for file in self._files.values())
        if lost > self._told_lost:
            _log.warning("%d records of %s were lost: they could not be written.", lost, self.folder)
            self._told_lost = lost

    def _file(self, folder: str) -> EventWriter:
        return EventWriter(str(Path(folder).absolute()), self._suffix, as_scalar, as_step)
