"""The examples run as written, on little data."""

import sys
from pathlib import Path

import numpy as np
import pytest

import lossboard

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)
    yield tmp_path
    for name in ("bert", "baselines", "parts", "char_gpt", "fashion_mnist"):
        sys.modules.pop(name, None)


def test_char_gpt_learns_and_logs_what_its_page_says(examples):
    import char_gpt

    (examples / "configs").mkdir()
    (examples / "configs/tensorboard.json").write_text('{"runs_dir": "logs", "port": 6006, "histogram_interval": 10}')
    flags = ["--max-iters", "20", "--eval-interval", "10", "--eval-iters", "2", "--batch-size", "8"]
    loss = char_gpt.main([*flags, "--learning-rate", "0.01", "--run-tag", "lr-001"])
    (name,) = lossboard.open("logs").runs
    run = lossboard.open("logs")[name]
    assert name.endswith("_001_lr-001/logs/tensorboard")
    assert run.scalars("eval/val_loss").values[-1] == pytest.approx(loss, rel=1e-6)
    assert loss < run.scalars("eval/val_loss").values[0]
    assert len(run.scalars("train/loss").values) == 20
    assert [h.step for h in run.histograms("transformer.h.0.attn.c_attn.weight")] == [0, 10]


def test_fashion_mnist_logs_every_kind(examples):
    import fashion_mnist

    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(10), 28)
    images = rng.integers(0, 60, (280, 28, 28)).astype(np.uint8)
    images[np.arange(280), labels * 2] = 255  # a bright row tells the class
    np.savez(examples / "tiny.npz", images=images, labels=labels)
    accuracy = fashion_mnist.main(["--data", "tiny.npz", "--images", "280", "--epochs", "4", "--batch-size", "16"])
    assert accuracy > 0.5
    board = lossboard.open("runs")
    run = board["fashion_mnist_lr_0.001_bs_16"]
    assert len(run.scalars("Loss/val").values) == 4
    assert {"images", "histograms", "graphs"} <= set(run.tags.values())
    assert board.embeddings() and board.profiles() and board.hparams()


def test_tf_idf_baseline_learns_words_not_noise(examples):
    from baselines import majority, tf_idf

    texts = ["a good film", "a bad film", "good and warm", "bad and cold"] * 5
    assert tf_idf((texts, [1, 0, 1, 0] * 5), (["good one", "bad one"], [1, 0])) == 1.0
    assert majority([0, 0, 1, 0]) == 0.75
