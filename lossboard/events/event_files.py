"""The event files that a program writes. I/O errors are logged when they happen, lost records on close."""

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


def run_folder(log_dir: object) -> str:
    """Returns the directory of a run as text. Whatever is not a path is taken as text, as in torch: 5 means "5"."""
    folder = os.fsdecode(log_dir) if isinstance(log_dir, (str, bytes, os.PathLike)) else str(log_dir)
    if "://" in folder or "\0" in folder:
        raise ValueError(f"log_dir must be a folder of this machine, got {folder!r}")
    return folder


def default_run_dir(comment: str) -> str:
    """Returns runs/<date>_<host><comment>."""
    started = datetime.now().strftime("%b%d_%H-%M-%S")
    return f"runs/{started}_{socket.gethostname()}{comment}"


class EventFiles:
    """Event files of a run and its sub-runs. Once the first file is open, I/O errors are logged and never raised."""

    def __init__(self, folder: str, suffix: str) -> None:
        if not isinstance(suffix, str) or "/" in suffix:
            raise ValueError(f"filename_suffix must be the end of a file's name, got {suffix!r}")
        self.folder = folder
        self._base = Path() if Path(folder).is_absolute() else Path.cwd()
        self._suffix = suffix
        self._has_reported_error = False
        self._reported_lost = 0
        self.main = self._file(folder)
        self.open_files = {folder: self.main}
        try:
            self.main.open()
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            hint = "Set log_dir to a directory that this process can write to"
            raise WriteError(error.errno, f"Cannot write event files: {reason}. {hint}", folder) from None

    def path_of(self, folder: str) -> Path:
        """Returns the absolute path of a directory, also after the program has changed its working directory."""
        return self._base / folder

    def sub_run(self, folder: str) -> EventWriter:
        """Returns the file of a sub-run. Its first event creates it."""
        if folder not in self.open_files:
            self.open_files[folder] = self._file(folder)
        return self.open_files[folder]

    def report_error(self, error: str) -> None:
        """Logs the first error. Python's `warnings` would not do: they can be turned into exceptions."""
        if self._has_reported_error:
            return
        self._has_reported_error = True
        _log.warning(
            "Cannot write to %s: %s. Buffering up to 64 MB in memory and retrying.",
            self.folder,
            error,
        )

    def write_asset(self, write: Callable[[Path], None], what: str) -> None:
        """Calls `write` with the run directory. Files are not buffered: an I/O error loses them and is logged."""
        try:
            write(self.path_of(self.folder))
        except OSError as error:
            _log.warning(
                "%s of %s was lost: %s.",
                what.capitalize(),
                self.folder,
                error.strerror or error,
            )

    def flush(self) -> None:
        for file in self.open_files.values():
            if not file.flush():
                self.report_error(file.fault)

    def close(self, finished: bool) -> None:
        """Closes all files. `finished` marks the run as finished, which a crash never does."""
        for file in self.open_files.values():
            file.close(finished)
        lost = sum(file.lost for file in self.open_files.values())
        if lost > self._reported_lost:
            _log.warning("%d records of %s were lost: they could not be written.", lost, self.folder)
            self._reported_lost = lost

    def _file(self, folder: str) -> EventWriter:
        return EventWriter(str(self.path_of(folder)), self._suffix, as_scalar, as_step)


class NullEventWriter:
    """An EventWriter that writes nothing."""

    fault = ""

    def scalar(self, tag: str, value: object, step: object, wall_time: float | None) -> bool:
        return False

    def scalars(self, values: dict[str, object], step: object, wall_time: float | None) -> bool:
        return False

    def summary(self, values: list[bytes], step: object, wall_time: float | None) -> bool:
        return False

    def event(self, field: int, message: bytes, step: object, wall_time: float | None) -> bool:
        return False

    def flush(self) -> bool:
        return True

    def close(self, finished: bool) -> None: ...


class NullEventFiles:
    """EventFiles that write nothing."""

    def __init__(self, folder: str) -> None:
        self.main = NullEventWriter()
        self.open_files = {folder: self.main}

    def path_of(self, folder: str) -> Path:
        return Path(folder)

    def sub_run(self, folder: str) -> NullEventWriter:
        return self.main

    def write_asset(self, write: Callable[[Path], None], what: str) -> None: ...

    def report_error(self, error: str) -> None: ...

    def flush(self) -> None: ...

    def close(self, finished: bool) -> None: ...
