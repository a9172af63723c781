"""Images.

    old  Summary.Image {height 1, width 2, colorspace 3, encoded_image_string 4}: one image (a video is an animated GIF)
    new  string tensor [width, height, image, image …], sizes as decimal text

Sizes are what the record states; torch states the size before its `rescale`. The encoded bytes are passed on untouched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.errors import DecodeError
from lossboard.events.summary import IMAGE, Value
from lossboard.events.tensors import Tensor
from lossboard.events.wire import Message
from lossboard.kinds.mime import sniff
from lossboard.kinds.series import Point, Series, series_of
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import Run


@dataclass(frozen=True, slots=True)
class Image:
    """One encoded image."""

    data: bytes
    width: int
    height: int

    @property
    def mime(self) -> str:
        return sniff(self.data)


@dataclass(frozen=True, slots=True)
class ImageStep(Point):
    """The images that a tag has at one step."""

    samples: tuple[Image, ...]

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> ImageStep:
        return cls(step, wall_time, hidden, samples(data))


def samples(data: bytes) -> tuple[Image, ...]:
    """The images in a Summary.Value."""
    value = Value.parse(data)
    if value.data_field == IMAGE:
        image = Message(value.body)
        return (Image(image.blob(4), image.int64(2), image.int64(1)),)
    strings = Tensor.of(value).strings()
    try:
        width, height = int(strings[0]), int(strings[1])
    except (IndexError, ValueError):
        raise DecodeError("An image tensor that does not begin with width and height") from None
    return tuple(Image(encoded, width, height) for encoded in strings[2:])


def images(run: Run, tag: str, *, attempts: bool = False, max_bytes: int = NO_LIMIT) -> Series[ImageStep]:
    return series_of(run, "images", tag, ImageStep.parse, attempts=attempts, max_bytes=max_bytes)
