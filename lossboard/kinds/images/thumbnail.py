"""Thumbnails of logged images, so that a page with a thousand images does not load the originals.

A logged image is hostile input: its claimed size is checked before it is decoded, and only formats on the list
are decoded.
"""

from __future__ import annotations

import io
import warnings

from PIL import Image, UnidentifiedImageError

from lossboard.errors import DecodeError

_FORMATS = ("PNG", "GIF", "JPEG", "BMP", "WEBP")
_MAX_PIXELS = 64_000_000


def thumbnail(data: bytes, side: int) -> bytes:
    """Returns a PNG of at most `side` × `side`, of an animation the first frame. Small images are not scaled."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
            _check_size(image)
            image.draft("RGB", (side, side))
            small = image.convert("RGBA" if image.has_transparency_data else "RGB")
            small.thumbnail(
                (side, side), Image.Resampling.BOX if _shrinks_far(image, side) else Image.Resampling.LANCZOS
            )
            out = io.BytesIO()
            small.save(out, "PNG", compress_level=1)
            return out.getvalue()
    except UnidentifiedImageError:
        raise DecodeError(
            "This is not a valid PNG, GIF, JPEG, BMP or WebP image. You can download the bytes."
        ) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise DecodeError(f"The image has more than {_MAX_PIXELS:,} pixels, too large to show here.") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise DecodeError(f"The image cannot be decoded: {error}") from None


def _check_size(image: Image.Image) -> None:
    if image.width * image.height > _MAX_PIXELS:
        raise DecodeError(f"The image is {image.width} × {image.height}, too large to show here. Download it instead.")


def _shrinks_far(image: Image.Image, side: int) -> bool:
    """Returns whether the image is so large that a box mean looks as good as a filter. It is much faster."""
    return max(image.size) > 4 * side
