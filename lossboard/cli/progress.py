"""Shows progress on stderr if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

T = TypeVar("T")


def progress_bar(items: Iterable[T], text: str, *, total: int | None = None) -> Iterable[T]:
    """Returns the items and shows how many have been used. `total` is their number, if they have no length."""
    return _with_bar(items, text, total) if sys.stderr.isatty() else items


def spinner(text: str) -> AbstractContextManager[object]:
    """Shows that something runs, if its duration is unknown."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)


def _with_bar(items: Iterable[T], text: str, total: int | None) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(items, total=total, description=text)
