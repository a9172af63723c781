"""The nearest name to a misspelled one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_MAX_NAMES = 2000


def nearest(name: str, names: Iterable[str]) -> str:
    """Returns the name that is most like a misspelled one, or an empty string. Looks at the first 2000 names only:
    comparing with a million would take seconds."""
    known = {one.lower(): one for one in islice(names, _MAX_NAMES)}
    found = get_close_matches(name.lower()[:100], known, n=1, cutoff=0.6)
    return known[found[0]] if found else ""
