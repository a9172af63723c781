"""Own parts of a torch model: a module in place of the head, or of the whole model."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import torch

from lossboard.errors import UsageError
from lossboard.train.models.heads import HEADS
from lossboard.train.models.own_parts import OWN_PREFIX, ModelTask, check_outputs, stored_part
from lossboard.train.models.torch_model import head_name, head_outputs


class OwnModel(torch.nn.Module):
    """An own module, called as a model of transformers, with the settings of a checkpoint."""

    def __init__(self, module: torch.nn.Module, settings: Any, task: ModelTask) -> None:
        super().__init__()
        self.own, self.config, self._task = module, settings, task
        parameters = inspect.signature(module.forward).parameters
        takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
        self._inputs = None if takes_all else frozenset(parameters)

    def forward(self, **inputs: torch.Tensor) -> torch.Tensor:
        output = self.own(**{name: value for name, value in inputs.items() if self._takes(name)})
        if not (isinstance(output, torch.Tensor) or hasattr(output, "logits") or hasattr(output, "start_logits")):
            raise UsageError(
                f"The own model returned a {type(output).__name__}. "
                "It must return a tensor of logits, or an output of transformers, which has `logits`."
            )
        logits = head_outputs(output)
        check_outputs(logits.shape, head=self._task.head, classes=self._task.classes, part="model")
        return logits

    def _takes(self, name: str) -> bool:
        return self._inputs is None or name in self._inputs


def replace_head(model: Any, head: Any, task: ModelTask, folder: Path) -> None:
    """Puts the own head into a model, with its weights if the checkpoint has them."""
    name = head_name(model, HEADS[task.head].weight)
    _check_module(head, "head")

    def check(_module: Any, _inputs: Any, output: torch.Tensor) -> None:
        check_outputs(output.shape, head=task.head, classes=task.classes, part="head")

    head.register_forward_hook(check)
    model.set_submodule(name, head)
    if stored_part(folder) == "head":
        _load_weights(head, folder, f"{name}.")


def own_model(module: Any, settings: Any, task: ModelTask, folder: Path) -> OwnModel:
    """Returns the own module as a model, with its weights if the checkpoint has them."""
    _check_module(module, "model")
    if stored_part(folder) == "model":
        _load_weights(module, folder, OWN_PREFIX)
    return OwnModel(module, settings, task)


def _check_module(module: Any, part: str) -> None:
    if not isinstance(module, torch.nn.Module):
        raise UsageError(f"The own {part} is a {type(module).__name__}. With torch it must be a torch.nn.Module.")


def _load_weights(module: torch.nn.Module, folder: Path, prefix: str) -> None:
    from safetensors.torch import load_file

    stored = load_file(folder / "model.safetensors")
    weights = {name.removeprefix(prefix): value for name, value in stored.items() if name.startswith(prefix)}
    try:
        module.load_state_dict(weights)
    except RuntimeError as error:
        raise UsageError(f"{folder} was trained with another {type(module).__name__}: {error}") from error
