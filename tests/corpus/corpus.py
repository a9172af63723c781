"""The corpus in tests/data/corpus: expected export lines, from the records that protobuf's parser read."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lossboard.cli.main import main

CORPUS = Path(__file__).parent.parent / "data" / "corpus"
NAMES = sorted(path.name for path in (CORPUS / "logdirs").iterdir())

Line = dict[str, Any]
Key = tuple[str, str, str]
"""(kind, run, tag)"""
Lines = dict[Key, list[Line]]

OLD = {"simple_value": "scalars", "histo": "histograms", "image": "images", "audio": "audio"}
PLUGINS = {name: name for name in ("scalars", *OLD.values(), "text", "pr_curves", "custom_scalars", "hparams")} | {
    "mesh": "meshes",
    "graph_run_metadata": "graphs",
    "graph_run_metadata_graph": "graphs",
    "graph_keras_model": "graphs",
}
BESIDE = ("embeddings", "profiles")

# The dump of the records stops at a broken length; these have the lines of their neighbour.
SAME_LINES = {"damaged_flip_length_crc": "damaged_flip_data_crc"}


def exported(logdir: Path, scratch: Path, *options: str) -> Lines:
    """Returns the lines of `lossboard export` by series."""
    out = scratch / "export.jsonl"
    assert main(["export", str(logdir), "-o", str(out), *options]) == 0
    lines: Lines = defaultdict(list)
    for text in out.read_text("utf-8").split("\n")[:-1]:
        line = json.loads(text, parse_constant=_no_constant)
        lines[line["kind"], line["run"], line["tag"]].append(line)
    return lines


def moments(lines: list[Line]) -> list[tuple[int, float | str]]:
    return [(line["step"], line["wall_time"]) for line in lines]


def golden(name: str, what: str) -> Iterator[Any]:
    with gzip.open(CORPUS / "golden" / name / f"{what}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def expected(name: str, *, hide: bool = True, sizes: Mapping[str, int] | None = None) -> Lines:
    """Returns the expected points. With `sizes`, only the first bytes of each file count."""
    runs: dict[str, _Run] = {}
    run, there = _Run(hide), 0
    for record in golden(SAME_LINES.get(name, name), "records"):
        if "file" in record:
            folder = Path(record["file"]).parent.as_posix()
            run = runs.setdefault(folder, _Run(hide))
            there = record["size"] if sizes is None else sizes.get(record["file"], 0)
        elif "event" in record and record["data_crc_ok"] and record["offset"] + 16 + record["length"] <= there:
            run.take(record["event"])
    found = {(kind, name, tag): points for name, run in runs.items() for (kind, tag), points in run.lines().items()}
    return {key: points for key, points in found.items() if points}


class _Run:
    """The points of one run, by a plain version of the rules that the core implements."""

    def __init__(self, hide: bool) -> None:
        self.hide = hide
        self.series: dict[tuple[str, str], list[Line]] = defaultdict(list)
        self.metadata: dict[str, Line] = {}
        self.starts = 0

    def take(self, event: Line) -> None:
        step = int(event.get("step", 0))
        when = {"step": step, "wall_time": event.get("wall_time", 0.0)}
        if event.get("session_log", {}).get("status") == "START":
            self.starts += 1
            for points in self.series.values() if self.starts > 1 else ():
                self._cut(points, step)
        if "graph_def" in event:
            self._add("graphs", "__run_graph__", when)
        for value in event.get("summary", {}).get("value", []):
            self._take_value(value, when)

    def _take_value(self, value: Line, when: Line) -> None:
        tag = value.get("tag") or ("tensor" in value and value.get("node_name")) or ""
        if "metadata" in value:
            self.metadata.setdefault(tag, value["metadata"])
        plugin = self.metadata.get(tag, {}).get("plugin_data", {}).get("plugin_name", "")
        old = next((kind for field, kind in OLD.items() if field in value), None)
        kind = old or PLUGINS.get(plugin, "tensors")
        if kind == "hparams":
            if tag == "_hparams_/session_start_info":
                self._add(kind, tag, when)
        elif old or "tensor" in value:
            self._add(kind, tag, {**when, "value": value})

    def _add(self, kind: str, tag: str, point: Line) -> None:
        self._cut(self.series[kind, tag], point["step"])
        self.series[kind, tag].append(point)

    def _cut(self, points: list[Line], step: int) -> None:
        while self.hide and points and points[-1]["step"] >= step:
            points.pop()

    def lines(self) -> dict[tuple[str, str], list[Line]]:
        lines = {key: points for key, points in self.series.items() if key[0] != "meshes"}
        meshes: dict[tuple[str, str], dict[int, Line]] = defaultdict(dict)
        for (kind, tag), points in self.series.items():
            for point in points if kind == "meshes" else ():
                name = self.metadata[tag]["plugin_data"]["content_decoded"]["name"]
                meshes["meshes", name].setdefault(point["step"], {k: v for k, v in point.items() if k != "value"})
        return lines | {key: [points[step] for step in sorted(points)] for key, points in meshes.items()}


def _no_constant(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


def node_counts(nodes: list[Line]) -> Counter[tuple[str, str, tuple[str, ...]]]:
    return Counter((node["name"], node["op"], tuple(node["inputs"])) for node in nodes)
