"""What differs between two runs, as text: settings, environment, and where their curves part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lossboard.cli.formatting import format_table, strip_control_chars

if TYPE_CHECKING:
    from lossboard.doctor.two_runs import Comparison, CurvePair, Difference
    from lossboard.select.facts.values import FactValue

_MAX_ROWS = 40
_MAX_TAGS = 8


def report_lines(comparison: Comparison) -> Iterator[str]:
    for letter, name in zip("AB", comparison.names, strict=True):
        yield f"{letter}  {strip_control_chars(name)}"
    yield ""
    if comparison.settings:
        yield from _table(("setting", "A", "B"), [_cells(one) for one in comparison.settings])
    else:
        yield "No known setting differs."
    if comparison.environment:
        yield ""
        yield from _table(("environment", "A", "B"), [_cells(one) for one in comparison.environment])
    if comparison.curves:
        yield ""
        rows = [(strip_control_chars(pair.tag), describe_pair(pair)) for pair in comparison.curves]
        yield from _table(("curve", "difference"), rows)
    for letter, tags in (("A", comparison.only_a), ("B", comparison.only_b)):
        if tags:
            named = ", ".join(map(strip_control_chars, tags[:_MAX_TAGS]))
            yield ""
            yield f"Only {letter} has {named}{' …' if len(tags) > _MAX_TAGS else ''}"


def describe_pair(pair: CurvePair) -> str:
    """Returns in words how two curves differ."""
    if pair.equal_until == pair.last_step:
        return f"equal at steps {pair.first_step:,} … {pair.last_step:,}"
    equal = "" if pair.equal_until is None else f"equal until step {pair.equal_until:,}, "
    if pair.parts_at is None:
        return f"{equal}within the noise until step {pair.last_step:,}"
    return f"{equal}apart from step {pair.parts_at:,}: {pair.a:.4g}, {pair.b:.4g}"


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from format_table(headers, rows[:_MAX_ROWS])
    if len(rows) > _MAX_ROWS:
        yield f"and {len(rows) - _MAX_ROWS} more, which --json lists"


def _cells(row: Difference) -> tuple[str, str, str]:
    return strip_control_chars(row.name), _value_text(row.a), _value_text(row.b)


def _value_text(value: FactValue | None) -> str:
    if value is None:
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else strip_control_chars(str(value))
