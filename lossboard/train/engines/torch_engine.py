"""Torch engine. `loop.run` drives it.

Hand-written loops often get three things wrong. Here, the loss of a step is the sum over its examples divided by their
number, for any split into micro-batches and workers. A step that ran out of memory or is non-finite changes nothing.
The checkpoint holds all state that affects the next step, so a resumed run gives the same results.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from lossboard.train.config import Config, is_due
from lossboard.train.data.batches import Ids, sequential_batches, worker_slice
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.distributed.world import World
from lossboard.train.engines import loop
from lossboard.train.engines.micro_batches import fit_to_memory, halve_micro_batch
from lossboard.train.engines.torch_losses import summed_loss
from lossboard.train.hooks import NO_HOOKS, Hooks
from lossboard.train.memory.device import address_space_is_limited, configure_malloc, has_fast_half_precision
from lossboard.train.memory.micro_batch import initial_micro_batch
from lossboard.train.memory.oom import CatchOom
from lossboard.train.models.heads import HEADS
from lossboard.train.models.layers import layer_of
from lossboard.train.models.lora import base_model
from lossboard.train.models.torch_model import head_name, head_outputs, load_model, make_optimizer, shard, trainable
from lossboard.train.models.transformers_internals import attention_implementation
from lossboard.train.precision import TRAITS
from lossboard.train.preparation.prepare import PreparedData, prepare
from lossboard.train.reporting.step_result import Details, StepResult
from lossboard.train.reporting.train_log import TrainLog
from lossboard.train.runs import checkpoint
from lossboard.train.runs.run_dir import RunDir
from lossboard.train.tasks.task import Evaluation, Floats, Outputs


def train(
    config: Config, run: RunDir, *, world: World | None = None, resume: bool = False, hooks: Hooks = NO_HOOKS
) -> Evaluation:
    """Trains a run and returns the last evaluation on the full validation set."""
    world = world or World()
    threads = _set_threads(config)
    prepared = world.call_on_all(lambda: prepare(config, hooks))
    engine = TorchEngine(config, prepared, world)
    configure_malloc(release_eagerly=config.gradient_checkpointing or address_space_is_limited())
    state = checkpoint.TrainState(micro_batch=initial_micro_batch(config, replicas=world.size), threads=threads)
    torch.manual_seed(config.seed * 1_000_003 + world.rank)  # dropout differs between workers
    if resume:
        state = engine.resume(run, threads=threads)

    total_steps = loop.steps_in_run(config, prepared)
    log = TrainLog(config, run, prepared, total_steps=total_steps, world=world, first_step=state.step)
    log.start()
    if engine.device.type == "cpu" and not engine.is_own:
        fit_to_memory(config, prepared, state, log, workers=world.size)
    if config.precision != "fp32" and engine.device.type == "cpu" and not has_fast_half_precision():
        log.say(f"Note: this CPU has no {config.precision} instructions, so {config.precision} is slower than fp32.")
    if not engine.sharded and not resume:
        log.log_graph(base_model(engine.model), engine.inputs(prepared.probe_data, prepared.probes()[:1])[0])
    return loop.run(config, run, prepared, engine, state, log)


class TorchEngine:
    """A model and its optimizer, on one device, as a copy or a shard among several workers."""

    def __init__(self, config: Config, prepared: PreparedData, world: World) -> None:
        self.config, self.prepared, self.world = config, prepared, world
        self.device = _choose_device(config, world)
        self.is_own = prepared.hooks.model is not None
        self.sharded = config.sharding == "fsdp" and world.size > 1
        self.model: Any = load_model(prepared.checkpoint, config, prepared.task, prepared.hooks).to(self.device)
        if self.sharded:
            shard(self.model)
        self.forward: Any = torch.compile(self.model, dynamic=True) if config.compile else self.model
        self.optimizer = make_optimizer(self.model, config)
        self.parameters = [parameter for _, parameter in trainable(self.model)]
        weights = prepared.class_weights
        self.class_weights = None if weights is None else torch.tensor(weights, dtype=torch.float32, device=self.device)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=TRAITS[config.precision].needs_loss_scaling)

    # ---- one step

    def start_epoch(self, batches: Sequence[Ids], first: int) -> None:
        """Does nothing: padding a batch takes only a thousandth of its step."""

    def is_adjusting_loss_scale(self, result: StepResult) -> bool:
        return self.scaler.is_enabled() and self.scaler.get_scale() > 1 and math.isfinite(result.loss)

    def any_worker(self, flag: bool) -> bool:
        return self.world.any_worker(flag)

    def train_step(
        self, batch: Ids, lr: float, state: checkpoint.TrainState, log: TrainLog
    ) -> tuple[StepResult, Details | None]:
        """Does one optimizer step. A non-finite loss or gradient skips it."""
        started = time.perf_counter()
        sums = self.world.all_reduce_sum(self._accumulate_with_retry(batch, state, log)).tolist()
        if not self.sharded:
            self.world.sum_gradients(self.parameters)
        self.scaler.unscale_(self.optimizer)
        norm = _number(torch.nn.utils.get_total_norm([p.grad for p in self.parameters if p.grad is not None]))
        finite = math.isfinite(norm) and math.isfinite(sums[0])
        detailed = is_due(self.config.detail_interval, state.step + 1)
        details = self._step(lr, norm, detailed=detailed) if finite else None
        if log.wants_histograms(state.step + 1):
            log.log_histograms(state.step + 1, self._distributions())
        self.optimizer.zero_grad(set_to_none=True)
        if self.scaler.is_enabled():
            self.scaler.update()
        seconds = time.perf_counter() - started
        result = StepResult.of_batch(
            sums,
            examples=len(batch),
            targets=self.prepared.train.targets.count(batch),
            weight=self.prepared.batch_weight(batch),
            lr=lr,
            grad_norm=norm,
            micro_batch=state.micro_batch,
            seconds=seconds,
        )
        return result, details

    def _accumulate_with_retry(self, batch: Ids, state: checkpoint.TrainState, log: TrainLog) -> torch.Tensor:
        """Accumulates gradients. On OOM, halves the micro-batch, restores the RNG state and retries."""
        rng_state = torch.get_rng_state()
        while isinstance(sums := self._accumulate(batch, state.micro_batch), str):
            halve_micro_batch(state, log, error=sums)
            torch.set_rng_state(rng_state)
        return sums

    def _accumulate(self, batch: Ids, micro_batch: int) -> torch.Tensor | str:
        """Accumulates the gradient of the batch's mean loss. Returns an error message if a worker ran out of memory.

        Every worker computes the same number of micro-batches, as sharded weights require. A worker with no examples
        left computes one with weight zero.
        """
        micro_batches = math.ceil(math.ceil(len(batch) / self.world.size) / micro_batch)
        mine = worker_slice(batch, rank=self.world.rank, workers=self.world.size)
        sums = torch.zeros(4, dtype=torch.float64)
        total = self.prepared.batch_weight(batch)
        with self._catch_oom() as oom:
            for number, rows in enumerate(np.array_split(mine, micro_batches)):
                if self.sharded:
                    self.model.set_requires_gradient_sync(number == micro_batches - 1)
                sums += self._backward(rows if len(rows) else batch[:1], weight=float(len(rows) > 0), total=total)
        if not self.world.any_worker(bool(oom.message)):
            return sums.to(self.device) if self.world.size > 1 else sums
        self.optimizer.zero_grad(set_to_none=True)
        self._release_memory()
        return oom.message or "out of memory on another worker"

    def _catch_oom(self) -> CatchOom:
        # Sharded workers wait for each other inside a pass, so one that failed cannot make the others retry.
        return CatchOom(enabled=not self.sharded)

    def _release_memory(self) -> None:
        gc.collect()
        configure_malloc(release_eagerly=True)
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def _backward(self, rows: Ids, *, weight: float, total: float) -> torch.Tensor:
        data = self.prepared.train
        inputs, tokens, tokens_with_padding = self.inputs(data, rows)
        mask = inputs["attention_mask"]
        targets = torch.from_numpy(data.targets.batch(rows, width=mask.shape[1])).to(self.device)
        self.model.train()
        with self._autocast():
            logits = head_outputs(self.forward(**inputs)).float()
        name, weights = self.prepared.task.loss, self.class_weights
        loss, hits = summed_loss(name, logits, targets, mask=mask, weights=weights)
        loss = loss * weight
        # FSDP averages gradients over the workers. Without sharding, they are summed.
        self.scaler.scale(loss * (self.world.size / total if self.sharded else 1 / total)).backward()
        sums = [loss.item(), hits * weight, tokens * weight, tokens_with_padding * weight]
        return torch.tensor(sums, dtype=torch.float64)

    def _step(self, lr: float, norm: float, *, detailed: bool) -> Details | None:
        for group in self.optimizer.param_groups:
            group["lr"] = lr * group["scale"]
        watch = _StepWatch(self.model) if detailed else None
        if 0 < self.config.max_grad_norm < norm:
            torch.nn.utils.clip_grads_with_norm_(self.parameters, self.config.max_grad_norm, torch.tensor(norm))
        self.scaler.step(self.optimizer)
        return watch.details() if watch else None

    def inputs(self, data: EncodedExamples, rows: Ids) -> tuple[dict[str, torch.Tensor], int, int]:
        padded = data.padded(rows)
        arrays = {"input_ids": padded.input_ids, "attention_mask": padded.attention_mask}
        if getattr(self.model.config, "type_vocab_size", 0) > 1:
            arrays["token_type_ids"] = padded.token_type_ids
        return (
            {name: torch.from_numpy(a).to(self.device) for name, a in arrays.items()},
            padded.tokens,
            padded.tokens_with_padding,
        )

    def _autocast(self) -> torch.autocast:
        dtype = getattr(torch, TRAITS[self.config.precision].torch_dtype)
        return torch.autocast(self.device.type, dtype=dtype, enabled=dtype != torch.float32)

    # ---- evaluation and probes

    def weights(self) -> Iterator[tuple[str, torch.Tensor]]:
        return ((f"weights/{name}", _full(parameter.detach())) for name, parameter in trainable(self.model))

    def _distributions(self) -> Iterator[tuple[str, torch.Tensor]]:
        yield from self.weights()
        for name, parameter in trainable(self.model):
            if parameter.grad is not None:
                yield f"gradients/{name}", _full(parameter.grad)

    def predict(self, data: EncodedExamples, rows: Ids, micro_batch: int) -> Outputs:
        """Returns the outputs for all rows. Each worker computes a part of every batch."""
        with self._catch_oom():
            return self._predict(data, rows, micro_batch)
        self._release_memory()
        return self._predict(data, rows, micro_batch)

    @torch.no_grad()
    def _predict(self, data: EncodedExamples, rows: Ids, micro_batch: int) -> Outputs:
        self.model.eval()
        task, head = self.prepared.task, HEADS[self.prepared.task.head]
        outputs = Outputs.empty(
            data.lengths[rows] if head.reads_every_token else None,
            inputs=len(rows),
            classes=len(task.classes),
            features=0 if self.is_own else self.model.config.hidden_size,
        )
        seen: list[torch.Tensor] = []
        with self._head_inputs(seen):
            for batch in sequential_batches(data.lengths[rows], batch_size=micro_batch * self.world.size):
                mine = worker_slice(batch, rank=self.world.rank, workers=self.world.size)
                inputs, _, _ = self.inputs(data, rows[mine if len(mine) else batch[:1]])
                with self._autocast():
                    logits = head_outputs(self.model(**inputs))
                if len(mine):
                    outputs.fill(mine, logits.float().cpu().numpy(), self._features(seen, len(mine)))
                seen.clear()
        return outputs if self.world.size == 1 else self._sum_over_workers(outputs)

    @contextmanager
    def _head_inputs(self, seen: list[torch.Tensor]) -> Iterator[None]:
        """Collects what the head reads. It is not known of an own model."""
        if self.is_own:
            yield
            return
        module = self.model.get_submodule(head_name(self.model, HEADS[self.prepared.task.head].weight))
        hook = module.register_forward_pre_hook(lambda _, args: seen.append(_first_token(args[0])))
        try:
            yield
        finally:
            hook.remove()

    def _features(self, seen: list[torch.Tensor], texts: int) -> Floats:
        return seen[-1].float().cpu().numpy() if seen else np.zeros((texts, 0), np.float32)

    def _sum_over_workers(self, outputs: Outputs) -> Outputs:
        """Returns the outputs of all workers. Each has filled its own part of the zeros."""
        sums = (
            self.world.all_reduce_sum(torch.from_numpy(values).to(self.device)).cpu().numpy()
            for values in (outputs.logits, outputs.features)
        )
        logits, features = sums
        return Outputs(logits, outputs.ends, features)

    def attention(self) -> tuple[Ids, list[np.ndarray[Any, Any]]] | None:
        """Attention of the probe sentences: for each an array (layer, head, from, to). None if no memory is left."""
        if self.is_own:
            return np.empty(0, np.int64), []
        with self._catch_oom():
            return self._attention()
        self._release_memory()
        return None

    @torch.no_grad()
    def _attention(self) -> tuple[Ids, list[np.ndarray[Any, Any]]]:
        self.model.eval()
        probes = self.prepared.probes()
        # Only the eager implementation returns attention maps.
        fast = attention_implementation(self.model.config)
        self.model.set_attn_implementation("eager")
        try:
            maps = [
                self.model(**self.inputs(self.prepared.probe_data, probes[i : i + 1])[0], output_attentions=True)
                for i in range(len(probes))
            ]
        finally:
            self.model.set_attn_implementation(fast)
        return probes, [torch.cat(out.attentions).float().cpu().numpy() for out in maps]

    # ---- checkpoints

    def save(self, run: RunDir, state: checkpoint.TrainState, *, links: tuple[str, ...]) -> None:
        state.scaler = self.scaler.state_dict()
        rng_state = self.world.all_gather(torch.get_rng_state())
        snapshot = checkpoint.take_snapshot(self.model, self.optimizer, state, rng_state)
        if self.world.is_main:
            source = self.prepared.checkpoint
            checkpoint.write_checkpoint(run.checkpoints, snapshot, model=self.model, source=source, links=links)
        self.world.barrier()  # no worker continues before the checkpoint is written

    def resume(self, run: RunDir, *, threads: int) -> checkpoint.TrainState:
        folder = run.checkpoints / "last"
        state = checkpoint.read_train_state(folder)
        rng_state = checkpoint.restore(folder, self.model, self.optimizer)
        torch.set_rng_state(rng_state[self.world.rank] if self.world.rank < len(rng_state) else torch.get_rng_state())
        if state.scaler:
            self.scaler.load_state_dict(state.scaler)
        if state.threads != threads:
            print(f"Note: the run used {state.threads} threads and now uses {threads}, so sums round differently.")
        return state


class _StepWatch:
    """Gradient norms and update-to-weight ratios of one step, per layer. Create it before the step."""

    def __init__(self, model: torch.nn.Module) -> None:
        names, self.parameters = zip(*trainable(model), strict=True)
        self.layers = [layer_of(name) for name in names]
        self.gradients = self._by_layer([p.grad for p in self.parameters])
        self.before = [p.detach().clone() for p in self.parameters]
        self.weights = self._by_layer(self.before)

    @torch.no_grad()
    def details(self) -> Details:
        for before, after in zip(self.before, self.parameters, strict=True):
            before.sub_(after)
        changes = self._by_layer(self.before)
        ratios = {layer: changes[layer] / size if size else 0.0 for layer, size in self.weights.items()}
        return Details(grad_norms=self.gradients, update_ratios=ratios)

    def _by_layer(self, tensors: list[Any]) -> dict[str, float]:
        grouped: dict[str, list[torch.Tensor]] = {}
        for layer, tensor in zip(self.layers, tensors, strict=True):
            grouped.setdefault(layer, []).append(tensor)
        return {layer: _number(torch.nn.utils.get_total_norm(group)) for layer, group in grouped.items()}


def _first_token(features: torch.Tensor) -> torch.Tensor:
    return features[:, 0] if features.ndim == 3 else features


def _full(value: torch.Tensor) -> torch.Tensor:
    """Returns the full tensor if it is sharded over the workers."""
    full: torch.Tensor = value.full_tensor() if hasattr(value, "full_tensor") else value
    return full


def _number(value: torch.Tensor) -> float:
    return float(_full(value))


def _choose_device(config: Config, world: World) -> torch.device:
    if config.device != "auto":
        return torch.device("cuda", world.local_rank) if config.device == "cuda" else torch.device(config.device)
    if torch.cuda.is_available():
        return torch.device("cuda", world.local_rank)
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def _set_threads(config: Config) -> int:
    if config.threads:
        torch.set_num_threads(config.threads)
    return torch.get_num_threads()
