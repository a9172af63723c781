"""Lists of runs as CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TypeAlias

from lossboard.kinds.cells import csv_cell
from lossboard.kinds.json_numbers import number
from lossboard.select.facts.values import FactValue

Cell: TypeAlias = FactValue | None
Row: TypeAlias = Sequence[Cell]
Place: TypeAlias = tuple[int, int]
"""Row and column."""

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\n": " ",
        **{character: f"\\{character}" for character in "&%$#_{}"},
    }
)
_POWER = re.compile(r"(-?\d(?:\.\d+)?)e([+-]\d+)")
_MARKDOWN = str.maketrans({"|": "\\|", "\n": " ", "\r": " "})


def to_csv(names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Yields lines. Numbers are exact; a missing value is an empty cell."""
    yield ",".join(map(csv_cell, names)) + "\n"
    for row in rows:
        yield ",".join(csv_cell(cell) if isinstance(cell, str) else _exact(cell) for cell in row) + "\n"


def to_json(names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Yields an array with an object for each row. A missing value is null."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    before = "[\n "
    for row in rows:
        values = {
            name: number(cell) if isinstance(cell, float) else cell for name, cell in zip(names, row, strict=True)
        }
        yield before + encode({name: _whole(value) for name, value in values.items()})
        before = ",\n "
    yield "[]\n" if before.startswith("[") else "\n]\n"


def to_markdown(names: Sequence[str], rows: Sequence[Row], best: Container[Place] = ()) -> Iterator[str]:
    """Yields lines of a table. The cells at the places `best` are bold."""
    yield "| " + " | ".join(name.translate(_MARKDOWN) for name in names) + " |\n"
    yield "|" + "|".join(" ---: " if is_numeric(rows, i) else " --- " for i in range(len(names))) + "|\n"
    for at, row in enumerate(rows):
        cells = (format_cell(cell).translate(_MARKDOWN) for cell in row)
        yield "| " + " | ".join(f"**{cell}**" if (at, i) in best else cell for i, cell in enumerate(cells)) + " |\n"


def to_latex(names: Sequence[str], rows: Sequence[Row], best: Container[Place] = ()) -> Iterator[str]:
    """Yields a table for the package booktabs. The cells at the places `best` are bold."""
    columns = "".join("r" if is_numeric(rows, i) else "l" for i in range(len(names)))
    yield f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
    yield " & ".join(name.translate(_LATEX) for name in names) + " \\\\\n\\midrule\n"
    for at, row in enumerate(rows):
        cells = (_latex_cell(cell, is_bold=(at, i) in best) for i, cell in enumerate(row))
        yield " & ".join(cells) + " \\\\\n"
    yield "\\bottomrule\n\\end{tabular}\n"


def is_numeric(rows: Sequence[Row], column: int) -> bool:
    """Whether a column has numbers only, and at least one."""
    cells = [row[column] for row in rows if row[column] is not None]
    return bool(cells) and all(isinstance(cell, float) and not isinstance(cell, bool) for cell in cells)


def format_cell(cell: Cell) -> str:
    """A value for people: at most four significant digits, unless it is a whole number."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).lower()
    if cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return f"{cell:.4g}"


def _latex_cell(cell: Cell, *, is_bold: bool) -> str:
    text = cell.translate(_LATEX) if isinstance(cell, str) else format_cell(cell)
    if not isinstance(cell, str) or "±" in cell:  # other texts, such as names, keep 1e-5 as it is
        text = _POWER.sub(lambda found: _latex_power(found[1], int(found[2]), is_bold=is_bold), text)
    text = text.replace("±", r"$\pm$")
    return rf"\textbf{{{text}}}" if is_bold else text


def _latex_power(digits: str, exponent: int, *, is_bold: bool) -> str:
    power = rf"{digits} \times 10^{{{exponent}}}"
    return rf"$\mathbf{{{power}}}$" if is_bold else f"${power}$"


def _exact(cell: bool | float | None) -> str:
    return "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(_whole(number(cell)))


def _whole(value: object) -> object:
    """A whole number without its decimal point, so that a step reads 100 and not 100.0."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
