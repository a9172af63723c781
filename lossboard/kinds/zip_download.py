"""Many logged things as one zip, made while it is sent: memory holds one step of one series, whatever the whole is.

Entries are named run/tag/step/sample. Nothing is compressed: what is worth packing is packed already. Names come from
logs, so each part is cleaned of what could lead out of the folder that the zip is unpacked in.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lossboard.errors import DecodeError, LogdirError
from lossboard.kinds.media import SeriesOpener, get_int_param
from lossboard.kinds.params import get_objects, get_str
from lossboard.kinds.routes import StreamResult
from lossboard.kinds.series import Point, Series

if TYPE_CHECKING:
    from lossboard.kinds.context import Context

_MAX_SERIES = 20_000
_DATE = (1980, 1, 1, 0, 0, 0)
"""Zip's earliest: the same things give the same bytes."""

P = TypeVar("P", bound=Point)


@dataclass(frozen=True)
class ZipEntry:
    """One file of the zip: its bytes, and how its name ends."""

    data: bytes
    ending: str


def zip_download(
    context: Context,
    params: Mapping[str, Any],
    open_series: SeriesOpener[P],
    entries: Callable[[P], Iterator[ZipEntry]],
    *,
    filename: str,
) -> StreamResult:
    """What `things` [{run, tag, step}] names; without a `step`, every step of that series."""
    wanted = []
    for thing in get_objects(params, "things", maximum=_MAX_SERIES):
        run, tag = context.find_run(thing.get("run")), get_str(thing, "tag")
        step = get_int_param(thing, "step") if thing.get("step") is not None else None
        wanted.append((f"{_folder(run.name)}/{_folder(tag)}", open_series(run, tag), step))
    return StreamResult(_zip(_files(wanted, entries)), "application/zip", filename)


def _files(
    wanted: list[tuple[str, Series[P], int | None]], entries: Callable[[P], Iterator[ZipEntry]]
) -> Iterator[tuple[str, bytes]]:
    for folder, series, step in wanted:
        for index in range(len(series)) if step is None else np.flatnonzero(series.steps == step):
            try:
                point = series[int(index)]
            except (DecodeError, LogdirError):  # it costs only itself; the board says so where it is shown
                continue
            for sample, entry in enumerate(entries(point)):
                yield f"{folder}/{point.step}/{sample}.{entry.ending}", entry.data


def _zip(files: Iterator[tuple[str, bytes]]) -> Iterator[bytes]:
    out = _Pipe()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        for name, data in files:
            packed.writestr(zipfile.ZipInfo(name, _DATE), data)
            yield out.take()
    yield out.take()


class _Pipe(io.RawIOBase):
    """Where zipfile writes without being able to go back; `take` empties it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _folder(name: str) -> str:
    parts = (re.sub(r'[\x00-\x1f<>:"\\|?*]', "_", part).strip(". ") for part in name.split("/"))
    return "/".join(part[:100] for part in parts if part) or "root"
