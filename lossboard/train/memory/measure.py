"""Measures the peak memory of a few training steps in a separate process.

The process prints the peaks. On CPU a peak is VmHWM minus the memory after imports, on CUDA the allocator's peak. With
several workers, it is the peak of the one that needs most.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from lossboard.errors import LossboardError
from lossboard.train.distributed.world import World
from lossboard.train.memory.device import configure_malloc
from lossboard.train.models import first_token
from lossboard.train.models.architecture import Architecture
from lossboard.train.models.lora import add_adapters
from lossboard.train.models.torch_model import new_optimizer, shard, trainable
from lossboard.train.precision import TRAITS

if TYPE_CHECKING:
    import torch

    from lossboard.train.memory.plan import Setup

STEPS = 3


def measure_peak(setup: Setup, *, device: str = "cpu", threads: int | None = None, times: int = 1) -> int:
    """Returns the peak bytes of training with random weights and tokens, measured in a child process.

    With `times`, returns the median of several measurements, each in its own process.
    """
    request = json.dumps({"setup": dataclasses.asdict(setup), "device": device, "threads": threads, "times": times})
    child = subprocess.run([sys.executable, "-m", __name__, request], capture_output=True, text=True, check=False)
    if child.returncode != 0:
        last = (child.stderr.strip().splitlines() or ["no message, as when a memory limit kills a process"])[-1]
        raise LossboardError(f"The measuring process exited with status {child.returncode}: {last}")
    return int(median(map(int, child.stdout.split())))


def _run(setup: dict[str, Any], device: str, threads: int | None, world: World) -> int:
    import torch

    if threads:
        torch.set_num_threads(threads)
    configure_malloc(release_eagerly=setup["checkpointing"])
    before = _status_bytes("VmRSS")
    model = _model(Architecture(**setup["architecture"]), setup).to(device)
    sharded = world.size > 1 and setup["sharding"] == "fsdp"
    if sharded:
        shard(model)
    parameters = [parameter for _, parameter in trainable(model)]
    optimizer = new_optimizer(setup["optimizer"], parameters, lr=1e-3)
    for _ in range(STEPS):
        for number in range(setup["accumulation"]):
            if sharded:
                model.set_requires_gradient_sync(number == setup["accumulation"] - 1)  # type: ignore[operator]
            _backward(model, setup, device)
        if not sharded:
            world.sum_gradients(parameters)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return torch.cuda.max_memory_allocated() if device == "cuda" else _status_bytes("VmHWM") - before


def _model(sizes: Architecture, setup: dict[str, Any]) -> torch.nn.Module:
    from transformers import BertConfig, BertForSequenceClassification

    settings: dict[str, Any] = {"num_labels": setup["classes"]}
    model: Any = BertForSequenceClassification(
        BertConfig(
            vocab_size=sizes.vocab_size,
            num_hidden_layers=sizes.layers,
            hidden_size=sizes.hidden,
            num_attention_heads=sizes.heads,
            intermediate_size=sizes.intermediate,
            max_position_embeddings=sizes.positions,
            type_vocab_size=max(1, sizes.types),
            hidden_dropout_prob=sizes.dropout,
            attention_probs_dropout_prob=sizes.attention_dropout,
            **settings,
        )
    )
    if first_token.is_supported(sizes):
        first_token.compute_first_token_only(model)
    if setup["checkpointing"]:
        model.gradient_checkpointing_enable()
    for part in [model.bert.embeddings, *model.bert.encoder.layer[: setup["frozen_layers"]]]:
        part.requires_grad_(not setup["frozen_layers"])
    if setup["lora_rank"]:
        model = add_adapters(model, rank=setup["lora_rank"], task="SEQ_CLS")
    trained: torch.nn.Module = model.train()
    return trained


def _backward(model: torch.nn.Module, setup: dict[str, Any], device: str) -> None:
    import torch

    ids = torch.randint(0, setup["architecture"]["vocab_size"], (setup["micro_batch"], setup["length"]), device=device)
    labels = torch.zeros(len(ids), dtype=torch.long, device=device)
    dtype = getattr(torch, TRAITS[setup["precision"]].torch_dtype)
    with torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32):
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    loss = torch.nn.functional.cross_entropy(logits.float(), labels, reduction="sum") / len(ids)
    loss.backward()


def _status_bytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))


def _run_in_forks(request: dict[str, Any]) -> None:
    """Measures in a fork for each worker and prints the peak. The peak of a fork starts at the memory in use."""
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        workers = {_fork(request, rank, Path(folder) / "store") for rank in range(request["setup"]["workers"])}
        while workers:
            child, status = os.wait()
            workers.remove(child)
            if status:
                for other in workers:  # they wait for the one that failed
                    os.kill(other, signal.SIGKILL)
                sys.exit(os.waitstatus_to_exitcode(status))


def _fork(request: dict[str, Any], rank: int, store: Path) -> int:
    child = os.fork()
    if not child:
        world = _join(World(rank, request["setup"]["workers"], rank), store)
        peaks = world.all_gather(_run(request["setup"], request["device"], request["threads"], world))
        if world.is_main:
            print(max(peaks), flush=True)
        os._exit(0)
    return child


def _join(world: World, store: Path) -> World:
    if world.size > 1:
        import torch.distributed as dist

        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        backend = dist.FileStore(str(store), world.size)  # type: ignore[attr-defined]
        dist.init_process_group("gloo", store=backend, rank=world.rank, world_size=world.size)
    return world


if __name__ == "__main__":
    from transformers import BertForSequenceClassification  # noqa: F401  loaded before the first reading

    request = json.loads(sys.argv[1])
    if request["setup"]["lora_rank"]:
        import peft  # noqa: F401
    for _ in range(request["times"]):
        _run_in_forks(request)
