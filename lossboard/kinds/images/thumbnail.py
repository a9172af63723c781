"""Thumbnails of logged images, so that a page with a thousand images does not load the originals."""

from __future__ import annotations

import io

from PIL import Image

from lossboard.kinds.images.pixels import open_image


def thumbnail(data: bytes, side: int) -> bytes:
    """Returns a PNG of at most `side` × `side`, of an animation the first frame. Small images are not scaled."""
    with open_image(data) as image:
        image.draft("RGB", (side, side))
        mode = "RGBA" if image.has_transparency_data else "RGB"
        small = image if image.mode == mode else image.convert(mode)  # convert always copies
        filter = Image.Resampling.BOX if _shrinks_far(image, side) else Image.Resampling.LANCZOS
        small.thumbnail((side, side), filter)
        out = io.BytesIO()
        small.save(out, "PNG", compress_level=1)
        return out.getvalue()


def _shrinks_far(image: Image.Image, side: int) -> bool:
    """Returns whether the image is so large that a box mean looks as good as a filter. It is much faster."""
    return max(image.size) > 4 * side
