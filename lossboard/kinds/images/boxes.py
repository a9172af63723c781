"""Draws boxes with labels into an image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from lossboard.events.conversions import Array

_COLOUR, _TEXT_COLOUR, _THICKNESS = "Red", "black", 2


def draw_boxes(
    pixels: npt.NDArray[np.uint8], boxes: Array, labels: Sequence[str] | None, rescale: float
) -> npt.NDArray[np.uint8]:
    image = Image.fromarray(pixels)
    draw = ImageDraw.Draw(image)
    for i, (left, top, right, bottom) in enumerate(boxes.tolist()):
        corners = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(corners, width=_THICKNESS, fill=_COLOUR)
        if labels is not None and labels[i]:
            _draw_label(draw, labels[i], left, bottom)
    if rescale != 1:
        size = (int(image.width * rescale), int(image.height * rescale))
        image = image.resize(size, Image.Resampling.LANCZOS)
    return np.asarray(image)


def _draw_label(draw: ImageDraw.ImageDraw, label: str, left: float, bottom: float) -> None:
    font = ImageFont.load_default()
    x0, y0, x1, y1 = font.getbbox(label)
    width, height = x1 - x0, y1 - y0
    margin = np.ceil(0.05 * height)
    draw.rectangle([(left, bottom - height - 2 * margin), (left + width, bottom)], fill=_COLOUR)
    draw.text((left + margin, bottom - height - margin), label, fill=_TEXT_COLOUR, font=font)
