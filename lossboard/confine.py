"""The one gate for paths that data names: they lead into their folder, or nowhere."""

from __future__ import annotations

from pathlib import Path

from lossboard.errors import DecodeError


def confine(named: str, *, beside: Path, within: Path) -> Path:
    """The regular file that `named` means, seen from the folder `beside`; refused where it, with all links resolved,
    lies outside the folder `within`."""
    try:
        real = (beside / named).resolve(strict=True)
        inside = real.is_relative_to(within.resolve(strict=True)) and real.is_file()
    except (OSError, ValueError, RuntimeError):  # missing, a name with a NUL, a loop of links
        inside = False
    if not inside:
        raise DecodeError(f"No file {named!r} within the logdir")
    return real
