"""ZIP downloads of media. A ZIP is created while it is sent, so memory holds only one step of one series.

Files are named run/tag/step/sample. They are not compressed, because media are compressed already. Names come from
logs, so parts that could lead out of the folder of the unpacked ZIP are removed.
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
from lossboard.kinds.mime import file_extension
from lossboard.kinds.params import get_objects, get_str
from lossboard.kinds.routes import StreamResult
from lossboard.kinds.samples import SampledPoint
from lossboard.kinds.series import Point, Series

if TYPE_CHECKING:
    from lossboard.kinds.context import Context

_MAX_SERIES = 20_000
_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest date of the format. A fixed date makes equal downloads equal in every byte."""

P = TypeVar("P", bound=Point)


@dataclass(frozen=True)
class ZipEntry:
    """One file of a ZIP."""

    data: bytes
    extension: str


def zip_download(
    context: Context,
    params: Mapping[str, Any],
    open_series: SeriesOpener[P],
    entries: Callable[[P], Iterator[ZipEntry]],
    *,
    filename: str,
) -> StreamResult:
    """Returns the media that `things` [{run, tag, step}] lists; without a `step`, every step of the series."""
    selected = []
    for thing in get_objects(params, "things", maximum=_MAX_SERIES):
        run, tag = context.find_run(thing.get("run")), get_str(thing, "tag")
        step = get_int_param(thing, "step") if thing.get("step") is not None else None
        selected.append((f"{_folder(run.name)}/{_folder(tag)}", open_series(run, tag), step))
    return StreamResult(_zip(_files(selected, entries)), "application/zip", filename)


def sample_entries(point: SampledPoint[Any]) -> Iterator[ZipEntry]:
    """Yields a file for each sample of a point."""
    return (ZipEntry(sample.data, file_extension(sample.mime)) for sample in point.samples)


def _files(
    selected: list[tuple[str, Series[P], int | None]], entries: Callable[[P], Iterator[ZipEntry]]
) -> Iterator[tuple[str, bytes]]:
    for folder, series, step in selected:
        for index in range(len(series)) if step is None else np.flatnonzero(series.steps == step):
            try:
                point = series[int(index)]
            except (DecodeError, LogdirError):  # the UI reports it
                continue
            for sample, entry in enumerate(entries(point)):
                yield f"{folder}/{point.step}/{sample}.{entry.extension}", entry.data


def _zip(files: Iterator[tuple[str, bytes]]) -> Iterator[bytes]:
    out = _Buffer()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        for name, data in files:
            packed.writestr(zipfile.ZipInfo(name, _DATE), data)
            yield out.take()
    yield out.take()


class _Buffer(io.RawIOBase):
    """Output of zipfile that cannot seek. `take` returns and removes what was written."""

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
