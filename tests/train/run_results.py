"""Reads the results of a training run: weights, logged series and findings."""

import json

import numpy as np
import torch
from safetensors.torch import load_file

import lossboard
from lossboard.train.runs.run_dir import RunDir


def weights(run: RunDir, which: str = "last") -> dict[str, torch.Tensor]:
    """Returns the weights of a checkpoint."""
    return load_file(run.checkpoints / which / "model.safetensors")


def max_difference(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> float:
    """Returns the maximum absolute difference between two sets of weights."""
    assert a.keys() == b.keys()
    return max(float((a[name] - b[name]).abs().max()) for name in a)


def scalar_values(run: RunDir, tag: str) -> np.ndarray:
    """Returns the values of a logged series."""
    return lossboard.open(run.path.parent)[f"{run.id}/logs/tensorboard"].scalars(tag).values


def finding_codes(run: RunDir) -> list[str]:
    """Returns the codes of the reported findings, in order."""
    file = run.path / "findings.jsonl"
    return [json.loads(line)["code"] for line in file.read_text().splitlines()] if file.exists() else []
