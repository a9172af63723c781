"""Times, durations and sizes as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lossboard.select.facts.columns import ColumnType
    from lossboard.select.facts.values import FactValue


def describe_fact(value: FactValue | None, type: ColumnType) -> FactValue | None:
    """Returns times, durations and sizes as text with a unit, and other values as they are."""
    if not isinstance(value, float) or type not in ("time", "duration", "size"):
        return value
    if type == "size":
        return format_bytes(round(value))
    return format_time(value) if type == "time" else format_duration(value)


def format_bytes(number: int) -> str:
    """Formats a size in the unit that gives one to three digits before the point."""
    if number < 1000:
        return f"{number} B"
    amount = float(number)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1000
        if amount < 1000 or unit == "TB":
            break
    return f"{amount:.1f} {unit}"


def format_time(seconds: float | None) -> str:
    """Formats a time as local time. Empty if it is outside of the calendar."""
    if seconds is None:
        return ""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return ""


def format_duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f}s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours}h {minutes:02d}m" if hours else f"{minutes}m"
