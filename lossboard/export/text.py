"""UTF-8 text output."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, TextIO


@contextmanager
def utf8_writer(out: BinaryIO) -> Iterator[TextIO]:
    """Yields a writer of UTF-8 with LF line ends, in any locale. Invalid UTF-8 in names becomes question marks."""
    text = io.TextIOWrapper(out, "utf-8", "replace", newline="")
    try:
        yield text
    finally:
        text.detach()  # also after an error, because a discarded wrapper would close `out`
