"""Confusion matrix as a Markdown table and as an image."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from lossboard.train.data.batches import Ids

CELL_PIXELS = 72
MIN_CELL_PIXELS = 6
MAX_PIXELS = 1200
LABEL_PIXELS = 110
LABEL_LETTERS = 14
FONT_PIXELS = 14
# Colors for none and for all of a class.
PALE, DEEP = np.array([247, 250, 253]), np.array([8, 64, 129])
INK, MUTED, LIGHT = (30, 34, 40), (96, 104, 114), (255, 255, 255)


def confusion_table(confusion: Ids, classes: Sequence[str]) -> str:
    names = [escape(name) for name in classes]
    head = ["| true \\ predicted | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    rows = [f"| **{name}** | " + " | ".join(map(str, row)) + " |" for name, row in zip(names, confusion, strict=True)]
    return "\n".join(head + rows)


def confusion_figure(confusion: Ids, classes: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Returns an image with a row for each true class and a column for each predicted class.

    A darker cell holds a larger share of its row. Counts and names are drawn if the cells are large enough.
    """
    count = len(classes)
    cell = max(MIN_CELL_PIXELS, min(CELL_PIXELS, MAX_PIXELS // count))
    has_labels = cell >= 3 * FONT_PIXELS
    margin = LABEL_PIXELS if has_labels else 2 * FONT_PIXELS
    shares = confusion / np.maximum(confusion.sum(axis=1, keepdims=True), 1)
    cells = (PALE + shares[..., None] * (DEEP - PALE)).round().astype(np.uint8)
    size = margin + count * cell
    image = Image.new("RGB", (size, size), "white")
    image.paste(Image.fromarray(cells.repeat(cell, axis=0).repeat(cell, axis=1)), (margin, margin))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(FONT_PIXELS)
    draw.text((margin / 2, FONT_PIXELS), "true \\ predicted" if has_labels else "", fill=MUTED, font=font, anchor="mm")
    for i, name in enumerate(classes if has_labels else ()):
        short = name if len(name) <= LABEL_LETTERS else name[: LABEL_LETTERS - 1] + "…"
        middle = margin + (i + 0.5) * cell
        draw.text((margin - 6, middle), short, fill=INK, font=font, anchor="rm")
        across = Image.new("RGB", (margin, FONT_PIXELS + 6), "white")
        ImageDraw.Draw(across).text((6, across.height / 2), short, fill=INK, font=font, anchor="lm")
        image.paste(across.rotate(90, expand=True), (round(middle - across.height / 2), 0))
        for j in range(count):
            ink = LIGHT if shares[i, j] > 0.5 else INK
            place = (margin + (j + 0.5) * cell, middle)
            draw.text(place, str(confusion[i, j]), fill=ink, font=font, anchor="mm")
    return np.asarray(image)
