"""The table "Where to find things" in ARCHITECTURE.md names the right files."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent

# Phrase in the table → pattern that the named file must contain.
EXPECTED_CONTENT = {
    "points that a restart supersedes": r"hide_from_step",
    "how a corrupt record is skipped": r"DamageReason",
    "name in a query means": r"def resolve",
    "hyperparameter explains a metric": r"def importances",
    "hyperparameters are read from": r"def read_hyperparameters",
    "band around the mean": r"def group_curve",
    "smoothing methods": r"gaussian",
    "functions of formulas": r"FUNCTIONS: ",
    "which tags get the second y axis": r"function rightAxis",
    "routes of images": r"ROUTES",
    "used of its logged camera": r"def read_scene",
    "drawing of meshes": r"function paintTriangle",
    "area below a PR or ROC curve": r"def roc_area",
    "repeated blocks of a graph": r"def group_repeats",
    "measures of attention heads": r"def measure_all",
    "when the doctor reports something": r"RULE = ",
    "check of the Host header": r"host",
    "names and notes that users give": r"class Annotations",
    "settings of the fine-tuning kit": r"learning_rate|lr\b",
    "memory runs out during training": r"class CatchOom",
    "task of the kit must say": r"class Task",
    "prepared training data is stored": r"def cache_dir",
    "data no task can use": r"def unsupported_labels",
    "when the page requests data again": r"onGrew",
    "which charts come first": r"function rankOf",
    "how a line is drawn": r"lineTo",
    "columns the table of runs starts with": r"function usualColumns",
    "what differs between two runs": r"function sectionsOf",
    "keyboard shortcuts": r"keys: string",
}


def find_path(phrase: str) -> Path:
    """Returns the path in the row of the map that contains the phrase."""
    page = (PROJECT / "ARCHITECTURE.md").read_text("utf-8")
    row = re.search(rf"^\|[^|]*{re.escape(phrase)}[^|]*\| `([^`]+)` \|$", page, re.MULTILINE)
    assert row, f"No row of ARCHITECTURE.md has {phrase!r}"
    return PROJECT / row[1]


@pytest.mark.parametrize(("phrase", "content"), EXPECTED_CONTENT.items())
def test_map_leads_to(phrase: str, content: str) -> None:
    path = find_path(phrase)
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    assert any(re.search(content, file.read_text("utf-8", "ignore")) for file in files)


def test_map_has_no_other_rows() -> None:
    _, _, table = (PROJECT / "ARCHITECTURE.md").read_text("utf-8").partition("## Where to find things\n")
    assert table.count("\n| ") == len(EXPECTED_CONTENT) + 1  # and the heading
