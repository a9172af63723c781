"""Programs written for torch's SummaryWriter run unchanged except for the import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lossboard.store.logdir import Logdir
from lossboard.store.run import Run

Bert = tuple[Path, dict[str, Run]]

PROGRAMS = Path(__file__).with_name("programs")
FASHION_MNIST = Path(__file__).parents[2] / ".cache" / "fashion-mnist" / "fashion-mnist.npz"


def run(folder: Path, *programs: str) -> dict[str, Run]:
    command = [sys.executable, PROGRAMS / "run_program.py", *(PROGRAMS / program for program in programs)]
    environment = os.environ | {"FASHION_MNIST": str(FASHION_MNIST)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "lossboard" not in done.stderr.lower(), done.stderr
    logdir = Logdir.parse(str(folder / "runs"))
    logdir.poll()
    return logdir.runs


def tags(run: Run, plugin: str) -> set[str]:
    return {series.tag for series in run.index() if series.plugin == plugin}


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Bert:
    folder = tmp_path_factory.mktemp("bert")
    return folder, run(folder, "bert_training.py", "bert_weights.py", "bert_embeddings.py")


def test_bert_training(bert: Bert) -> None:
    found = bert[1]["bert_training"]
    assert tags(found, "scalars") == {"Loss/train", "Accuracy/train", "Loss/epoch", "Accuracy/epoch"}
    assert found.column("Loss/train").steps.tolist() == [0, 1]
    assert 0 < found.column("Loss/epoch").values[0] < 5


def test_bert_weights(bert: Bert) -> None:
    found = bert[1]["bert_weights"]
    name = "encoder.layer.1.attention.self.query.weight"
    assert {f"Initial_Weights/{name}", f"Updated_Weights/{name}"} <= tags(found, "histograms")
    assert found.references("histograms", f"Updated_Weights/{name}").steps.tolist() == [10]


def test_bert_embeddings(bert: Bert) -> None:
    folder = bert[0] / "runs" / "bert_embeddings"
    assert 'tensor_name: "BERT_Embeddings:00000"' in (folder / "projector_config.pbtxt").read_text()
    labels = (folder / "00000" / "BERT_Embeddings" / "metadata.tsv").read_text().splitlines()
    assert labels == [
        "This is the first sentence",
        "Another sentence is here",
        "A third one.",
        "And finally, last one.",
    ]
    rows = (folder / "00000" / "BERT_Embeddings" / "tensors.tsv").read_text().splitlines()
    assert [len(row.split("\t")) for row in rows] == [768] * 4


@pytest.mark.skipif(not FASHION_MNIST.exists(), reason="make test fetches the images, make .cache/fashion-mnist too")
def test_fashion_mnist(tmp_path: Path) -> None:
    runs = run(tmp_path, "fashion_mnist.py")
    name = "fashion_mnist_lr_0.001_bs_64"
    found = runs[name]
    assert tags(found, "scalars") == {"Loss/train", "Accuracy/train", "Loss/val", "Accuracy/val"}
    assert found.column("Loss/train").steps.tolist() == [0, 1, 2, 3, 4]
    assert found.column("Accuracy/val").values[-1] > 0.4, "of ten kinds of clothes, seen 64 times each"
    assert runs[f"{name}/Losses_train"].column("Losses").values[0] == found.column("Loss/train").values[4]
    assert tags(found, "graphs") == {"__run_graph__"}
    assert tags(found, "images") == {"Sample Images"}
    assert {"conv1.weight", "conv1.weight.grad", "fc2.bias"} <= tags(found, "histograms")
    embedding = tmp_path / "runs" / name / "00000" / "default"
    assert sorted(path.name for path in embedding.iterdir()) == ["metadata.tsv", "sprite.png", "tensors.tsv"]
    assert set((embedding / "metadata.tsv").read_text().split()) == set("0123456789"), "labels, not tensor(9)"
    assert list((tmp_path / "runs" / "profile").glob("*.pt.trace.json"))
