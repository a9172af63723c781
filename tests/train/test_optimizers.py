"""Optimizers that a machine cannot run say what they need."""

from pathlib import Path

import pytest
import torch

from lossboard.errors import UsageError
from lossboard.train import finetune
from train.tiny_bert import tiny_config


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine can run it")
def test_8bit_optimizer_without_a_gpu_names_an_alternative(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--optimizer adamw-8bit needs a CUDA GPU.*Use adafactor"):
        finetune(tiny_config(tmp_path, optimizer="adamw-8bit"))
