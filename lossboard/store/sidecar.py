"""Sidecar file `.lossboard.json` in the logdir: names, notes, tags and colors of runs, and saved views.

Reading logs does not need it: without it, or with an invalid one, the board shows everything. Several boards may use it
at once, also on several machines. So every change takes a lock, reads the file again, changes only its own fields and
replaces the file atomically. Unknown keys are kept.
"""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lossboard.errors import LossboardError
from lossboard.safe_files import SafeFolder, UnsafeFile

NAME = ".lossboard.json"
LOCK_NAME = ".lossboard.lock"
MAX_BYTES = 16 << 20
"""Limits the memory that a crafted file takes: parsed JSON can be twenty times as large as its text."""
_MAX_DEPTH = 50
"""Python parses JSON of more levels than it can write."""
_LOCK_SECS = 2

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
            self._document = self._load_if_valid()
            return True

    def why_not_writable(self) -> str:
        """Returns why changes cannot be saved. Empty if they can."""
        if not self._folder.is_dir():
            return "The logdir does not exist yet."
        for name in (NAME, LOCK_NAME):
            if _is_unsafe(self._folder / name):
                return f"Names, notes and views cannot be saved: {name} in the logdir is not a regular file. Remove it."
        if not os.access(self._folder, os.W_OK) or (self._path.exists() and not os.access(self._path, os.W_OK)):
            return "The logdir is read-only, so names, notes and views cannot be saved."
        return ""

    def edit_runs(self, names: Iterable[str], changes: Mapping[str, Any]) -> None:
        """Sets fields of runs. None removes a field."""

        def edit(document: Document) -> None:
            runs = document["runs"]
            for name in names:
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
            # Only the lock file makes other changes wait, so reading never does.
            with SafeFolder.open(self._folder) as folder, folder.lock(LOCK_NAME, timeout_secs=_LOCK_SECS):
                document = _load_to_change(folder)
                edit(document)
                document["version"] = 1
                folder.replace(NAME, _encode(document))
                folder.remove_abandoned_drafts(NAME)
                with self._lock:
                    self._document = document
                    self.stamp = folder.stamp(NAME)
        except OSError as error:
            raise SidecarError(f"The change could not be saved: {error.strerror}.") from error

    def _load_if_valid(self) -> Document:
        try:
            with SafeFolder.open(self._folder) as folder:
                return _load(folder)
        except (OSError, ValueError):
            return {}

    def _read_stamp(self) -> tuple[int, ...] | None:
        try:
            with SafeFolder.open(self._folder) as folder:
                return folder.stamp(NAME)
        except OSError:
            return None


def _is_unsafe(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _load(folder: SafeFolder) -> Document:
    """Returns the content of the file. Raises ValueError if it is not valid, and UnsafeFile if it is too large."""
    try:
        document = json.loads(folder.read(NAME, max_bytes=MAX_BYTES))
    except FileNotFoundError:
        return {}
    except RecursionError as error:
        raise ValueError("nested too deeply to parse") from error
    if not isinstance(document, dict):
        raise ValueError("not an object")
    if _is_nested_deeper(document, _MAX_DEPTH):
        raise ValueError("nested too deeply")
    return document


def _load_to_change(folder: SafeFolder) -> Document:
    try:
        document = _load(folder)
    except (ValueError, UnsafeFile):
        os.rename(NAME, f"{NAME}.damaged", src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor)
        document = {}
    return {**document, **{part: dict(_object(document, part)) for part in ("runs", "views")}}


def _encode(document: Document) -> bytes:
    text = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True)
    # Names of files that are not UTF-8 have lone surrogates. In JSON, a backslash escape represents them.
    content = text.encode("utf-8", "backslashreplace")
    if len(content) > MAX_BYTES:
        raise SidecarError(f"The change could not be saved: {NAME} would be larger than {MAX_BYTES >> 20} MB.")
    return content


def _object(document: Document, name: str) -> Mapping[str, Any]:
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def _is_nested_deeper(value: object, levels: int) -> bool:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(
        levels == 0 or _is_nested_deeper(child, levels - 1) for child in children if isinstance(child, dict | list)
    )


def _applied(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**fields, **changes}.items() if value is not None}
