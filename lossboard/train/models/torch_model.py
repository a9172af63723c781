"""Torch model from a BERT-family checkpoint, with the head of a task, and its optimizer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError
from lossboard.train.config import Config
from lossboard.train.hooks import NO_HOOKS, Hooks
from lossboard.train.models import first_token
from lossboard.train.models.architecture import read_architecture
from lossboard.train.models.heads import HEADS
from lossboard.train.models.layers import frozen_parts, layer_of, lr_scales
from lossboard.train.models.lora import add_adapters
from lossboard.train.models.own_parts import OWN_KEY, TASK_KEY, ModelTask, check_source, own_settings
from lossboard.train.optimizers import SGD_MOMENTUM, OptimizerName

if TYPE_CHECKING:
    import torch


def load_model(folder: Path, config: Config, task: ModelTask, hooks: Hooks = NO_HOOKS) -> torch.nn.Module:
    """Returns the model, with a new head initialized from the seed. Applies freezing, LoRA and checkpointing.

    The hooks may replace its head, or all of it.
    """
    import torch
    import transformers

    from lossboard.train.models.torch_own_parts import own_model, replace_head

    check_source(folder, hooks)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.manual_seed(config.seed)
    head, names = HEADS[task.head], dict(enumerate(task.classes))
    settings: Any = transformers.AutoConfig.from_pretrained(
        folder,
        local_files_only=True,
        id2label=names,
        label2id={name: i for i, name in names.items()},
        **task.model_settings,
    )
    for name in (OWN_KEY, TASK_KEY):
        vars(settings).pop(name, None)
    vars(settings).update(own_settings(hooks, task.name))
    if hooks.model is not None:
        settings.architectures = [type(hooks.model).__name__]
        return own_model(hooks.model, settings, task, folder)
    if config.dropout is not None:
        for key in [key for key in vars(settings) if key.endswith(("dropout", "dropout_prob"))]:
            setattr(settings, key, config.dropout)
    model: torch.nn.Module = getattr(transformers, f"AutoModel{head.model_class}").from_pretrained(
        folder,
        config=settings,
        local_files_only=True,
        use_safetensors=True,
        ignore_mismatched_sizes=True,
        dtype=torch.float32,
    )
    own: Any = model.config  # a copy of the settings
    own.architectures = [type(model).__name__]
    if hooks.head is not None:
        replace_head(model, hooks.head, task, folder)
    if first_token.is_supported(read_architecture(folder)) and not head.reads_every_token:
        first_token.compute_first_token_only(model)
    _freeze(model, config)
    if config.lora_rank:
        model = add_adapters(model, rank=config.lora_rank, task=head.lora_task)
    if config.gradient_checkpointing:
        model.gradient_checkpointing_enable()  # type: ignore[operator]
    return model


def head_outputs(output: Any) -> torch.Tensor:
    """Returns the logits of a model: (text, class), or (text, token, class) if the head reads every token."""
    import torch

    if isinstance(output, torch.Tensor):
        return output
    logits: torch.Tensor = (
        torch.stack((output.start_logits, output.end_logits), dim=-1)
        if hasattr(output, "start_logits")
        else output.logits
    )
    return logits


def head_name(model: Any, name: str) -> str:
    """Returns the whole name of the module that turns embeddings into logits."""
    names = {whole.rpartition(".")[2]: whole for whole, _ in reversed(list(model.named_modules()))}
    return str(names.get(name) or names["score"])


def _freeze(model: torch.nn.Module, config: Config) -> None:
    frozen = frozen_parts(config)
    for name, parameter in model.named_parameters():
        if layer_of(name) in frozen:
            parameter.requires_grad_(False)


def shard(model: torch.nn.Module) -> None:
    """Gives each worker a shard of the weights: each layer is gathered when it is used."""
    from torch.distributed.fsdp import fully_shard

    for module in [m for name, m in model.named_modules() if name.rpartition(".")[2].isdigit()]:
        fully_shard(module)
    fully_shard(model)


def trainable(model: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Parameter]]:
    return ((name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad)


def make_optimizer(model: torch.nn.Module, config: Config) -> torch.optim.Optimizer:
    """Returns the optimizer with a parameter group for each (learning-rate scale, weight decay).

    Vectors do not decay.
    """
    scales = lr_scales([name for name, _ in trainable(model)], decay=config.layer_decay)
    groups: dict[tuple[float, float], list[torch.nn.Parameter]] = {}
    for (_, parameter), scale in zip(trainable(model), scales, strict=True):
        decay = config.weight_decay if parameter.ndim > 1 else 0.0
        groups.setdefault((scale, decay), []).append(parameter)
    settings = [{"params": group, "scale": scale, "weight_decay": decay} for (scale, decay), group in groups.items()]
    return new_optimizer(config.optimizer, settings, lr=config.learning_rate)


def new_optimizer(name: OptimizerName, parameters: Any, *, lr: float) -> torch.optim.Optimizer:
    """Returns a torch optimizer for parameters or parameter groups."""
    import torch

    if name == "sgd":
        return torch.optim.SGD(parameters, lr=lr, momentum=SGD_MOMENTUM)
    if name == "adafactor":
        return torch.optim.Adafactor(parameters, lr=lr)
    if name == "adamw-8bit":
        return _new_8bit_optimizer(parameters, lr=lr)
    return torch.optim.AdamW(parameters, lr=lr, fused=True)


def _new_8bit_optimizer(parameters: Any, *, lr: float) -> torch.optim.Optimizer:
    import torch

    if not torch.cuda.is_available():
        raise UsageError(
            "--optimizer adamw-8bit needs a CUDA GPU, and torch finds none. Use adafactor, which keeps even less."
        )
    try:
        from bitsandbytes.optim import AdamW8bit
    except ImportError as error:
        raise UsageError("--optimizer adamw-8bit needs bitsandbytes: pip install bitsandbytes") from error
    optimizer: torch.optim.Optimizer = AdamW8bit(parameters, lr=lr)
    return optimizer
