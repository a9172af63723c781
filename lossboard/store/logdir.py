"""Logdir: finds all runs below one or several directories, and follows them."""

from __future__ import annotations

import glob
import math
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lossboard import _core
from lossboard.errors import LogdirError
from lossboard.store.assets import AssetIndex
from lossboard.store.run import Key, Run

if TYPE_CHECKING:
    from lossboard.store.assets import AssetReader


@dataclass(frozen=True, slots=True)
class Root:
    """A directory that is searched for runs, or one event file."""

    path: Path
    name: str = ""
    """Prefix of the names of its runs, as in `--logdir_spec name:path`."""
    is_file: bool = False

    @property
    def folder(self) -> Path:
        """The directory itself, or the one that contains the file."""
        return self.path.parent if self.is_file else self.path

    def problem(self) -> str | None:
        """Returns why no runs can be found here now, as a sentence, or None."""
        try:
            with os.scandir(self.folder):
                return None
        except FileNotFoundError:
            return f"{self.path} does not exist yet."
        except OSError as error:
            return f"Cannot list {self.path}: {error.strerror}."

    def run_name(self, path: str) -> str | None:
        """Returns the name of the run at `path`, or None if it is not below this root."""
        top = str(self.folder)
        if self.is_file:
            return (self.name or ".") if path == top else None
        if path != top and not path.startswith(top + "/"):
            return None
        return "/".join(part for part in (self.name, path[len(top) + 1 :]) if part) or "."


@dataclass(frozen=True, slots=True)
class Stats:
    runs: int
    tags: int
    points: int
    blobs: int
    bytes: int
    skipped_records: int
    skipped_bytes: int


class ChangedRuns(Mapping[str, frozenset[Key]]):
    """Maps run names to changed series. Computed on access, because opening a logdir changes every series."""

    def __init__(self, runs: Mapping[str, Run], since: int) -> None:
        self._runs = runs
        self._since = since

    def __getitem__(self, name: str) -> frozenset[Key]:
        return self._runs[name].changed_since(self._since)

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)


