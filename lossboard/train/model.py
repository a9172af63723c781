"""A BERT-family checkpoint as a classifier, ready to train. Weights come from safetensors only: pickles run code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError
from lossboard.train import first_token
from lossboard.train.architecture import read_architecture
from lossboard.train.config import Config

if TYPE_CHECKING:
    import torch

_LAYER = re.compile(r"\.layers?\.(\d+)\.|^layers?\.(\d+)\.")


def resolve_checkpoint(name: str) -> Path:
    """The folder of a checkpoint: itself, or what the hub has under that name."""
    if not name:
        raise UsageError("No model was given. Give a checkpoint folder, e.g. --model ./bert-base-uncased")
    folder = Path(name)
    if not folder.is_dir():
        folder = _download(name)
    if not (folder / "config.json").is_file():
        raise UsageError(f"{folder} has no config.json, so it is no checkpoint in Hugging Face format.")
    if not any(folder.glob("*.safetensors")):
        raise UsageError(
            f"{folder} has no .safetensors file. Pickled weights can run code when they are read, so they are refused; "
            "convert them once: AutoModel.from_pretrained(folder).save_pretrained(folder)."
        )
    return folder


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=["*.safetensors", "*.json", "*.txt"]))
    except (HFValidationError, HfHubHTTPError, LocalEntryNotFoundError) as error:
        raise UsageError(f"There is no folder {name}, and the hub could not give it: {error}") from error


def load_model(folder: Path, config: Config, *, classes: Sequence[str]) -> torch.nn.Module:
    """The classifier with new head weights drawn from the seed, frozen, adapted and checkpointed as configured."""
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification, logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.manual_seed(config.seed)
    names = dict(enumerate(classes))
    settings: Any = AutoConfig.from_pretrained(
        folder, local_files_only=True, id2label=names, label2id={name: i for i, name in names.items()}
    )
    if config.dropout is not None:
        for key in [key for key in vars(settings) if key.endswith(("dropout", "dropout_prob"))]:
            setattr(settings, key, config.dropout)
    model: torch.nn.Module = AutoModelForSequenceClassification.from_pretrained(
        folder,
        config=settings,
        local_files_only=True,
        use_safetensors=True,
        ignore_mismatched_sizes=True,
        dtype=torch.float32,
    )
    if first_token.suits(read_architecture(folder)):
        first_token.spare_the_rest(model)
    _freeze(model, config)
    if config.lora_rank:
        model = _with_adapters(model, rank=config.lora_rank)
    if config.gradient_checkpointing:
        model.gradient_checkpointing_enable()  # type: ignore[operator]
    return model


def layer_of(name: str) -> str:
    """Which part of the model a parameter belongs to: `embeddings`, `layer_03` or `head`."""
    if found := _LAYER.search(name):
        return f"layer_{int(found[1] or found[2]):02d}"
    return "embeddings" if "embeddings" in name else "head"


def _freeze(model: torch.nn.Module, config: Config) -> None:
    frozen = {f"layer_{i:02d}" for i in range(config.frozen_layers)}
    if config.frozen_embeddings or config.frozen_layers:
        frozen.add("embeddings")
    for name, parameter in model.named_parameters():
        if layer_of(name) in frozen:
            parameter.requires_grad_(False)


def _with_adapters(model: torch.nn.Module, *, rank: int) -> torch.nn.Module:
    try:
        from peft import LoraConfig, TaskType, get_peft_model
    except ImportError as error:
        raise UsageError("--lora-rank needs the package peft: pip install lossboard[lora]") from error
    adapted: torch.nn.Module = get_peft_model(
        model, LoraConfig(task_type=TaskType.SEQ_CLS, r=rank, lora_alpha=2 * rank)
    )
    return adapted


def trainable(model: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Parameter]]:
    return ((name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad)


def make_optimizer(model: torch.nn.Module, config: Config) -> torch.optim.AdamW:
    """AdamW with a group for each (rate, decay): no decay on biases and norms, lower layers slower if so configured."""
    import torch

    layers = sorted({part for name, _ in trainable(model) if (part := layer_of(name)).startswith("layer")})
    below_head = {part: depth for depth, part in enumerate(["head", *reversed(layers), "embeddings"])}
    groups: dict[tuple[float, float], list[torch.nn.Parameter]] = {}
    for name, parameter in trainable(model):
        scale = config.layer_decay ** below_head[layer_of(name)]
        decay = config.weight_decay if parameter.ndim > 1 else 0.0
        groups.setdefault((scale, decay), []).append(parameter)
    return torch.optim.AdamW(
        [{"params": group, "scale": scale, "weight_decay": decay} for (scale, decay), group in groups.items()],
        lr=config.learning_rate,
        fused=True,
    )
