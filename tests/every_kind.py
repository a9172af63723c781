"""A board with data of every kind, and a valid request to each of its routes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from board_client import ServedBoard
from lossboard import SummaryWriter
from lossboard.events.summary import encode_event
from lossboard.kinds.graphs.encode import GraphNode, encode_graph, text_attribute
from lossboard.store.run_ids import run_id
from reference import frame


def serve_every_kind(folder: Path) -> ServedBoard:
    """Returns a board with every kind that has routes, with what makes optional and nullable fields appear."""
    rng = np.random.default_rng(0)
    with SummaryWriter(folder / "a") as log:
        for step in range(3):
            log.add_scalar("loss", [1.0, math.nan, 3.0][step], step)
            log.add_scalar("epoch", step / 3, step)
            log.add_histogram("weights", rng.normal(size=100), step)
            log.add_image("picture", np.full((3, 8, 8), 0.5, np.float32), step)
            log.add_text("note", "some *words*", step)
            log.add_audio("beep", np.sin(np.arange(800)), step, sample_rate=8000)
            weights = rng.dirichlet(np.ones(4), size=(2, 2, 4))
            log.add_attention("heads", weights, list("abcd"), step, grid=(2, 2) if step == 1 else None, kv_heads=1)
            log.add_attention("other heads", weights, list("abce"), step)
            log.add_tensor("tensor", np.arange(12.0).reshape(2, 2, 3), step)
            log.add_mesh("mesh", np.eye(3)[None], np.zeros((1, 3, 3)), [[[0, 1, 2]]], {"lights": LIGHTS}, step)
            log.add_pr_curve("pr", [0, 1, 1], [0.2, 0.6, 0.9], step)
            log.add_embedding(rng.normal(size=(4, 3)), list("aabb"), np.zeros((4, 3, 2, 2)), step, "vectors")
    for seed in (1, 2):
        with SummaryWriter(folder / f"seed{seed}") as log:
            log.add_config({"lr": 0.5, "model": "bert", "seed": seed, "amp": True})
    served = ServedBoard(folder)
    served.write("b", {"loss": [5.0, 4.0]}, start=math.nan)
    served.write("restarted", {"loss": [5.0, 4.0, 3.0]})
    served.write("restarted", {"loss": [2.0]}, first_step=1)
    write_graph(folder / "a")
    report = {"code": "spike", "tag": "loss", "step": 1, "evidence": {"after": 9.5, "file": "f"}, "places": ["f:2"]}
    (folder / "a" / "findings.jsonl").write_text(json.dumps(report))
    (folder / "a" / "console.log").write_text("step 1\n")
    (folder / "empty").mkdir()
    (folder / "empty" / "events.out.tfevents.1").write_bytes(b"")
    (folder / "corrupt").mkdir()
    (folder / "corrupt" / "events.out.tfevents.1").write_bytes(b"x" * 100)
    served.poll()
    annotations = {"alias": "A", "note": "n", "tags": ["t"], "colour": 3, "hidden": True, "archived": False}
    served.post("/api/runs/edit", {"ids": [run_id("a")], "set": annotations})
    served.post("/api/views/save", {"name": "v", "state": "#a"})
    return served


def write_graph(run: Path) -> None:
    """A graph in which every optional field appears: parameters, equal blocks, and an input that is missing."""
    nodes = [GraphNode("x", "Placeholder", shape=(2, 3)), GraphNode("w", "VariableV2", shape=(3, 3))]
    for i in range(2):
        before = f"block_{i - 1}/y" if i else "x"
        nodes += [
            GraphNode(f"block_{i}/a", "MatMul", [before, "w"], (2, 3), {"text": text_attribute("t")}),
            GraphNode(f"block_{i}/y", "Relu", [f"block_{i}/a", "gone"], (2, 3), {"big": text_attribute("t" * 5000)}),
        ]
    (run / "events.out.tfevents.1000.graph").write_bytes(frame(encode_event(1000.0, graph_def=encode_graph(nodes))))


A = run_id("a")
LIGHTS = [{"cls": "AmbientLight"}, {"cls": "DirectionalLight", "position": [0, -1, 2]}]
CHARTS = [
    {"key": "0", "tags": ["loss"], "smoothing": {"method": "ema", "weight": 0.5}, "attempts": True},
    {"key": "1", "tags": ["loss", "epoch"], "x": {"tag": "epoch"}, "max_lines": 1},
]
GROUPS = [{"key": "g", "runs": [A, run_id("b"), run_id("restarted")]}, {"key": "none", "runs": []}]
HEADS = {"run": A, "tag": "heads", "step": 1}
OTHER_TEXT = {"run": A, "tag": "other heads", "step": 0}
GRAPH = {"run": A, "tag": "__run_graph__"}
VECTORS = {"run": A, "tag": "vectors", "step": 1}
PROJECTION = {"page": "p", "sources": [VECTORS], "method": "pca"}


def projection_job(board: ServedBoard) -> dict[str, str]:
    return {"job": board.post("/api/embeddings/project", PROJECTION).json()["job"]}


REQUESTS: dict[str, list[Any]] = {
    "/api": [None],
    "/api/board": [None],
    "/api/tags?kind=scalars": [None],
    "/api/tags?kind=images": [None],
    "/api/runs/details": [{"runs": [A, run_id("b"), "gone"]}],
    "/api/facts/copy": [
        {"format": format, "by": by, "columns": [{"field": "last(loss)", "title": "loss", "best": "min"}]}
        for format in ("markdown", "latex", "csv")
        for by in (None, "folder")
    ],
    f"/api/runs/files?run={A}": [None],
    f"/api/runs/console?run={A}&file=console.log": [None],
    "/api/runs/edit": [{"ids": [A], "set": {"note": "m"}}],
    "/api/views/save": [{"name": "w", "state": ""}],
    "/api/views/delete": [{"name": "w"}],
    "/api/query": [{"query": "lr < 1 and folder = ."}, {"query": "lr <"}, {"query": ""}],
    "/api/query/complete": [{"query": "lr < 1 and fo", "caret": 13}],
    "/api/facts": [
        {"fields": ["lr", "tags", "last(loss)", "unknown"]},
        {"fields": ["hp.model"], "runs": {"only": [A]}},
    ],
    "/api/facts/fields": [{}, {"search": "l", "limit": 3, "runs": {"only": [A]}}],
    "/api/groups": [{"by": "model, lr < 1", "metric": "last(loss)"}, {"by": "unknown"}],
    "/api/groups/seeds": [{}, {"runs": {"only": [A]}}],
    "/api/hparams/table": [{}, {"metrics": [{"group": "", "tag": "loss"}], "value": "min"}],
    "/api/hparams/importance": [{"metric": {"group": "", "tag": "loss"}, "direction": "min", "runs": {"only": [A]}}],
    "/api/scalars/charts": [{"charts": CHARTS}, {"charts": CHARTS, "since": 10**6}],
    "/api/scalars/groups": [
        {"groups": GROUPS, "charts": [{"key": "0", "tags": ["loss"], "smoothing": {"method": "ema", "weight": 0.5}}]},
        {"groups": GROUPS, "center": "median", "charts": [{"key": "0", "tags": ["loss"]}], "since": 10**6},
    ],
    "/api/scalars/at": [{"charts": CHARTS, "x": 1}, {"charts": CHARTS, "x": 1, "near": {"y": 0.5, "reach": 1}}],
    "/api/scalars/extremes": [{"charts": CHARTS}],
    "/api/scalars/formula": [{"formula": "exp(loss)"}, {"formula": "exp(los"}],
    "/api/scalars/tags": [{}],
    "/api/findings/list": [{}],
    "/api/findings/roles": [{"run": A}],
    "/api/scalars/points": [{"run": A, "tag": "loss"}],
    "/api/histograms/cards": [{"cards": [{"key": "k", "run": A, "tag": "weights"}]}],
    "/api/histograms/layers": [{}],
    "/api/images/series": [{}],
    "/api/audio/series": [{}],
    "/api/audio/waveforms": [{"clips": [{"run": A, "tag": "beep", "step": 0, "sample": 0}]}],
    "/api/audio/spectrograms": [{"clips": [{"run": A, "tag": "beep", "step": 0, "sample": 0}]}],
    "/api/text/series": [{}],
    "/api/text/texts": [{"texts": [{"run": A, "tag": "note/text_summary", "step": 0}]}],
    "/api/text/search": [{"words": "words"}],
    "/api/attention/series": [{}],
    "/api/attention/overview": [HEADS, {**HEADS, "step": 0}],
    "/api/attention/head": [{**HEADS, "layer": 1, "head": 1}],
    "/api/attention/token": [{**HEADS, "token": 2, "side": "to"}],
    "/api/attention/rollout": [HEADS],
    "/api/attention/change": [{**HEADS, "other": {**HEADS, "step": 0}}, {**HEADS, "other": OTHER_TEXT}],
    "/api/attention/curves": [{"run": A, "tag": "heads", "measure": "entropy"}],
    "/api/pr_curves/series": [{}],
    "/api/pr_curves/curves": [{"curves": [{"run": A, "tag": "pr", "step": 0}, {"run": A, "tag": "pr", "step": 9}]}],
    "/api/pr_curves/history": [{"series": [{"run": A, "tag": "pr"}], "threshold": 0.5}],
    "/api/meshes/series": [{}],
    "/api/meshes/mesh": [{"run": A, "tag": "mesh", "step": 0}],
    "/api/tensors/series": [{}],
    "/api/tensors/slice": [{"run": A, "tag": "tensor", "step": 0}],
    "/api/tensors/statistics": [{"run": A, "tag": "tensor", "step": 0}],
    "/api/tensors/history": [{"run": A, "tag": "tensor"}],
    "/api/graphs/series": [{}],
    "/api/graphs/head": [GRAPH],
    "/api/graphs/scopes": [{**GRAPH, "scopes": [{"path": ""}, {"path": "block_0", "split": True}]}],
    "/api/graphs/logged": [GRAPH],
    "/api/graphs/search": [{**GRAPH, "text": "block relu"}],
    "/api/graphs/node": [{**GRAPH, "path": "block_0"}, {**GRAPH, "path": "block_0/a"}, {**GRAPH, "path": "block_0/y"}],
    "/api/embeddings/series": [{}],
    "/api/embeddings/metadata": [VECTORS],
    "/api/embeddings/neighbors": [{**VECTORS, "row": 1}],
    "/api/embeddings/moved": [{**VECTORS, "from": 0, "to": 2}],
    "/api/embeddings/separation": [{**VECTORS, "column": "label"}],
    "/api/embeddings/project": [PROJECTION],
    "/api/embeddings/progress": [projection_job],
    "/api/embeddings/points": [projection_job],
    "/api/embeddings/cancel": [{"page": "q"}],
}
