"""Fuzzing of decoders: a kind decodes or counts any value, so one invalid point never stops an export."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lossboard.board import open_logdir
from lossboard.events.summary import encode_event
from lossboard.export.jsonl import JsonlExporter
from lossboard.select.series import SeriesSelection
from reference import frame, read_run

LOGDIRS = Path(__file__).parent.parent / "data" / "corpus" / "logdirs"
RUNS = [
    "keras_cb/conv/train",
    "tbx/dist",
    "tbx/hparams/t0",
    "tbx/media",
    "tf1/train",
    "tf2/hist",
    "tf2/media",
    "tf2/mesh_pr_custom",
    "tf2/tensors",
    "torch_dist/custom_scalars",
    "torch_dist/tensors",
    "torch_graph/onnx",
]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The bytes with a few of them changed, lost or doubled."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(changed) + 1)
        what = rng.randrange(4)
        if what == 0:
            del changed[at : at + rng.randint(1, 8)]
        elif what == 1:
            changed[at:at] = changed[at : at + rng.randint(1, 8)]
        else:
            changed[at : at + 1] = bytes([rng.choice([0, 1, 2, 0x7F, 0x80, 0xFF, rng.randrange(256)])])
    return bytes(changed)


@pytest.mark.parametrize("folder", RUNS)
def test_mutated_values_are_decoded_or_counted(folder: str, tmp_path: Path) -> None:
    rng = random.Random(folder)
    stored = [
        (plugin, point.payload)
        for (plugin, _), points in read_run(LOGDIRS / folder, "run").series.items()
        for point in points[:3]
        if plugin != "scalars"
    ]
    with (tmp_path / "events.out.tfevents.1.host").open("wb") as out:
        for step in range(400):
            plugin, payload = rng.choice(stored)
            broken = mutated(payload, rng)
            what = {"graph_def": broken} if plugin == "graphs" else {"values": [broken]}
            out.write(frame(encode_event(1.0, step, **what)))
    logdir = open_logdir(tmp_path)
    (run,) = logdir.runs.values()
    lines = JsonlExporter(SeriesSelection.of())
    made = list(lines.of_run(run))
    assert made
    assert len(made) + lines.skipped <= sum(info.count for info in run.index())
