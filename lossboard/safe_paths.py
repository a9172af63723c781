"""The only way to open a path that logged data names: the file must be inside its folder."""

from __future__ import annotations

from pathlib import Path

from lossboard.errors import DecodeError


def resolve_within(path: str, *, base: Path, root: Path) -> Path:
    """Returns the regular file that `path` names, relative to `base`. Raises DecodeError if the file, with all links
    resolved, is outside of `root`."""
    try:
        real = (base / path).resolve(strict=True)
        inside = real.is_relative_to(root.resolve(strict=True)) and real.is_file()
    except (OSError, ValueError, RuntimeError):  # missing, a name with a NUL, a loop of links
        inside = False
    if not inside:
        raise DecodeError(f"No file {path!r} within the logdir")
    return real
