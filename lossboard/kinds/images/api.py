"""Routes of images: the series, one image as logged, thumbnails and ZIP downloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, cast

from lossboard.errors import UsageError
from lossboard.kinds.context import Context
from lossboard.kinds.images.decode import Image, ImageStep, images
from lossboard.kinds.images.documents import ImageSeries, ImageSeriesList
from lossboard.kinds.images.thumbnail import thumbnail
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, get_point, get_sample, list_series
from lossboard.kinds.mime import ending
from lossboard.kinds.routes import BlobResult, Download, JsonResult, Route, StreamResult
from lossboard.kinds.zip_download import ZipEntry, zip_download

_SIDES = (64, 128, 256, 512)
"""Sizes of thumbnails. They are few, so that a cached response is often found."""

_shown = partial(images, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> JsonResult[ImageSeriesList]:
    cursor = context.logdir.cursor
    found = [_describe(one, newest) for one, newest in list_series(context, params, "images", _shown)]
    return JsonResult({"cursor": cursor, "series": found})


def _describe(series: MediaSeries, newest: ImageStep | None) -> ImageSeries:
    described = cast(ImageSeries, series)  # all further fields are optional
    if newest is not None:
        described["samples"] = len(newest.samples)
        for first in newest.samples[:1]:
            described |= {"width": first.width, "height": first.height, "mime": first.mime}
    return described


def blob(context: Context, params: Mapping[str, Any]) -> BlobResult:
    image = _get_image(context, params)
    return BlobResult(image.data, image.mime)


def thumb(context: Context, params: Mapping[str, Any]) -> BlobResult:
    side = next((side for side in _SIDES if str(side) == str(params.get("side"))), None)
    if side is None:
        raise UsageError(f'Expected "side" to be one of {", ".join(map(str, _SIDES))}.')
    return BlobResult(thumbnail(_get_image(context, params).data, side), "image/png")


def download(context: Context, params: Mapping[str, Any]) -> StreamResult:
    return zip_download(context, params, _shown, _entries, filename="images.zip")


def _entries(point: ImageStep) -> Iterator[ZipEntry]:
    return (ZipEntry(image.data, ending(image.mime)) for image in point.samples)


def _get_image(context: Context, params: Mapping[str, Any]) -> Image:
    return get_sample(params, get_point(context, params, _shown).samples)


ROUTES = (
    Route("series", series, "The images of the chosen runs: tags, steps, samples and sizes", "POST"),
    Route("blob", blob, "One image, its bytes as they were logged"),
    Route("thumb", thumb, "One image, small, as PNG"),
    Download("zip", download, "Some images, or every step of some, as one zip"),
)
