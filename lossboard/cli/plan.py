"""`lossboard plan`: predicts the memory that fine-tuning needs, and the largest micro-batch that fits."""

from __future__ import annotations

import argparse
import dataclasses
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from rich.console import Console
from rich.table import Table

from lossboard.errors import UsageError
from lossboard.train.config import Sharding
from lossboard.train.optimizers import OPTIMIZERS
from lossboard.train.precision import PRECISIONS

if TYPE_CHECKING:
    from lossboard.train.memory.device import DeviceMemory
    from lossboard.train.memory.plan import Setup

LENGTHS = (64, 128, 256, 512)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", type=Path, required=True, help="checkpoint directory in Hugging Face format")
    parser.add_argument("--batch-size", type=int, default=32, help="examples per step, over all workers (default: 32)")
    parser.add_argument("--max-length", type=int, default=128, help="tokens in the longest example (default: 128)")
    parser.add_argument("--precision", choices=PRECISIONS, default="fp32", help="default: fp32")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="adamw", help="default: adamw")
    parser.add_argument("--gradient-checkpointing", action="store_true", help="recompute activations")
    parser.add_argument(
        "--frozen-layers",
        type=int,
        default=0,
        help="freeze the embeddings and this many of the lowest layers (default: 0)",
    )
    parser.add_argument("--lora-rank", type=int, default=0, help="train LoRA adapters of this rank (default: 0 = off)")
    parser.add_argument("--dropout", type=float, help="override every dropout rate of the checkpoint")
    parser.add_argument("--workers", type=int, default=1, help="worker processes on this machine (default: 1)")
    parser.add_argument("--sharding", choices=get_args(Sharding), default="ddp", help="default: ddp")
    parser.add_argument("--engine", choices=("torch", "tensorflow"), default="torch", help="default: torch")
    parser.add_argument("--classes", type=int, default=2, help="number of classes (default: 2)")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="default: auto")
    parser.add_argument(
        "--measure", action="store_true", help="also train three steps in a separate process and compare"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def run(options: argparse.Namespace) -> int:
    from lossboard.train.memory.device import device_memory
    from lossboard.train.memory.measure import measure_peak
    from lossboard.train.memory.plan import Setup, largest_micro_batch
    from lossboard.train.models.architecture import read_architecture

    if options.measure and options.engine == "tensorflow":
        raise UsageError("--measure works with --engine torch only.")
    if options.engine == "tensorflow" and (options.lora_rank or options.sharding == "fsdp"):
        raise UsageError("--lora-rank and --sharding fsdp work with --engine torch only.")
    sizes = read_architecture(options.model)
    if options.dropout is not None:
        sizes = replace(sizes, dropout=options.dropout, attention_dropout=options.dropout)
    share = -(-options.batch_size // options.workers)
    setup = Setup(
        architecture=sizes,
        micro_batch=share,
        length=options.max_length,
        precision=options.precision,
        optimizer=options.optimizer,
        checkpointing=options.gradient_checkpointing,
        frozen_layers=options.frozen_layers,
        lora_rank=options.lora_rank,
        classes=options.classes,
        engine=options.engine,
        workers=options.workers,
        sharding=options.sharding,
    )
    memory = device_memory(options.device)
    if memory.device == "cpu":  # each worker has a GPU of its own, but all share the memory of the machine
        memory = replace(memory, free_bytes=memory.free_bytes // options.workers)
    chosen = _within(setup, min(share, largest_micro_batch(setup, memory.free_bytes)))
    measured = measure_peak(chosen, device=memory.device) if options.measure and chosen.micro_batch else None
    if options.json:
        print(json.dumps(_report(setup, chosen, memory, measured), indent=2))
    else:
        _print(Console(), setup, chosen, memory, measured)
    return int(chosen.micro_batch == 0)


def _within(setup: Setup, micro_batch: int) -> Setup:
    """Returns `setup` with its batch split into micro-batches."""
    return replace(setup, micro_batch=micro_batch, accumulation=-(-setup.micro_batch // max(1, micro_batch)))


def _micro_batches(setup: Setup) -> list[Setup]:
    """Returns the setup with the whole batch at once, in halves, in quarters and so on, down to single examples."""
    sizes = [setup.micro_batch]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    return [_within(setup, size) for size in sizes]


def _report(setup: Setup, chosen: Setup, memory: DeviceMemory, measured: int | None) -> dict[str, Any]:
    from lossboard.train.memory.plan import estimate, largest_micro_batch, libraries_bytes, needed_bytes

    return {
        "device": dataclasses.asdict(memory),
        "parameters": setup.architecture.parameters(classes=setup.classes),
        "libraries_bytes": libraries_bytes(setup.engine),
        "largest_micro_batch": largest_micro_batch(setup, memory.free_bytes),
        "micro_batch": chosen.micro_batch,
        "accumulation": chosen.accumulation,
        "measured_peak_bytes": measured,
        "choices": [
            dataclasses.asdict(estimate(each))
            | {
                "micro_batch": each.micro_batch,
                "accumulation": each.accumulation,
                "peak": estimate(each).peak,
                "fits": needed_bytes(each) <= memory.free_bytes,
            }
            for each in _micro_batches(setup)
        ],
    }


def _print(console: Console, setup: Setup, chosen: Setup, memory: DeviceMemory, measured: int | None) -> None:
    from lossboard.train.memory.plan import estimate, libraries_bytes

    sizes = setup.architecture
    millions = sizes.parameters(classes=setup.classes) / 1e6
    console.print(f"Model: {sizes.layers} layers of {sizes.hidden}, {millions:.1f} M parameters", highlight=False)
    free, total = _size(memory.free_bytes), _size(memory.total_bytes)
    each = f" for each of {setup.workers} workers" if setup.workers > 1 else ""
    console.print(f"Device: {memory.device}, {free} free{each} of {total} ({memory.limited_by})", highlight=False)
    console.print(_choices_table(setup, memory))
    if not chosen.micro_batch:
        console.print(
            "Not even one example fits. Use --gradient-checkpointing, a lower --max-length or a smaller model."
        )
        return
    flags = (
        f"--micro-batch-size {chosen.micro_batch}" if chosen.accumulation > 1 else "--micro-batch-size is not needed"
    )
    libraries = _size(libraries_bytes(setup.engine))
    batch = f"Batch size {setup.micro_batch * setup.workers}"
    console.print(f"{batch}: {flags}. The libraries of each worker need another {libraries}.\n")
    if measured is not None:
        error = estimate(chosen).peak / measured - 1
        console.print(
            f"Measured at micro-batch {chosen.micro_batch}: {_size(measured)}; the prediction is {error:+.1%} off.\n"
        )
    console.print(_lengths_table(setup, memory))


def _choices_table(setup: Setup, memory: DeviceMemory) -> Table:
    from lossboard.train.memory.plan import estimate, needed_bytes

    names = (
        "micro-batch",
        "accumulation",
        "weights",
        "gradients",
        "optimizer",
        "activations",
        "workspace",
        "peak",
        "fits",
    )
    table = Table(title=f"Predicted peak at {setup.length} tokens, {setup.precision}", title_justify="left", box=None)
    for name in names:
        table.add_column(name, justify="right")
    for each in _micro_batches(setup):
        parts = estimate(each)
        held = (parts.weights, parts.gradients, parts.optimizer, parts.activations, parts.workspace, parts.peak)
        fits = "[green]yes[/]" if needed_bytes(each) <= memory.free_bytes else "[red]no[/]"
        table.add_row(str(each.micro_batch), f"{each.accumulation}×", *map(_size, held), fits)
    return table


def _lengths_table(setup: Setup, memory: DeviceMemory) -> Table:
    from lossboard.train.memory.plan import largest_micro_batch

    table = Table(title="Largest micro-batch that fits", title_justify="left", box=None)
    for name in ("length", "these settings", "with checkpointing"):
        table.add_column(name, justify="right")
    for length in sorted({*LENGTHS, setup.length}):
        if length <= setup.architecture.max_length:
            at = replace(setup, length=length, accumulation=2)
            fits = (
                largest_micro_batch(replace(at, checkpointing=on), memory.free_bytes)
                for on in (setup.checkpointing, True)
            )
            table.add_row(str(length), *map(str, fits))
    return table


def _size(size: float) -> str:
    return f"{size / 2**30:.2f} GB" if size >= 2**30 else f"{size / 2**20:.0f} MB"
