"""What images answer: which there are, one as it was logged, one small."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError
from lossboard.kinds.images.decode import Image, ImageStep, images
from lossboard.kinds.images.thumbnail import thumbnail
from lossboard.kinds.media import MAX_SHOWN_BYTES, get_point, get_sample, list_series
from lossboard.kinds.mime import ending
from lossboard.kinds.routes import BlobResult, Download, Route, RouteResult, StreamResult
from lossboard.kinds.zip_download import ZipEntry, zip_download

if TYPE_CHECKING:
    from lossboard.kinds.context import Context

_SIDES = (64, 128, 256, 512)
"""The thumbnails that are made: few sizes, so that they are found again."""

_shown = partial(images, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> RouteResult:
    return list_series(context, params, "images", _shown, _newest)


def _newest(point: ImageStep) -> dict[str, Any]:
    first = point.samples[0] if point.samples else None
    size = {"width": first.width, "height": first.height, "mime": first.mime} if first else {}
    return {"samples": len(point.samples), **size}


def blob(context: Context, params: Mapping[str, Any]) -> RouteResult:
    image = _asked(context, params)
    return BlobResult(image.data, image.mime)


def thumb(context: Context, params: Mapping[str, Any]) -> RouteResult:
    side = next((side for side in _SIDES if str(side) == str(params.get("side"))), None)
    if side is None:
        raise UsageError(f'Expected "side" to be one of {", ".join(map(str, _SIDES))}.')
    return BlobResult(thumbnail(_asked(context, params).data, side), "image/png")


def download(context: Context, params: Mapping[str, Any]) -> StreamResult:
    return zip_download(context, params, _shown, _entries, filename="images.zip")


def _entries(point: ImageStep) -> Iterator[ZipEntry]:
    return (ZipEntry(image.data, ending(image.mime)) for image in point.samples)


def _asked(context: Context, params: Mapping[str, Any]) -> Image:
    return get_sample(params, get_point(context, params, _shown).samples)


ROUTES = (
    Route("series", series, "The images of the chosen runs: tags, steps, samples and sizes", "POST"),
    Route("blob", blob, "One image, its bytes as they were logged"),
    Route("thumb", thumb, "One image, small, as PNG"),
    Download("zip", download, "Some images, or every step of some, as one zip"),
)
