"""Event files of a SummaryWriter: opens and closes them, marks a resumed run, and reopens after `close`.

`SummaryWriter` adds the methods that log data.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from lossboard._core import EventWriter, ScalarLogger
from lossboard.events.conversions import as_step, as_wall_time
from lossboard.events.event_files import EventFiles, NullEventFiles, run_folder
from lossboard.events.file_writer import EventFileWriter, FileWriter
from lossboard.events.summary import FILE_VERSION, FILE_VERSION_FIELD, SESSION_LOG, SESSION_START
from lossboard.events.wire import uint_field


class RunFiles(ScalarLogger):
    """Writes records into the event files of one run and its sub-runs."""

    def __init__(self, log_dir: object, *, purge_step: int | None, filename_suffix: str, write_to_disk: bool) -> None:
        self.log_dir: Any = log_dir
        self.purge_step: int | None = None  # torch's value after the constructor
        self.filename_suffix = filename_suffix
        self._folder = run_folder(log_dir)
        self._files = EventFiles(self._folder, filename_suffix) if write_to_disk else NullEventFiles(self._folder)
        self._file = self._files.main
        self._file_writers: dict[str, FileWriter] | None = {}  # None after close, until something is logged
        self._default_step: int | None = None
        self._default_walltime: float | None = None
        self._choose_add_scalar()
        self._finalizer = weakref.finalize(self, _close_at_exit, self._files)
        if purge_step is not None:
            self._mark_resume(purge_step)

    def get_logdir(self) -> Any:
        """Returns the run directory, as it was passed to the constructor."""
        return self.log_dir

    @property
    def logdir(self) -> Any:
        """The run directory, under the name that tensorboardX has for it."""
        return self.log_dir

    @property
    def file_writer(self) -> FileWriter | None:
        """Accepts messages that the program created itself: `file_writer.add_summary(summary, step)`.

        It is None after `close`, until something is logged.
        """
        return None if self._file_writers is None else self._get_file_writer()

    @property
    def all_writers(self) -> dict[str, FileWriter] | None:
        """The writer of each run directory: this run and the sub-runs of `add_scalars`. None after `close`."""
        if self._file_writers is None:
            return None
        for folder, file in self._files.open_files.items():
            if folder not in self._file_writers:
                self._file_writers[folder] = FileWriter.of(EventFileWriter(folder, file, self._files.report_error))
        return self._file_writers

    def _get_file_writer(self) -> FileWriter:
        """Returns `file_writer`, and starts a new file after `close`. Many programs use this private name of torch."""
        self._reopen()
        writers = self.all_writers
        assert writers is not None
        return writers[self._folder]

    @contextmanager
    def use_metadata(self, *, global_step: int | None = None, walltime: float | None = None) -> Iterator[Self]:
        """Sets the step and wall time for calls in a `with` block that pass none. It comes from tensorboardX."""
        before = self._default_step, self._default_walltime
        self._default_step = None if global_step is None else as_step(global_step)
        self._default_walltime = as_wall_time(walltime)
        self._choose_add_scalar()
        try:
            yield self
        finally:
            self._default_step, self._default_walltime = before
            self._choose_add_scalar()

    def flush(self) -> None:
        """Waits until everything logged is on the disk itself, safe from power failure."""
        self._files.flush()

    def close(self, *, finished: bool = True) -> None:
        """Closes the event files. `finished` marks the run as finished. Logging again starts new files."""
        self._files.close(finished)
        self._file_writers = None
        self._choose_add_scalar()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(finished=error is None)

    def _mark_resume(self, purge_step: int) -> None:
        self._event(FILE_VERSION_FIELD, FILE_VERSION.encode(), purge_step)
        # Readers take the first START of a run for the beginning of training. The second one supersedes points.
        for _ in range(2):
            self._event(SESSION_LOG, uint_field(1, SESSION_START), purge_step)

    def _reopen(self) -> None:
        if self._file_writers is None:
            self._file_writers = {}
            self._choose_add_scalar()

    def _choose_add_scalar(self) -> None:
        # The native add_scalar knows neither default steps nor that the writer was closed.
        has_defaults = self._default_step is not None or self._default_walltime is not None
        is_native = not has_defaults and self._file_writers is not None
        super().__init__(self._file if is_native and isinstance(self._file, EventWriter) else None)

    def _at(self, step: Any, walltime: Any) -> tuple[Any, float | None]:
        """Returns where to log: the given step and wall time, or the defaults of `use_metadata`."""
        self._reopen()
        return (
            self._default_step if step is None else step,
            self._default_walltime if walltime is None else as_wall_time(walltime),
        )

    def _report_error(self) -> None:
        self._files.report_error(self._file.fault)

    def _summary(self, values: list[bytes], step: int | None, walltime: float | None) -> None:
        step, walltime = self._at(step, walltime)
        if self._file.summary(values, step, walltime):
            self._report_error()

    def _event(self, field: int, message: bytes, step: int | None = None, walltime: float | None = None) -> None:
        step, walltime = self._at(step, walltime)
        if self._file.event(field, message, step, walltime):
            self._report_error()


def _close_at_exit(files: EventFiles | NullEventFiles) -> None:
    # Python stores the exception that ended a program in sys.last_type. Such a run did not finish.
    files.close(finished=not hasattr(sys, "last_type"))
