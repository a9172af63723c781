"""Sprite images: one picture that holds a thumbnail of each row. Its header is checked before anybody decodes it."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image, UnidentifiedImageError

from lossboard.errors import DecodeError
from lossboard.kinds.embeddings.decode import Embedding
from lossboard.kinds.mime import sniff

MAX_PIXELS = 16384 * 16384


@dataclass(frozen=True)
class Sprite:
    data: bytes
    mime: str
    width: int
    """Of one thumbnail."""
    height: int
    columns: int


def read_sprite(embedding: Embedding, rows: int) -> Sprite:
    """Returns the sprite. Raises DecodeError if it does not hold a thumbnail for each row."""
    data = embedding.sprite()
    whole = _size(data)
    if embedding.sprite_size is None or min(embedding.sprite_size) < 1:
        raise DecodeError("The config does not say how large one image of the sprite is.")
    width, height = embedding.sprite_size
    columns, lines = whole[0] // width, whole[1] // height
    if columns * lines < rows:
        raise DecodeError(
            f"The sprite of {whole[0]} × {whole[1]} pixels holds {columns * lines} images of {width} × {height}, "
            f"and the tensor has {rows} rows."
        )
    return Sprite(data, sniff(data), width, height, columns)


def _size(data: bytes) -> tuple[int, int]:
    try:
        with Image.open(io.BytesIO(data)) as image:
            width, height = image.size
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        raise DecodeError("The sprite is not an image.") from None
    if width * height > MAX_PIXELS:
        raise DecodeError(f"The sprite claims {width} × {height} pixels, which is too large to show.")
    return width, height
