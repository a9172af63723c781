"""Cells of CSV files."""

from __future__ import annotations

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_cell(name: str) -> str:
    """Returns a name as a CSV cell: quoted if needed, and never a formula in a spreadsheet."""
    name = f"'{name}" if name.startswith(FORMULA_STARTS) else name
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\r\n') else name
