"""Losses of the tasks in torch, summed over a micro-batch. `keras_losses.py` has the same ones."""

from __future__ import annotations

import math

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from lossboard.train.data.labels import IGNORED
from lossboard.train.tasks.task import LossName

# A logit that no softmax chooses.
NEVER = -1e9


def summed_loss(
    name: LossName, logits: torch.Tensor, targets: torch.Tensor, *, mask: torch.Tensor, weights: torch.Tensor | None
) -> tuple[torch.Tensor, float]:
    """Returns the sum of the losses of all targets, and how many targets the logits hit (NaN if they are no classes).

    `mask` is 0 for padding, and `weights` has the weights of the classes.
    """
    if name == "squared-error":
        return (logits.squeeze(-1) - targets.float()).square().sum(), math.nan
    if name == "binary-cross-entropy":
        hits = ((logits.detach() > 0) == (targets > 0)).sum().item()
        return binary_cross_entropy_with_logits(logits, targets.float(), reduction="sum"), hits
    if name == "position-cross-entropy":
        # The classes are the tokens. Padding is none of them, so its amount does not change the loss.
        logits = logits.transpose(1, 2).masked_fill(mask[:, None] == 0, NEVER)
    hits = (logits.detach().argmax(dim=-1) == targets).sum().item()
    rows = logits.flatten(0, -2)
    loss = cross_entropy(rows, targets.flatten(), weight=weights, reduction="sum", ignore_index=IGNORED)
    return loss, hits
