"""Sidecar file `.lossboard.json` in the logdir: names, notes, tags and colors of runs, and saved views.

Reading logs does not need it: without it, or with an invalid one, the board shows everything. Several boards may use it
at once, also on several machines. So every change takes a lock, reads the file again, changes only its own fields and
replaces the file atomically. Unknown keys are kept.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lossboard.errors import LossboardError

NAME = ".lossboard.json"
LOCK_NAME = ".lossboard.lock"
_MAX_BYTES = 64 << 20

Document = dict[str, Any]


class SidecarError(LossboardError):
    """The sidecar cannot be written."""


class Sidecar:
    """The sidecar of one logdir."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / NAME
        self._lock = threading.Lock()
        self.stamp: tuple[int, ...] | None = None
        """Identifies the version of the file in memory. None without a file."""
        self._document: Document = {}
        self.refresh()

    def runs(self) -> Mapping[str, Mapping[str, Any]]:
        """Returns the fields of each run, by its name in this logdir."""
        return _object(self._document, "runs")

    def views(self) -> Mapping[str, Any]:
        """Returns the saved views by name."""
        return _object(self._document, "views")

    def refresh(self) -> bool:
        """Reads the file again if it changed. Returns whether it did."""
        with self._lock:
            stamp = self._read_stamp()
            if stamp == self.stamp:
                return False
            self.stamp = stamp
            self._document = self._load() or {}
            return True

    def why_not_writable(self) -> str:
        """Returns why changes cannot be saved. Empty if they can."""
        if not self._folder.is_dir():
            return "The logdir does not exist yet."
        if not os.access(self._folder, os.W_OK) or (self._path.exists() and not os.access(self._path, os.W_OK)):
            return "The logdir is read-only, so names, notes and views cannot be saved."
        return ""

    def edit_run(self, name: str, changes: Mapping[str, Any]) -> None:
        """Sets fields of a run. None removes a field."""

        def edit(document: Document) -> None:
            runs = document["runs"]
            runs[name] = _applied(_object(runs, name), changes)
            if not runs[name]:
                del runs[name]

        self._change(edit)

    def edit_view(self, name: str, state: Any) -> None:
        """Saves a view. None removes it."""

        def edit(document: Document) -> None:
            document["views"] = _applied(document["views"], {name: state})

        self._change(edit)

    def _change(self, edit: Callable[[Document], None]) -> None:
        if reason := self.why_not_writable():
            raise SidecarError(reason)
        try:
            with self._lock, self._file_lock():
                document = self._load_to_change()
                edit(document)
                document["version"] = 1
                self._replace(document)
                self._document = document
                self.stamp = self._read_stamp()
        except OSError as error:
            raise SidecarError(f"The change could not be saved: {error.strerror}.") from error

    @contextmanager
    def _file_lock(self) -> Iterator[None]:
        with (self._folder / LOCK_NAME).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _replace(self, document: Document) -> None:
        draft = self._path.with_name(f"{NAME}.{os.getpid()}.tmp")
        try:
            with draft.open("w", encoding="utf-8") as out:
                json.dump(document, out, ensure_ascii=False, indent=1, sort_keys=True)
                out.flush()
                os.fsync(out.fileno())
            draft.replace(self._path)
        finally:
            draft.unlink(missing_ok=True)

    def _load(self) -> Document | None:
        """Returns the content of the file, or None if it is not valid."""
        try:
            if self._path.stat().st_size > _MAX_BYTES:
                return None
            document = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            return None
        return document if isinstance(document, dict) else None

    def _load_to_change(self) -> Document:
        document = self._load()
        if document is None:
            self._path.replace(self._path.with_name(f"{NAME}.damaged"))
            document = {}
        return {**document, **{part: dict(_object(document, part)) for part in ("runs", "views")}}

    def _read_stamp(self) -> tuple[int, ...] | None:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _object(document: Document, name: str) -> Mapping[str, Any]:
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def _applied(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**fields, **changes}.items() if value is not None}
