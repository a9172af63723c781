"""Tables, sizes, times and counts as a terminal shows them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

RIGHT_ALIGNED = frozenset({"tags", "points", "runs", "hidden", "size"})
WIDEST_CELL = 60


def format_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of columns as wide as they need to be; a column without content is left out."""
    cells = [[_shortened(cell) for cell in row] for row in rows]
    used = [i for i in range(len(heads)) if i == 0 or any(row[i] for row in cells)]
    widths = {i: max(_width(row[i]) for row in [list(heads), *cells]) for i in used}
    for row in [list(heads), *cells]:
        yield "  ".join(_padded(row[i], widths[i], heads[i] in RIGHT_ALIGNED) for i in used).rstrip()


def strip_control_chars(name: str) -> str:
    """A name from a log, safe for a terminal: no escape sequences, no line breaks, no lone surrogates."""
    readable = os.fsencode(name).decode("utf-8", "replace")
    return "".join(c if unicodedata.category(c)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for c in readable)


def pluralize(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_bytes(number: int) -> str:
    """Bytes in the unit that leaves one to three digits."""
    if number < 1000:
        return f"{number} B"
    amount = float(number)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1000
        if amount < 1000 or unit == "TB":
            break
    return f"{amount:.1f} {unit}"


def format_time(seconds: float | None) -> str:
    """Local time to the second; nothing for times that no calendar has."""
    if seconds is None:
        return ""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return ""


def format_steps(first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return ""
    return f"{first:,}" if first == last else f"{first:,} … {last:,}"


def _shortened(cell: str) -> str:
    return cell if len(cell) <= WIDEST_CELL else f"{cell[: WIDEST_CELL // 2]}…{cell[1 - WIDEST_CELL // 2 :]}"


def _padded(cell: str, width: int, right: bool) -> str:
    gap = " " * (width - _width(cell))
    return gap + cell if right else cell + gap


def _width(cell: str) -> int:
    """Columns on the screen: Chinese, Japanese and Korean take two, accents none."""
    if cell.isascii():
        return len(cell)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in cell)
