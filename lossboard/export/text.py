"""Text into binary files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, TextIO


@contextmanager
def utf8_writer(out: BinaryIO) -> Iterator[TextIO]:
    """UTF-8 with bare line feeds, whatever the locale; file names that are no UTF-8 get question marks."""
    text = io.TextIOWrapper(out, "utf-8", "replace", newline="")
    yield text
    text.flush()
    text.detach()
