"""Formatting of tables, steps and counts for a terminal."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence

RIGHT_ALIGNED = frozenset({"tags", "points", "runs", "superseded", "files", "size"})
MAX_CELL_CHARS = 60


def format_table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], *, right_aligned: Container[str] = RIGHT_ALIGNED
) -> Iterator[str]:
    """Yields lines with aligned columns. Empty columns are left out."""
    cells = [[_shortened(cell) for cell in row] for row in rows]
    used = [i for i in range(len(headers)) if i == 0 or any(row[i] for row in cells)]
    widths = {i: max(display_width(row[i]) for row in [list(headers), *cells]) for i in used}
    for row in [list(headers), *cells]:
        yield "  ".join(pad(row[i], widths[i], headers[i] in right_aligned) for i in used).rstrip()


def strip_control_chars(name: str) -> str:
    """Returns a logged name that is safe to print: no escape sequences, line breaks or lone surrogates."""
    readable = os.fsencode(name).decode("utf-8", "replace")
    return "".join(c if unicodedata.category(c)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for c in readable)


def pluralize(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_steps(first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return ""
    return f"{first:,}" if first == last else f"{first:,} … {last:,}"


def truncate(cell: str, width: int) -> str:
    """Returns a cell that is at most `width` wide. The end is replaced by an ellipsis if it does not fit."""
    if display_width(cell) <= width:
        return cell
    kept = cell[: max(width - 1, 0)]
    while display_width(kept) > width - 1 and kept:
        kept = kept[:-1]
    return f"{kept}…" if width > 0 else ""


def _shortened(cell: str) -> str:
    return cell if len(cell) <= MAX_CELL_CHARS else f"{cell[: MAX_CELL_CHARS // 2]}…{cell[1 - MAX_CELL_CHARS // 2 :]}"


def pad(cell: str, width: int, right: bool) -> str:
    """Returns a cell with spaces up to a width."""
    gap = " " * (width - display_width(cell))
    return gap + cell if right else cell + gap


def display_width(cell: str) -> int:
    """Returns the width in the terminal: 2 for Chinese, Japanese and Korean characters, 0 for accents."""
    if cell.isascii():
        return len(cell)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in cell)
