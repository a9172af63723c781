"""Decoding of logged images with Pillow.

A logged image is hostile input: its claimed size is checked before it is decoded, and only formats on the list
are decoded.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageSequence, UnidentifiedImageError

from lossboard.errors import DecodeError

_FORMATS = ("PNG", "GIF", "JPEG", "BMP", "WEBP")
_MAX_PIXELS = 64_000_000
_MAX_WEBP_PIXELS = 20_000_000
"""Pillow holds the pixels of a WebP image four times."""
_BYTES_PER_PIXEL = 8
"""Memory that decoding takes: four bytes for the image, and as many for one in another mode."""
# Pillow allocates an image in blocks. Those of its default size come from the heap of the thread, which keeps them.
# malloc maps blocks above 32 MB, and gives them back to the system.
Image.core.set_block_size(64 << 20)  # type: ignore[attr-defined] # documented, but not in the types
_ARRAY_MODES = ("L", "LA", "RGB", "RGBA", "I;16")


@contextmanager
def open_image(data: bytes) -> Iterator[Image.Image]:
    """Opens an image. Errors, also later ones in the `with` block, become DecodeError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
            if image.width * image.height > (_MAX_WEBP_PIXELS if image.format == "WEBP" else _MAX_PIXELS):
                raise DecodeError(
                    f"The image is {image.width} × {image.height}, too large to show here. Download it instead."
                )
            yield image
    except UnidentifiedImageError:
        raise DecodeError(
            "This is not a valid PNG, GIF, JPEG, BMP or WebP image. You can download the bytes."
        ) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise DecodeError(f"The image has more than {_MAX_PIXELS:,} pixels, too large to show here.") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise DecodeError(f"The image cannot be decoded: {error}") from None


def decoding_bytes(data: bytes) -> int:
    """Returns how much memory it takes to decode an image. Reads only its header."""
    with open_image(data) as image:
        return _BYTES_PER_PIXEL * image.width * image.height


def decode_pixels(data: bytes) -> npt.NDArray[Any]:
    """Returns [height, width, channels], or for an animation [frames, height, width, channels].

    The type is uint8, or uint16 for PNGs with 16 bits.
    """
    with open_image(data) as image:
        frames = getattr(image, "n_frames", 1)
        if frames * image.width * image.height > _MAX_PIXELS:
            raise DecodeError(f"The animation has more than {_MAX_PIXELS:,} pixels.")
        arrays = [_to_array(frame) for frame in ImageSequence.Iterator(image)]
    return arrays[0] if len(arrays) == 1 else np.stack(arrays)


def _to_array(image: Image.Image) -> npt.NDArray[Any]:
    if image.mode not in _ARRAY_MODES:
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    array = np.array(image)
    return array[..., np.newaxis] if array.ndim == 2 else array
