"""What images answer: which there are, one as it was logged, one small."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError
from lossboard.kinds.archive import Entry, archive
from lossboard.kinds.images.decode import Image, ImageStep, images
from lossboard.kinds.images.thumbnail import thumbnail
from lossboard.kinds.mime import ending
from lossboard.kinds.registry import Answer, Blob, Download, Route, Stream
from lossboard.kinds.steps import MAX_SHOWN_BYTES, list_series, point_asked, sample_asked

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir

_SIDES = (64, 128, 256, 512)
"""The thumbnails that are made: few sizes, so that they are found again."""

_shown = partial(images, max_bytes=MAX_SHOWN_BYTES)


def series(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    return list_series(logdir, parameters, "images", _shown, _newest)


def _newest(point: ImageStep) -> dict[str, Any]:
    first = point.samples[0] if point.samples else None
    size = {"width": first.width, "height": first.height, "mime": first.mime} if first else {}
    return {"samples": len(point.samples), **size}


def blob(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    image = _asked(logdir, parameters)
    return Blob(image.data, image.mime)


def thumb(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    side = next((side for side in _SIDES if str(side) == str(parameters.get("side"))), None)
    if side is None:
        raise UsageError(f'Expected "side" to be one of {", ".join(map(str, _SIDES))}.')
    return Blob(thumbnail(_asked(logdir, parameters).data, side), "image/png")


def download(logdir: Logdir, parameters: Mapping[str, Any]) -> Stream:
    return archive(logdir, parameters, _shown, _entries, filename="images.zip")


def _entries(point: ImageStep) -> Iterator[Entry]:
    return (Entry(image.data, ending(image.mime)) for image in point.samples)


def _asked(logdir: Logdir, parameters: Mapping[str, Any]) -> Image:
    return sample_asked(parameters, point_asked(logdir, parameters, _shown).samples)


ROUTES = (
    Route("series", series, "The images of the chosen runs: tags, steps, samples and sizes", "POST"),
    Route("blob", blob, "One image, its bytes as they were logged"),
    Route("thumb", thumb, "One image, small, as PNG"),
    Download("zip", download, "Some images, or every step of some, as one zip"),
)
