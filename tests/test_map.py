"""The map in ARCHITECTURE.md leads a newcomer to ten things that strangers look for."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent

# A phrase of the map's last table → what the place it names must hold.
LOOKED_FOR = {
    "points that a restart supersedes": r"hide_from_step",
    "how a corrupt record is skipped": r"DamageReason",
    "smoothing methods": r"gaussian",
    "routes of images": r"ROUTES",
    "check of the Host header": r"host",
    "names and notes that users give": r"class Annotations",
    "settings of the fine-tuning kit": r"learning_rate|lr\b",
    "memory runs out during training": r"class CatchOom",
    "how a line is drawn": r"lineTo",
    "keyboard shortcuts": r"keys: string",
}


def find_place(phrase: str) -> Path:
    """Returns the path in the row of the map that contains the phrase."""
    page = (PROJECT / "ARCHITECTURE.md").read_text("utf-8")
    row = re.search(rf"^\|[^|]*{re.escape(phrase)}[^|]*\| `([^`]+)` \|$", page, re.MULTILINE)
    assert row, f"No row of ARCHITECTURE.md has {phrase!r}"
    return PROJECT / row[1]


@pytest.mark.parametrize(("phrase", "content"), LOOKED_FOR.items())
def test_map_names_the_place_of(phrase: str, content: str) -> None:
    place = find_place(phrase)
    files = [file for file in place.rglob("*") if file.is_file()] if place.is_dir() else [place]
    assert any(re.search(content, file.read_text("utf-8", "ignore")) for file in files)


def test_map_has_ten_rows() -> None:
    _, _, table = (PROJECT / "ARCHITECTURE.md").read_text("utf-8").partition("## Where to find things\n")
    assert table.count("\n| ") == len(LOOKED_FOR) + 1  # and the heading
