"""Routes of images: the series, one image as logged, thumbnails and ZIP downloads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from lossboard.errors import UsageError
from lossboard.kinds.context import Context
from lossboard.kinds.images.decode import ImageStep, images
from lossboard.kinds.images.documents import ImageSeries, ImageSeriesList
from lossboard.kinds.images.pixels import decoding_bytes
from lossboard.kinds.images.thumbnail import thumbnail
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, get_sample, list_series, sample_blob
from lossboard.kinds.routes import BlobResult, Download, JsonResult, Route, StreamResult
from lossboard.kinds.zip_download import sample_entries, zip_download

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
    return sample_blob(get_sample(context, params, _shown))


def thumb(context: Context, params: Mapping[str, Any]) -> BlobResult:
    side = next((side for side in _SIDES if str(side) == str(params.get("side"))), None)
    if side is None:
        raise UsageError(f'Expected "side" to be one of {", ".join(map(str, _SIDES))}.')
    image = get_sample(context, params, _shown).data
    with context.decoding_memory.reserve(decoding_bytes(image)):
        return BlobResult(thumbnail(image, side), "image/png")


def download(context: Context, params: Mapping[str, Any]) -> StreamResult:
    return zip_download(context, params, _shown, sample_entries, filename="images.zip")


ROUTES = (
    Route("series", series, "Images of the selected runs: tags, steps, samples and sizes", "POST"),
    Route("blob", blob, "One image, as logged"),
    Route("thumb", thumb, "One image as a small PNG"),
    Download("zip", download, "Some images, or every step of some series, as one ZIP"),
)
