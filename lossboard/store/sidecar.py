"""Names, notes, tags, colours and views: what people add to runs, in one small JSON file beside the logs.

`.lossboard.json` is never needed for reading: without it, or with a damaged one, the board shows everything. Several
boards may have it open at once, also on several machines: every change takes a lock, reads the file again, changes only
its own fields and replaces the file in one step. Keys that this version does not know are kept.
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
        """Identifies the version of the file that is in memory; None without a file."""
        self._document: Document = {}
        self.refresh()

    def runs(self) -> Mapping[str, Mapping[str, Any]]:
        """What was added to each run, by its name in this logdir."""
        return _object(self._document, "runs")

    def views(self) -> Mapping[str, Any]:
        """The saved views, by name."""
        return _object(self._document, "views")

    def refresh(self) -> bool:
        """Reads the file again if it is another than before; says whether it was."""
        with self._lock:
            stamp = self._read_stamp()
            if stamp == self.stamp:
                return False
            self.stamp = stamp
            self._document = self._load() or {}
            return True

    def why_not_writable(self) -> str:
        """Empty if changes can be kept; else the reason, in words."""
        if not self._folder.is_dir():
            return "The logdir does not exist yet."
        if not os.access(self._folder, os.W_OK) or (self._path.exists() and not os.access(self._path, os.W_OK)):
            return "The logdir is read-only, so names, notes and views cannot be kept."
        return ""

    def edit_run(self, name: str, changes: Mapping[str, Any]) -> None:
        """Sets fields of a run; None removes one."""

        def edit(document: Document) -> None:
            runs = document["runs"]
            runs[name] = _applied(_object(runs, name), changes)
            if not runs[name]:
                del runs[name]

        self._change(edit)

    def edit_view(self, name: str, state: Any) -> None:
        """Saves a view; None removes it."""

        def edit(document: Document) -> None:
            document["views"] = _applied(document["views"], {name: state})

        self._change(edit)

    def _change(self, edit: Callable[[Document], None]) -> None:
        if reason := self.why_not_writable():
            raise SidecarError(reason)
        try:
            with self._lock, self._exclusively():
                document = self._load_to_change()
                edit(document)
                document["version"] = 1
                self._replace(document)
                self._document = document
                self.stamp = self._read_stamp()
        except OSError as error:
            raise SidecarError(f"The change could not be kept: {error.strerror}.") from error

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        with (self._folder / LOCK_NAME).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _replace(self, document: Document) -> None:
        beside = self._path.with_name(f"{NAME}.{os.getpid()}.tmp")
        try:
            with beside.open("w", encoding="utf-8") as out:
                json.dump(document, out, ensure_ascii=False, indent=1, sort_keys=True)
                out.flush()
                os.fsync(out.fileno())
            beside.replace(self._path)
        finally:
            beside.unlink(missing_ok=True)

    def _load(self) -> Document | None:
        """What the file holds; None if it is damaged."""
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
