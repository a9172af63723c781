"""Optimizers: each one learns, and those that a machine cannot run say what they need."""

from pathlib import Path

import pytest
import torch

from lossboard.errors import UsageError
from lossboard.train import finetune
from train.tiny_bert import make_checkpoint, tiny_config


# Rates differ, because AdamW moves each weight by about its rate, and SGD by its rate times the gradient.
@pytest.mark.parametrize(("optimizer", "rate"), [("adamw", 3e-3), ("sgd", 0.1), ("adafactor", 3e-2)])
def test_optimizer_learns(tmp_path: Path, optimizer: str, rate: float) -> None:
    # With the small weights of a new BERT, gradients are too small for SGD. A trained BERT has larger ones.
    model = make_checkpoint(tmp_path / "larger", spread=0.2)
    config = tiny_config(tmp_path, model=str(model), optimizer=optimizer, learning_rate=rate, epochs=8, dropout=0.0)
    assert finetune(config).metrics["accuracy"] > 0.9
    assert finetune(config.replace(learning_rate=1e-9, epochs=1)).metrics["accuracy"] < 0.8


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine can run it")
def test_8bit_optimizer_without_a_gpu_names_an_alternative(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--optimizer adamw-8bit needs a CUDA GPU.*Use adafactor"):
        finetune(tiny_config(tmp_path, optimizer="adamw-8bit"))
