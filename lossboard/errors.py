"""Exceptions. Each message says what happened and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_MAX_COMPARED_NAMES = 20_000


class LossboardError(Exception):
    """Base class of all Lossboard errors."""


class LogdirError(LossboardError):
    """A logdir cannot be opened."""


class DecodeError(LossboardError):
    """The content of a record cannot be decoded."""


class TooLarge(DecodeError):
    """A record is too large to load for this purpose."""


class UsageError(LossboardError):
    """A command or function got an argument that it cannot use."""


class DataError(LossboardError):
    """Training data cannot be read. The message names the file and the line or field."""


class WriteError(LossboardError, OSError):
    """The log directory of a run cannot be written. Raised only when a writer is created, never while logging."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Returns a sentence with the known names that are most similar to an unknown one, or "" if none is similar."""
    names = list(islice(known, _MAX_COMPARED_NAMES))
    by_lower_case = {other.lower(): other for other in names}
    similar = get_close_matches(name, names, n=3) or [
        by_lower_case[other] for other in get_close_matches(name.lower(), by_lower_case, n=3)
    ]
    return f" Did you mean {' or '.join(map(repr, similar))}?" if similar else ""
