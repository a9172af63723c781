"""Forward pass with torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy.typing as npt
import torch

from lossboard.train.config import Config
from lossboard.train.data.batches import Padded
from lossboard.train.hooks import NO_HOOKS, Hooks
from lossboard.train.models.torch_model import head_outputs, load_model
from lossboard.train.tasks.task import Task


class TorchForward:
    def __init__(
        self,
        checkpoint: Path,
        task: Task,
        *,
        hooks: Hooks = NO_HOOKS,
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        if threads:
            torch.set_num_threads(threads)
        self.device = torch.device(_available_device() if device == "auto" else device)
        self.model: Any = load_model(checkpoint, Config(), task, hooks).to(self.device).eval()
        self.has_types = getattr(self.model.config, "type_vocab_size", 0) > 1

    @torch.no_grad()
    def logits(self, inputs: Padded) -> npt.NDArray[Any]:
        arrays = {"input_ids": inputs.input_ids, "attention_mask": inputs.attention_mask}
        if self.has_types:
            arrays["token_type_ids"] = inputs.token_type_ids
        tensors = {name: torch.from_numpy(array).to(self.device) for name, array in arrays.items()}
        logits: npt.NDArray[Any] = head_outputs(self.model(**tensors)).float().cpu().numpy()
        return logits


def _available_device() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
