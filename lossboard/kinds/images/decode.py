"""Images.

    old  Summary.Image {height 1, width 2, colorspace 3, encoded_image_string 4}: one image (a video is an animated GIF)
    new  string tensor [width, height, image, image …], sizes as decimal text

Sizes are those that the record states. torch states the size before its `rescale`. The encoded bytes are not changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.events.summary import IMAGE, Value
from lossboard.events.tensors import Tensor
from lossboard.events.wire import Message
from lossboard.kinds.samples import Sample, SampledPoint
from lossboard.kinds.series import Series, series_of
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import Run


@dataclass(frozen=True, slots=True)
class Image(Sample):
    """One encoded image."""

    width: int
    height: int

    def array(self) -> npt.NDArray[Any]:
        """Returns the pixels, [height, width, channels]. An animation has a further axis in front, its frames."""
        from lossboard.kinds.images.pixels import decode_pixels

        return decode_pixels(self.data)


class ImageStep(SampledPoint[Image]):
    """The images of a tag at one step."""

    __slots__ = ()

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> ImageStep:
        return cls(step, wall_time, hidden, samples(data))


def samples(data: bytes) -> tuple[Image, ...]:
    """Returns the images in a Summary.Value."""
    value = Value.parse(data)
    if value.data_field == IMAGE:
        image = Message(value.body)
        return (Image(image.blob(4), image.int64(2), image.int64(1)),)
    strings = Tensor.of(value).strings()
    try:
        width, height = int(strings[0]), int(strings[1])
    except (IndexError, ValueError):
        raise DecodeError("The image tensor does not start with width and height") from None
    return tuple(Image(encoded, width, height) for encoded in strings[2:])


def images(run: Run, tag: str, *, attempts: bool = False, max_bytes: int = NO_LIMIT) -> Series[ImageStep]:
    return series_of(run, "images", tag, ImageStep.parse, attempts=attempts, max_bytes=max_bytes)
