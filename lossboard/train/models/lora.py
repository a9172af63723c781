"""LoRA adapters: adds them to a model with peft, and merges them into its weights for a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError

if TYPE_CHECKING:
    import torch

# Parts that peft adds to the names of weights.
_PREFIX = "base_model.model."
_BASE, _TRAINED_COPY, _ORIGINAL = ".base_layer.", ".modules_to_save.default.", ".original_module."


def add_adapters(model: torch.nn.Module, *, rank: int, task: str) -> torch.nn.Module:
    """Returns the model with adapters. `task` is peft's name of its head, which is trained as well."""
    try:
        from peft import LoraConfig, TaskType, get_peft_model
    except ImportError as error:
        raise UsageError("--lora-rank needs peft: pip install 'lossboard[lora]'") from error
    adapted: torch.nn.Module = get_peft_model(model, LoraConfig(task_type=TaskType[task], r=rank, lora_alpha=2 * rank))
    return adapted


def has_adapters(model: Any) -> bool:
    return hasattr(model, "peft_config")


def base_model(model: Any) -> Any:
    """Returns the transformers model. Adapters are inside of it."""
    return model.get_base_model() if has_adapters(model) else model


def merge_adapters(weights: Mapping[str, torch.Tensor], config: Any) -> dict[str, torch.Tensor]:
    """Returns the weights of the model without peft: names as in its checkpoint, and adapters added to what they adapt.

    Works on the gathered weights, because those of a sharded model cannot be merged in place.
    """
    merged: dict[str, torch.Tensor] = {}
    for name, tensor in weights.items():
        if ".lora_" in name or _ORIGINAL in name:
            continue
        layer, found, _ = name.partition(_BASE + "weight")
        if found:
            down, up = (weights[f"{layer}.lora_{part}.default.weight"] for part in "AB")
            tensor = tensor + config.lora_alpha / config.r * (up @ down)
        merged[name.removeprefix(_PREFIX).replace(_BASE, ".").replace(_TRAINED_COPY, ".")] = tensor
    return merged
