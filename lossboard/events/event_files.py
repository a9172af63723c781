"""The event files that a program writes, and what is said about their faults: when one happens, and at the end."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from lossboard._core import EventWriter
from lossboard.errors import WriteError
from lossboard.events.conversions import as_scalar, as_step

_log = logging.getLogger("lossboard")


def run_folder(log_dir: str | os.PathLike[str] | None, comment: str) -> str:
    """The folder of a run, by default runs/<date>_<host><comment>."""
    try:
        folder = os.fsdecode(log_dir or _default_folder(comment))
    except TypeError:
        raise TypeError(f"log_dir must be a str or a path, got {type(log_dir).__name__}: {log_dir!r:.60}") from None
    if "://" in folder or "\0" in folder:
        raise ValueError(f"log_dir must be a folder of this machine, got {folder!r}")
    return folder


def _default_folder(comment: str) -> str:
    started = datetime.now().strftime("%b%d_%H-%M-%S")
    return f"runs/{started}_{socket.gethostname()}{comment}"


class EventFiles:
    """A run's event file and those of its sub-runs. Faults are logged, never raised, once the first file is open."""

    def __init__(self, folder: str, suffix: str) -> None:
        if not isinstance(suffix, str) or "/" in suffix:
            raise ValueError(f"filename_suffix must be the end of a file's name, got {suffix!r}")
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

    def report_error(self, fault: str) -> None:
        """Says the first fault. A log line, since a warning could be turned into an exception."""
        if self._told_fault:
            return
        self._told_fault = True
        _log.warning(
            "Cannot write to %s: %s. What is logged waits in memory, up to 64 MB, until it can be written.",
            self.folder,
            fault,
        )

    def write_asset(self, write: Callable[[Path], None], what: str) -> None:
        """Lets `write` put files into the run's folder. They do not wait in memory: a fault loses them, and is said."""
        try:
            write(Path(self.folder))
        except OSError as error:
            _log.warning("%s of %s was lost: %s.", what.capitalize(), self.folder, error.strerror or error)

    def flush(self) -> None:
        for file in self._files.values():
            if not file.flush():
                self.report_error(file.fault)

    def close(self, finished: bool) -> None:
        """`finished` says in the files that the run is over; a crash never does."""
        for file in self._files.values():
            file.close(finished)
        lost = sum(file.lost for file in self._files.values())
        if lost > self._told_lost:
            _log.warning("%d records of %s were lost: they could not be written.", lost, self.folder)
            self._told_lost = lost

    def _file(self, folder: str) -> EventWriter:
        return EventWriter(str(Path(folder).absolute()), self._suffix, as_scalar, as_step)


class NullEventWriter:
    """Stands where an EventWriter stands, and writes nothing."""

    fault = ""

    def scalar(self, tag: str, value: object, step: object, wall_time: float | None) -> bool:
        return False

    def scalars(self, values: dict[str, object], step: object, wall_time: float | None) -> bool:
        return False

    def summary(self, values: list[bytes], step: object, wall_time: float | None) -> bool:
        return False

    def event(self, field: int, message: bytes, step: object, wall_time: float | None) -> bool:
        return False

    def close(self, finished: bool) -> None: ...


class NullEventFiles:
    """Stands where EventFiles stand, and writes nothing."""

    def __init__(self) -> None:
        self.main = NullEventWriter()

    def sub_run(self, folder: str) -> NullEventWriter:
        return self.main

    def write_asset(self, write: Callable[[Path], None], what: str) -> None: ...

    def report_error(self, fault: str) -> None: ...

    def flush(self) -> None: ...

    def close(self, finished: bool) -> None: ...
