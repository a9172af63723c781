"""Names as cells of a CSV file."""

from __future__ import annotations

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_cell(name: str) -> str:
    """A name, quoted where it must be, that no spreadsheet takes for a formula."""
    name = f"'{name}" if name.startswith(FORMULA_STARTS) else name
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\r\n') else name
