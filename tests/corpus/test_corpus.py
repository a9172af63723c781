"""`lossboard export` of files from real writers, compared with TensorBoard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.answers import verdicts
from corpus.corpus import BESIDE, CORPUS, NAMES, Line, expected, exported, moments

ATTEMPTS_KEPT = ("scalars", "histograms", "images", "audio", "text", "pr_curves")


@pytest.mark.parametrize("name", NAMES)
def test_export_has_one_line_per_record(name: str, tmp_path: Path) -> None:
    ours = exported(CORPUS / "logdirs" / name, tmp_path)
    got = {key: moments(lines) for key, lines in ours.items() if key[0] not in BESIDE}
    assert got == {key: moments(points) for key, points in expected(name).items()}


@pytest.mark.parametrize("name", NAMES)
def test_export_equals_tensorboards_data(name: str, tmp_path: Path) -> None:
    ours = exported(CORPUS / "logdirs" / name, tmp_path)
    wrong = [what for what, equal in verdicts(name, ours, expected(name)) if not equal]
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_data_that_tensorboard_drops_equals_the_records(name: str, tmp_path: Path) -> None:
    ours = exported(CORPUS / "logdirs" / name, tmp_path)
    for key, points in expected(name).items():
        for point, line in zip(points, ours[key], strict=True):
            if key[0] in STATED and "value" in point:
                assert STATED[key[0]](line) == stated(key[0], point["value"]), (key, point["step"])


@pytest.mark.parametrize("name", [name for name in NAMES if expected(name) != expected(name, hide=False)])
def test_all_attempts_include_superseded_points_in_file_order(name: str, tmp_path: Path) -> None:
    ours = exported(CORPUS / "logdirs" / name, tmp_path, "--all-attempts")
    visible = expected(name)
    for key, points in expected(name, hide=False).items():
        if key[0] in ATTEMPTS_KEPT:
            assert moments(ours[key]) == moments(points)
            shown = [line for line in ours[key] if not line.get("hidden")]
            assert moments(shown) == moments(visible.get(key, []))


def test_each_stage_of_growth_exports_all_complete_records(tmp_path: Path) -> None:
    live, source = tmp_path / "live", CORPUS / "logdirs" / "growing_a"
    live.mkdir()
    for stage in json.loads((CORPUS / "golden" / "growing_a" / "stages.json").read_text()):
        for change in stage["ops"]:
            path = live / change["path"]
            path.parent.mkdir(exist_ok=True)
            with path.open("ab") as out:
                out.write((source / change["path"]).read_bytes()[change["from"] : change["to"]])
        sizes = {path.relative_to(live).as_posix(): path.stat().st_size for path in live.rglob("*") if path.is_file()}
        got = {key: moments(lines) for key, lines in exported(live, tmp_path).items()}
        wanted = {key: moments(points) for key, points in expected("growing_a", sizes=sizes).items()}
        assert got == wanted, stage["note"]


# ---- what only the records tell --------------------------------------------------------------------------------------
STATED = {
    "images": lambda line: [(sample["width"], sample["height"]) for sample in line["samples"]],
    "audio": lambda line: [sample["label"] for sample in line["samples"]],
    "tensors": lambda line: (line["dtype"], line["shape"]),
    "text": lambda line: (len(line["text"]), line["shape"]),
}


def stated(kind: str, value: Line) -> object:
    """The sizes, labels, types and shapes in a dumped value."""
    tensor = value.get("tensor", {})
    strings = tensor.get("string_val", [])
    shape = [int(dim.get("size", 0)) for dim in tensor.get("tensor_shape", {}).get("dim", [])]
    if kind == "images":
        if "image" in value:
            return [(value["image"].get("width", 0), value["image"].get("height", 0))]
        return [(int(strings[0]["ascii"]), int(strings[1]["ascii"]))] * (len(strings) - 2)
    if kind == "audio":
        return [""] if "audio" in value else [label.get("ascii", "") for label in strings[1::2]]
    if kind == "tensors":
        name = tensor.get("dtype", "DT_INVALID").removeprefix("DT_").lower()
        return {"float": "float32", "double": "float64", "half": "float16"}.get(name, name), shape
    return len(strings), shape
