"""Assets of a run: files next to its event files, such as projector configs and profiler traces, as series."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lossboard.errors import DecodeError
from lossboard.store.run import Damage, Key

if TYPE_CHECKING:
    from lossboard import _core

PLUGIN_PREFIX = "asset:"
"""Starts the plugin names of asset series. The core ignores it in event files, so no record can imitate an asset."""


@dataclass(frozen=True, slots=True)
class AssetFile:
    """A file that a reader turns into points."""

    run: str
    path: Path
    root: Path
    """The logdir. Paths that the file names must not lead out of it."""
    size_bytes: int
    wall_time: float
    """The time when the file was last modified."""


class AssetPoint(Protocol):
    """A point that an asset file holds."""

    @property
    def tag(self) -> str: ...
    @property
    def step(self) -> int: ...
    @property
    def wall_time(self) -> float: ...
    def linked_stamps(self) -> Hashable:
        """Returns a value that changes when one of the files changes that the point names."""


class AssetReader(Protocol):
    """Reader of one kind of asset."""

    @property
    def plugin(self) -> str: ...
    @property
    def suffixes(self) -> Sequence[str]:
        """Ends of the names of its files."""

    @property
    def read(self) -> Callable[[AssetFile], Iterable[AssetPoint]]:
        """Returns the points in a file. Raises DecodeError or OSError if it cannot be read."""


@dataclass(frozen=True, slots=True)
class AssetSeries:
    points: tuple[AssetPoint, ...]
    """In the order of their file names."""
    changed_at: int


@dataclass(frozen=True, slots=True)
class _ReadFile:
    changed_at: int
    points: tuple[tuple[Key, AssetPoint], ...] = ()
    linked_stamps: Hashable = ()
    damage: Damage | None = None

    def has_changed_links(self) -> bool:
        return self.linked_stamps != _linked_stamps(self.points)


@dataclass(frozen=True, slots=True)
class RunAssets:
    """The asset series of a run as of one cursor. A change makes a new object, so readers need no lock."""

    cursor: int = 0
    series: dict[Key, AssetSeries] = field(default_factory=dict)
    removed: frozenset[Key] = frozenset()
    """Series that the object before this one had."""
    damage: tuple[Damage, ...] = ()
    files: dict[str, _ReadFile] = field(default_factory=dict)

    def paths(self, folder: Path) -> list[Path]:
        """Returns the asset files. `folder` is that of the run."""
        return [_asset_path(folder, name) for name in self.files]

    def updated(self, cursor: int, files: dict[str, _ReadFile]) -> RunAssets:
        points: dict[Key, list[AssetPoint]] = {}
        changed_at: dict[Key, int] = {}
        for file in files.values():
            for key, point in file.points:
                points.setdefault(key, []).append(point)
                changed_at[key] = max(changed_at.get(key, 0), file.changed_at)
        series = {}
        for key in sorted(points, key=lambda key: (key[1], key[0])):
            known, now = self.series.get(key), tuple(points[key])
            lost_points = known is not None and not set(known.points) <= set(now)
            series[key] = AssetSeries(now, cursor if lost_points else changed_at[key])
        damage = tuple(file.damage for file in files.values() if file.damage is not None)
        return RunAssets(cursor, series, frozenset(self.series.keys() - series.keys()), damage, files)


_NO_ASSETS = RunAssets()
"""One object for the runs without assets, which may be a hundred thousand. It is never changed."""


class AssetIndex:
    """The assets of one run, read when they are first requested, and again after they changed."""

    __slots__ = ("_current", "_native", "_readers", "_root")

    def __init__(self, native: _core.Run, root: Path, readers: Sequence[AssetReader]) -> None:
        self._native = native
        self._root = root
        self._readers = readers
        self._current = _NO_ASSETS

    @property
    def current(self) -> RunAssets:
        # Two threads may both read the changed files. They get equal results, so neither waits for the other.
        known, cursor = self._current, self._native.assets_changed_at
        if cursor > known.cursor:
            files = {asset.name: self._file(asset, known.files.get(asset.name)) for asset in self._native.assets()}
            self._current = known = known.updated(cursor, files)
        return known

    def invalidate_changed_links(self) -> None:
        """Makes the next poll report assets whose linked files changed. Call it only in the thread that polls."""
        for name, file in self._current.files.items():
            if file.has_changed_links():
                self._native.invalidate_asset(os.fsencode(name))

    def _file(self, asset: _core.Asset, known: _ReadFile | None) -> _ReadFile:
        return known if known is not None and known.changed_at == asset.changed_at else self._read(asset)

    def _read(self, asset: _core.Asset) -> _ReadFile:
        reader = next(reader for reader in self._readers if asset.name.endswith(tuple(reader.suffixes)))
        path = _asset_path(Path(self._native.path), asset.name)
        file = AssetFile(self._native.name, path, self._root, asset.bytes, asset.modified_ns / 1e9)
        try:
            points = tuple(((reader.plugin, point.tag), point) for point in reader.read(file))
        except (DecodeError, OSError) as error:
            # A file that is still being written is read again when it has changed.
            return _ReadFile(asset.changed_at, damage=Damage(asset.name, 0, asset.bytes, f"cannot be read: {error}"))
        return _ReadFile(asset.changed_at, points, _linked_stamps(points))


def _asset_path(folder: Path, name: str) -> Path:
    # Without `..`, which leads out of the logdir if the folder of the run is a link.
    return Path(os.path.normpath(folder / name))


def _linked_stamps(points: tuple[tuple[Key, AssetPoint], ...]) -> Hashable:
    return tuple(point.linked_stamps() for _, point in points)
