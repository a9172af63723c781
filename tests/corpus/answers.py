"""Comparison of export lines with TensorBoard's responses. Each function yields (request, whether they are equal)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from corpus.corpus import Line, Lines, golden, moments, node_counts

CURVE_COUNTS = ("true_positives", "false_positives", "true_negatives", "false_negatives")
MESH_PARTS = {1: "vertices", 2: "faces", 3: "colors", "VERTEX": "vertices", "FACE": "faces", "COLOR": "colors"}

Verdict = tuple[str, bool]


def verdicts(name: str, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    """Yields comparisons with the responses of both modes. Where the modes differ, Lossboard follows one of them."""
    for mode in ("slow", "fast"):
        for answer in golden(name, mode):
            query = dict(answer.get("query") or [])
            asked = answer["path"].removeprefix("/data/plugin/")
            compare = COMPARISONS.get((asked, mode)) or COMPARISONS.get((asked, "both"))
            if compare is not None:
                for what, equal in compare(answer, query, ours, wanted):
                    yield f"{mode} {asked} {query} {what}", equal


def _ours_at(kind: str, run: str, tag: str, ours: Lines, wanted: Lines) -> dict[Any, Line]:
    """Our points by (step, wall time), those only that must be there: TensorBoard hides others than we do."""
    there = set(moments(wanted.get((kind, run, tag), [])))
    return {
        when: line
        for when, line in zip(moments(ours[kind, run, tag]), ours[kind, run, tag], strict=True)
        if when in there
    }


def _scalars(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    if query.get("format") == "csv":
        return
    got = _ours_at("scalars", query["run"], query["tag"], ours, wanted)
    theirs = {(step, wall_time): value for wall_time, step, value in answer["json"]}
    for when in got.keys() & theirs.keys():
        yield f"{when}", same_number(got[when]["value"], theirs[when])


def _histograms_in_float32(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    got = _ours_at("histograms", query["run"], query["tag"], ours, wanted)
    for wall_time, step, rows in answer["json"]:
        if (step, wall_time) in got:
            yield f"step {step}", _float32(got[step, wall_time]["buckets"]) == _float32(rows)


def _histograms_untrimmed(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    got = _ours_at("histograms", query["run"], query["tag"], ours, wanted)
    for wall_time, step, rows in answer["json"]:
        if (step, wall_time) in got:
            yield f"step {step}", got[step, wall_time]["buckets"] in (rows, _trimmed(rows))


def _distributions(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    got = _ours_at("histograms", query["run"], query["tag"], ours, wanted)
    for wall_time, step, pairs in answer["json"]:
        theirs = [value for _, value in pairs]
        if (step, wall_time) in got and not any(isinstance(value, str) for value in theirs):
            tolerance = max(map(abs, theirs)) * 1e-5  # theirs is reckoned from float32
            yield f"step {step}", np.allclose(got[step, wall_time]["distribution"], theirs, rtol=0, atol=tolerance)


def _pr_curves(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    for run, curves in answer["json"].items():
        got = _ours_at("pr_curves", run, query["tag"], ours, wanted)
        for theirs in curves:
            line = got.get((theirs["step"], theirs["wall_time"]))
            if line:  # theirs are cut to integers, and where nothing is positive any more
                kept = len(theirs["recall"])
                counts = all([int(n) for n in line[row][:kept]] == theirs[row] for row in CURVE_COUNTS)
                yield (
                    f"{run} {theirs['step']}",
                    counts and all(line[row][:kept] == theirs[row] for row in ("precision", "recall")),
                )


def _mesh_shapes(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    got = {line["step"]: line for line in ours["meshes", query["run"], query["tag"]]}
    for mesh in answer["json"]:
        part = MESH_PARTS[mesh["content_type"]]
        yield f"{part} {mesh['step']}", got.get(mesh["step"], {}).get(part, {}).get("shape") == mesh["data_shape"]


def _mesh_data(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    blob = answer["blob"]
    part = MESH_PARTS[blob["content_type"]]
    lines = [line for line in ours["meshes", blob["run"], blob["tag"]] if line["step"] == blob["step"]]
    if lines[0][part]["shape"][0] == 1:  # TensorBoard serves each mesh of a batch separately
        yield f"{blob}", lines[0][part]["sha256"] == answer["sha256"]


def _blobs(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    blob = answer["blob"]
    key = blob["plugin"], blob["run"], blob["tag"]
    if key in wanted:
        sample = next(line for line in ours[key] if line["step"] == blob["step"])["samples"][blob["sample"]]
        yield f"{blob}", (sample["sha256"], sample["bytes"]) == (answer["sha256"], answer["bytes"])
        served = answer["content_type"].split(";")[0]
        yield f"{blob} {sample['mime']}", served in (sample["mime"], "application/octet-stream")


def _graph(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    key = "graphs", query["run"], query.get("tag") or "__run_graph__"
    if key in wanted:
        theirs = _text_graph(answer["text"], keras=query.get("conceptual") == "true")
        yield "nodes", node_counts(ours[key][-1]["nodes"]) == theirs


def _sessions(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    for group in answer["json"].get("sessionGroups", []):
        theirs = {name: value for name, value in group["hparams"].items() if value is not None}
        for session in group["sessions"]:
            line = ours["hparams", session["name"], "_hparams_/session_start_info"][-1]
            equal = line["hparams"].keys() == theirs.keys() and all(
                same_number(line["hparams"][name], value) for name, value in theirs.items()
            )
            told = (line["status"], line["group"])
            yield f"{session['name']}", equal and told == (session["status"], group["name"])


def _embedding_shapes(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    for embedding in answer["json"].get("embeddings", []):
        line = ours["embeddings", query["run"], embedding["tensorName"]][0]
        yield embedding["tensorName"], line["shape"] == embedding["tensorShape"]


def _embedding_tensor(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    if "num_rows" not in query:
        yield "sha256", ours["embeddings", query["run"], query["name"]][0]["sha256"] == answer["sha256"]


def _embedding_metadata(answer: Line, query: Line, ours: Lines, wanted: Lines) -> Iterator[Verdict]:
    if "num_rows" not in query:
        rows = answer["text"].rstrip("\n").split("\n")
        line = ours["embeddings", query["run"], query["name"]][0]
        yield "rows", line["metadata_rows"] == len(rows) - ("\t" in rows[0])


COMPARISONS = {
    ("scalars/scalars", "slow"): _scalars,
    ("histograms/histograms", "slow"): _histograms_in_float32,
    ("histograms/histograms", "fast"): _histograms_untrimmed,
    ("distributions/distributions", "slow"): _distributions,
    ("pr_curves/pr_curves", "slow"): _pr_curves,
    ("mesh/meshes", "slow"): _mesh_shapes,
    ("mesh/data", "fast"): _mesh_data,
    ("images/individualImage", "fast"): _blobs,
    ("audio/individualAudio", "fast"): _blobs,
    ("graphs/graph", "fast"): _graph,
    ("hparams/session_groups", "slow"): _sessions,
    ("projector/info", "slow"): _embedding_shapes,
    ("projector/tensor", "slow"): _embedding_tensor,
    ("projector/metadata", "slow"): _embedding_metadata,
}


def same_number(a: Any, b: Any) -> bool:
    """True is not 1, "1" is not 1, and 0.0 is not -0.0; but 1 is 1.0."""
    if a != b or isinstance(a, bool) != isinstance(b, bool):
        return False
    return a != 0 or math.copysign(1, a) == math.copysign(1, b)


def _float32(rows: list[list[float]]) -> list[list[float]]:
    with np.errstate(over="ignore"):
        return [[float(np.float32(x)) for x in row] for row in rows]


def _trimmed(rows: list[list[float]]) -> list[list[float]]:
    filled = [i for i, row in enumerate(rows) if row[2]]
    if not filled:
        return []
    kept = [list(row) for row in rows[filled[0] : filled[-1] + 1]]
    kept[0][0], kept[-1][1] = rows[0][0], rows[-1][1]
    return kept


def _text_graph(text: str, *, keras: bool) -> Counter[tuple[str, str, tuple[str, ...]]]:
    """A GraphDef in text format; a Keras layer's op is in an attribute."""
    found: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
    for node in re.findall(r"^node \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        op = re.findall(r'key: "keras_class"\n    value \{\n      s: "(.*?)"', node) if keras else _quoted(node, "op")
        found[_quoted(node, "name")[0], "".join(op), tuple(_quoted(node, "input"))] += 1
    return found


def _quoted(node: str, field: str) -> list[str]:
    strings = re.findall(rf'^  {field}: "((?:[^"\\]|\\.)*)"', node, re.MULTILINE)
    return [re.sub(rb"\\(\d{3}|.)", _unescaped, s.encode()).decode() for s in strings]


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)]) if match[1].isdigit() else match[1]
