"""Checkpoints: directories in Hugging Face format, with the state that an exact resume needs. No pickle.

    checkpoints/
      step-000200/  model.safetensors, config.json, tokenizer.json …   load it with from_pretrained
                    adapter/                                           the LoRA adapters alone, for peft
                    optimizer.safetensors, state.json                  state for resuming
      best -> step-000200
      last -> step-000300

A directory is written under another name, synced and renamed. Only then do the links move, so `best` and `last` are
complete at any moment, even if the process is killed. Directories without a link are deleted.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy.typing as npt

from lossboard.errors import UsageError
from lossboard.train.models.lora import has_adapters, merge_adapters
from lossboard.train.models.torch_model import trainable

if TYPE_CHECKING:
    import torch

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "merges.txt")
_LINKS = ("best", "last")


@dataclass
class TrainState:
    """Progress of a run: the small values that a resumed run continues from."""

    micro_batch: int
    step: int = 0
    skipped: int = 0
    bad_in_a_row: int = 0
    best_score: float | None = None
    best_step: int = 0
    best_metrics: dict[str, float] = field(default_factory=dict)
    stale_evaluations: int = 0
    threads: int = 0
    scaler: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """Everything that an exact resume needs, gathered from all workers."""

    weights: dict[str, torch.Tensor]  # of the whole model, with adapters merged
    adapters: dict[str, torch.Tensor]  # only the trained weights, if the model has adapters
    optimizer: dict[str, torch.Tensor]
    state: TrainState


def take_snapshot(
    model: Any, optimizer: torch.optim.Optimizer, state: TrainState, rng_states: list[torch.Tensor]
) -> Snapshot:
    """Gathers the state. Every worker must call this, because each holds a shard of sharded weights."""
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict

    whole = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights, optimizer_state = cast(
        tuple[dict[str, Any], dict[str, Any]], get_state_dict(model, optimizer, options=whole)
    )
    adapters: dict[str, torch.Tensor] = {}
    if has_adapters(model) and weights:
        adapters = {name: weights[name] for name, _ in trainable(model)}
        weights = merge_adapters(weights, model.peft_config["default"])
    # Only rank 0 receives the full state. The others receive nothing and write nothing.
    moments = optimizer_state.get("state", {}).items()
    flat = {f"{name}|{key}": tensor for name, values in moments for key, tensor in values.items()}
    flat |= {f"rng|{rank}": rng for rank, rng in enumerate(rng_states)}
    return Snapshot(weights, adapters, flat, state)


def write_checkpoint(
    checkpoints: Path, snapshot: Snapshot, *, model: Any, source: Path, links: tuple[str, ...]
) -> Path:
    """Writes the snapshot and points `links` at it. The tokenizer is copied from the checkpoint in `source`."""

    def write(part: Path) -> None:
        _write(part, snapshot, model=model, source=source)

    return _commit(checkpoints, snapshot.state.step, write, links=links)


def write_arrays(
    checkpoints: Path,
    weights: dict[str, npt.NDArray[Any]],
    optimizer: dict[str, npt.NDArray[Any]],
    state: TrainState,
    *,
    settings: dict[str, Any],
    source: Path,
    links: tuple[str, ...],
) -> Path:
    """Writes a checkpoint from arrays that have the names and layout of torch."""
    from safetensors.numpy import save_file

    def write(part: Path) -> None:
        save_file(weights, part / "model.safetensors", metadata={"format": "pt"})
        save_file(optimizer, part / "optimizer.safetensors")
        (part / "state.json").write_text(json.dumps(asdict(state)), encoding="utf-8")
        (part / "config.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")
        _copy_tokenizer(source, part)

    return _commit(checkpoints, state.step, write, links=links)


def _commit(checkpoints: Path, step: int, write: Callable[[Path], None], *, links: tuple[str, ...]) -> Path:
    """Writes the directory under another name, renames it, then moves the links."""
    folder = checkpoints / f"step-{step:06d}"
    part = checkpoints / f".{folder.name}.part"
    if not folder.exists():
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        write(part)
        for file in part.rglob("*"):
            _sync(file)
        part.rename(folder)
    for link in links:
        _point(checkpoints / link, folder.name)
    _sync(checkpoints)
    _delete_unlinked(checkpoints)
    return folder


def _copy_tokenizer(source: Path, part: Path) -> None:
    for name in TOKENIZER_FILES:
        if (source / name).is_file():
            shutil.copyfile(source / name, part / name)


def _write(part: Path, snapshot: Snapshot, *, model: Any, source: Path) -> None:
    from safetensors.torch import save_file

    save_file(snapshot.weights, part / "model.safetensors", metadata={"format": "pt"})
    save_file(snapshot.optimizer, part / "optimizer.safetensors")
    (part / "state.json").write_text(json.dumps(asdict(snapshot.state)), encoding="utf-8")
    if has_adapters(model):
        save_file(snapshot.adapters, part / "trainable.safetensors")
        # In a directory of their own. Beside the merged weights, transformers would apply them a second time.
        model.save_pretrained(part / "adapter")
    model.config.save_pretrained(part)
    _copy_tokenizer(source, part)


def read_train_state(folder: Path) -> TrainState:
    try:
        return TrainState(**json.loads((folder / "state.json").read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"Nothing to resume: {folder} has no checkpoint. Start a new run.") from error


def restore(folder: Path, model: Any, optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """Restores weights and optimizer state, and returns the RNG states of all workers. Every worker must call this."""
    from safetensors.torch import load_file
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_optimizer_state_dict, set_state_dict

    saved = load_file(folder / "optimizer.safetensors")
    ranks = sorted(int(key.removeprefix("rng|")) for key in saved if key.startswith("rng|"))
    rng_states = [saved.pop(f"rng|{rank}") for rank in ranks]
    state: dict[str, Any] = {}
    for key, tensor in saved.items():
        name, _, kind = key.rpartition("|")
        state.setdefault(name, {})[kind] = tensor
    weights_file = "trainable.safetensors" if has_adapters(model) else "model.safetensors"
    options = StateDictOptions(full_state_dict=True, strict=not has_adapters(model))
    groups = get_optimizer_state_dict(model, optimizer, options=options)["param_groups"]
    set_state_dict(
        model,
        optimizer,
        model_state_dict=dict(load_file(folder / weights_file)),
        optim_state_dict={"state": state, "param_groups": groups},
        options=options,
    )
    return rng_states


def _point(link: Path, target: str) -> None:
    fresh = link.with_name(f".{link.name}.part")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target, target_is_directory=True)
    fresh.replace(link)


def _delete_unlinked(checkpoints: Path) -> None:
    kept = {(checkpoints / link).readlink().name for link in _LINKS if (checkpoints / link).is_symlink()}
    for folder in checkpoints.glob("step-*"):
        if folder.name not in kept:
            shutil.rmtree(folder)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
