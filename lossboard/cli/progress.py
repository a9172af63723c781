"""Progress on stderr, where somebody sits in front of it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

T = TypeVar("T")


def progress_bar(items: Sequence[T], text: str) -> Iterable[T]:
    """The items, with a bar that fills while they are taken."""
    return _with_bar(items, text) if sys.stderr.isatty() else items


def spinner(text: str) -> AbstractContextManager[object]:
    """A spinner while something runs whose end cannot be foreseen."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)


def _with_bar(items: Sequence[T], text: str) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(items, description=text)
