"""Version of Lossboard, stated only here. `pyproject.toml` and `__version__` take it from this file."""

from __future__ import annotations

import re
from pathlib import Path

VERSION = "0.1.0"

_PACKAGE = Path(__file__).parent


def full_version() -> str:
    """Returns the version, followed by the commit unless this is a release: 0.1.0+gabc1234."""
    label = build_label()
    return f"{VERSION}+{label}" if label else VERSION


def build_label() -> str:
    """Returns the commit of this checkout, or the commit that an installed package was built from."""
    checkout = _PACKAGE.parent
    if (checkout / ".git").exists():
        return commit_label(checkout)
    try:
        return (_PACKAGE / "_commit.txt").read_text("ascii").strip()  # written by native/CMakeLists.txt
    except OSError:
        return ""


def commit_label(checkout: Path) -> str:
    """Returns `g<commit>`, with `.dirty` if files have changed. Empty for a release (tag v<version>) or without git."""
    import subprocess

    command = ["git", "describe", "--always", "--long", "--dirty=.dirty", "--abbrev=7", "--match", f"v{VERSION}"]
    try:
        done = subprocess.run([*command, "--tags"], cwd=checkout, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    found = re.fullmatch(r"(?:.*-(?P<commits>\d+)-g)?(?P<commit>[0-9a-f]+(?P<dirty>\.dirty)?)", done.stdout.strip())
    if found is None or (found["commits"] == "0" and not found["dirty"]):
        return ""
    return f"g{found['commit']}"


if __name__ == "__main__":
    print(build_label())