@dataclass(frozen=True, slots=True)
class Changes:
    cursor: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    grown: Mapping[str, frozenset[Key]] = field(default_factory=dict)
    """Maps run names to changed series, including those of added runs."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.grown)


class Logdir:
    def __init__(self, roots: Sequence[Root], *, assets: Sequence[AssetReader] = ()) -> None:
        """`assets` read files next to event files; `kinds.asset_kinds()` has those of all kinds."""
        self.roots = tuple(roots)
        self.cursor = 0
        self.runs: dict[str, Run] = {}
        """Ordered by wall time of the first event, then by name; runs without events last. `poll` replaces the dict."""
        self.runs_by_id: dict[str, Run] = {}
        self._ranks: dict[str, float] = {}
        self._lock = threading.Lock()
        self._asset_readers = tuple(assets)
        self._native = _core.Logdir(
            [_core.Root(os.fsencode(root.path), os.fsencode(root.name)) for root in roots],
            [suffix.encode() for reader in assets for suffix in reader.suffixes],
        )

    @classmethod
    def parse(cls, spec: str | os.PathLike[str] | Sequence[str], *, assets: Sequence[AssetReader] = ()) -> Logdir:
        """Opens `runs`, `a:path,b:path`, globs, or a list of these. A path is a directory or an event file."""
        specs = [os.fspath(spec)] if isinstance(spec, str | os.PathLike) else list(spec)
        roots = [root for each in specs for root in _parse(each)]
        if len(roots) > 1:
            roots = _with_names(roots)
        return cls(roots, assets=assets)

    def root_of(self, run: Run) -> Root:
        """Returns the root that a run was found below."""
        return next(root for root in self.roots if root.run_name(run.directory) == run.name)

    def poll(self) -> Changes:
        """Finds added and removed runs and reads new data of all runs, on all cores."""
        with self._lock:
            since = self.cursor
            for run in self.runs.values():
                run.invalidate_changed_assets()
            polled = self._native.poll()
            added = {native.name: self._new_run(native) for native in polled.added}
            ranks = {run.name: _rank(run.start) for run in polled.changed}
            if not added and not ranks and not polled.removed:
                return Changes(self.cursor)
            runs, all_ranks = self._in_order(added, ranks, polled.removed)
            by_id = self.runs_by_id if runs is self.runs else {run.id: run for run in runs.values()}
            changed = ChangedRuns({name: runs[name] for name in ranks}, since)
            changes = Changes(polled.cursor, tuple(added), tuple(polled.removed), changed)
            for name in ranks:
                runs[name].version += 1
            # Only now, because everything above may run out of memory. Then the next poll reports the same again.
            self.cursor, self.runs, self.runs_by_id, self._ranks = polled.cursor, runs, by_id, all_ranks
            self._native.acknowledge()
            return changes

    def progress(self) -> tuple[int, int]:
        """Returns the bytes read so far and the total of a poll that runs in another thread."""
        return self._native.progress()

    def stats(self) -> Stats:
        totals = self._native.totals()
        assets = [run.assets for run in self.runs.values()]
        damage = [found for each in assets for found in each.damage]
        return Stats(
            runs=totals.runs,
            tags=totals.tags + sum(len(each.series) for each in assets),
            points=totals.points,
            blobs=totals.blobs + sum(len(series.points) for each in assets for series in each.series.values()),
            bytes=totals.bytes,
            skipped_records=totals.skipped_records + len(damage),
            skipped_bytes=totals.skipped_bytes + sum(found.bytes for found in damage),
        )

    def _new_run(self, native: _core.Run) -> Run:
        root = self.roots[0]
        if len(self.roots) > 1:
            path, name = native.path, native.name
            root = next(root for root in self.roots if root.run_name(path) == name)
        return Run(native, AssetIndex(native, root.folder, self._asset_readers))

    def _in_order(
        self, added: dict[str, Run], ranks: dict[str, float], removed: list[str]
    ) -> tuple[dict[str, Run], dict[str, float]]:
        """Returns the runs and their ranks after a poll."""
        # The position of a run changes only with its first event, or when its files were replaced.
        if not added and not removed and ranks.items() <= self._ranks.items():
            return self.runs, self._ranks
        all_ranks = {**self._ranks, **ranks}
        runs = {**self.runs, **added}
        for name in removed:
            runs.pop(name, None)  # unknown if the poll that found it ran out of memory
            all_ranks.pop(name, None)
        return {name: runs[name] for name in sorted(runs, key=lambda name: (all_ranks[name], name))}, all_ranks


def _rank(start: float | None) -> float:
    return math.inf if start is None or math.isnan(start) else start


def _parse(spec: str) -> list[Root]:
    if Path(spec).exists():
        return [Root(Path(spec), is_file=Path(spec).is_file())]
    roots = []
    for part in spec.split(","):
        name, colon, path = part.partition(":")
        # As in TensorBoard, the name is before a colon, unless that is part of a path or a URL.
        if not colon or "/" in name or path.startswith("//"):
            name, path = "", part
        roots += [Root(found, name, found.is_file()) for found in _expand(path)]
    return roots


def _expand(path: str) -> list[Path]:
    plain = Path(path).expanduser()
    if plain.exists() or not glob.has_magic(path):
        return [plain]
    # Path.glob does not accept absolute patterns.
    found = sorted(Path(match) for match in glob.glob(str(plain)) if Path(match).is_dir())  # noqa: PTH207
    if not found:
        raise LogdirError(f"No directory matches {path!r}. Pass the directory your training writes to, e.g. runs")
    return found


def _with_names(roots: list[Root]) -> list[Root]:
    """Gives unique names to several roots. The default name is that of the directory."""
    named = [root if root.name else replace(root, name=root.path.name or str(root.path)) for root in roots]
    names = [root.name for root in named]
    return [root if names.count(root.name) == 1 else replace(root, name=str(root.path).strip("/")) for root in named]
