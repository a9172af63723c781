"""Limits of the size of a request, checked before its work starts. Its CPU time is limited by `cancellation.py`."""

from __future__ import annotations

from lossboard.errors import UsageError

MAX_STEPS = 100_000
"""Points that one request decodes."""
MAX_LISTED_STEPS = 2_000_000
"""Steps that one request lists."""
MAX_RESPONSE_BYTES = 128 << 20


def check_size(size: int, maximum: int, unit: str, advice: str) -> None:
    """Raises UsageError if a request is larger than it may be."""
    if size > maximum:
        raise UsageError(f"This request needs {size:,} {unit}, more than the limit of {maximum:,}. {advice}")
