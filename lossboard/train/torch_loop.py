"""Fine-tuning in torch. `Learner` is one model that learns; `loop.run` is the run, the same for both engines.

Three things are done with care, because loops get them wrong. An update's loss is the sum over its examples divided
by their number, whatever micro-batches and workers they were spread over. An update that ran out of memory or is not
finite changes nothing. All that decides the next update is in the checkpoint, so a resumed run gives the same numbers.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from lossboard.train import checkpoint, findings, loop, room
from lossboard.train.batches import Ids, sequential_batches, share
from lossboard.train.config import Config, due
from lossboard.train.device import address_space_is_limited, half_is_fast, settle_malloc
from lossboard.train.evaluation import Evaluation
from lossboard.train.log import Details, TrainLog, Update
from lossboard.train.model import layer_of, load_model, make_optimizer, trainable
from lossboard.train.prepare import Prepared, prepare
from lossboard.train.runs import RunFolder
from lossboard.train.shortage import Shortage
from lossboard.train.tokenize import Encoded
from lossboard.train.workers import World


def train(config: Config, run: RunFolder, *, world: World | None = None, resume: bool = False) -> Evaluation:
    """Fine-tunes as configured and returns the last evaluation on the whole validation set."""
    world = world or World()
    threads = _settle_threads(config)
    prepared = prepare(config)
    learner = Learner(config, prepared, world)
    settle_malloc(sparing=config.gradient_checkpointing or address_space_is_limited())
    progress = checkpoint.Progress(micro_batch=room.first_micro_batch(config, replicas=world.size), threads=threads)
    torch.manual_seed(config.seed * 1_000_003 + world.rank)  # dropout differs between workers
    if resume:
        progress = learner.resume(run, threads=threads)

    total_steps = loop.updates_in_run(config, prepared)
    log = TrainLog(config, run, prepared, total_steps=total_steps, world=world, first_step=progress.step)
    log.start()
    if learner.device.type == "cpu":
        room.make_fit(config, prepared, progress, log)
    if config.precision != "fp32" and learner.device.type == "cpu" and not half_is_fast():
        log.say(f"Note: this CPU has no {config.precision} arithmetic, so it is slower than fp32 here.")
    if not learner.sharded and not resume:
        log.graph(learner.model, learner.inputs(prepared.validation, prepared.probes()[:1])[0])
    return loop.run(config, run, prepared, learner, progress, log)


class Learner:
    """A model, its optimizer, and the device and workers they are spread over."""

    def __init__(self, config: Config, prepared: Prepared, world: World) -> None:
        self.config, self.prepared, self.world = config, prepared, world
        self.device = _choose_device(config, world)
        self.sharded = config.sharding == "fsdp" and world.size > 1
        self.model: Any = load_model(prepared.checkpoint, config, classes=prepared.classes).to(self.device)
        if self.sharded:
            _shard(self.model)
        self.forward: Any = torch.compile(self.model, dynamic=True) if config.compile else self.model
        self.optimizer = make_optimizer(self.model, config)
        self.parameters = [parameter for _, parameter in trainable(self.model)]
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=config.precision == "fp16")

    # ---- one update

    def start_epoch(self, batches: Sequence[Ids], first: int) -> None:
        """Nothing is prepared ahead: padding a batch takes a thousandth of its update."""

    def seeks_scale(self, update: Update) -> bool:
        return self.scaler.is_enabled() and self.scaler.get_scale() > 1 and math.isfinite(update.loss)

    def update(
        self, batch: Ids, rate: float, progress: checkpoint.Progress, log: TrainLog
    ) -> tuple[Update, Details | None]:
        """One optimizer step on the batch; none if something in it is not finite."""
        started = time.perf_counter()
        loss_sum, correct, tokens, cells = self.world.sum(self._accumulate_what_fits(batch, progress, log)).tolist()
        if not self.sharded:
            self.world.sum_gradients(self.parameters)
        self.scaler.unscale_(self.optimizer)
        norm = _number(torch.nn.utils.get_total_norm([p.grad for p in self.parameters if p.grad is not None]))
        loss = loss_sum / len(batch)
        finite = math.isfinite(norm) and math.isfinite(loss)
        detailed = due(self.config.detail_interval, progress.step + 1)
        details = self._step(rate, norm, detailed=detailed) if finite else None
        if log.wants_histograms(progress.step + 1):
            log.histograms(progress.step + 1, self._distributions())
        self.optimizer.zero_grad(set_to_none=True)
        if self.scaler.is_enabled():
            self.scaler.update()
        update = Update(
            loss=loss,
            accuracy=correct / len(batch),
            rate=rate,
            grad_norm=norm,
            examples=len(batch),
            tokens=int(tokens),
            cells=int(cells),
            micro_batch=progress.micro_batch,
            seconds=time.perf_counter() - started,
            finite=finite,
        )
        return update, details

    def _accumulate_what_fits(self, batch: Ids, progress: checkpoint.Progress, log: TrainLog) -> torch.Tensor:
        """Out of memory: half the micro-batch, and all of it again with the same dice."""
        dice = torch.get_rng_state()
        while isinstance(sums := self._accumulate(batch, progress.micro_batch), str):
            if progress.micro_batch == 1:
                log.stop(findings.does_not_fit(progress.step + 1, words=sums))
            torch.set_rng_state(dice)
            before, progress.micro_batch = progress.micro_batch, progress.micro_batch // 2
            log.finding(findings.out_of_memory(progress.step + 1, before=before, after=progress.micro_batch))
        return sums

    def _accumulate(self, batch: Ids, micro_batch: int) -> torch.Tensor | str:
        """Gradients of the whole batch's mean loss, piece by piece; words if some worker ran out of memory.

        Every worker makes the same number of pieces, which sharded weights need; a worker with nothing left takes an
        example with weight zero.
        """
        pieces = math.ceil(math.ceil(len(batch) / self.world.size) / micro_batch)
        mine = share(batch, rank=self.world.rank, workers=self.world.size)
        sums = torch.zeros(4, dtype=torch.float64)
        with self._shortage() as shortage:
            for number, rows in enumerate(np.array_split(mine, pieces)):
                if self.sharded:
                    self.model.set_requires_gradient_sync(number == pieces - 1)
                sums += self._backward(rows if len(rows) else batch[:1], weight=float(len(rows) > 0), total=len(batch))
        if not self.world.any(bool(shortage.words)):
            return sums.to(self.device) if self.world.size > 1 else sums
        self.optimizer.zero_grad(set_to_none=True)
        self._give_memory_back()
        return shortage.words or "on another worker"

    def _shortage(self) -> Shortage:
        # Sharded workers wait for each other inside the pass: one that failed cannot make the others begin again.
        return Shortage(caught=not self.sharded)

    def _give_memory_back(self) -> None:
        gc.collect()
        settle_malloc(sparing=True)
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def _backward(self, rows: Ids, *, weight: float, total: int) -> torch.Tensor:
        inputs, tokens, cells = self.inputs(self.prepared.train, rows)
        labels = torch.from_numpy(self.prepared.train.labels[rows]).to(self.device)
        self.model.train()
        with self._autocast():
            logits = self.forward(**inputs).logits
        loss = cross_entropy(logits.float(), labels, reduction="sum") * weight
        # Sharded gradients are averaged over the workers on their way; all others are summed.
        self.scaler.scale(loss * (self.world.size / total if self.sharded else 1 / total)).backward()
        correct = (logits.detach().argmax(dim=1) == labels).sum().item() * weight
        return torch.tensor([loss.item(), correct, tokens * weight, cells * weight], dtype=torch.float64)

    def _step(self, rate: float, norm: float, *, detailed: bool) -> Details | None:
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["scale"]
        watch = _Watch(self.model) if detailed else None
        if 0 < self.config.max_grad_norm < norm:
            torch.nn.utils.clip_grads_with_norm_(self.parameters, self.config.max_grad_norm, torch.tensor(norm))
        self.scaler.step(self.optimizer)
        return watch.details() if watch else None

    def inputs(self, data: Encoded, rows: Ids) -> tuple[dict[str, torch.Tensor], int, int]:
        padded = data.padded(rows)
        arrays = {"input_ids": padded.input_ids, "attention_mask": padded.attention_mask}
        if getattr(self.model.config, "type_vocab_size", 0) > 1:
            arrays["token_type_ids"] = padded.token_type_ids
        return {name: torch.from_numpy(a).to(self.device) for name, a in arrays.items()}, padded.tokens, padded.cells

    def _autocast(self) -> torch.autocast:
        half = torch.float16 if self.config.precision == "fp16" else torch.bfloat16
        return torch.autocast(self.device.type, dtype=half, enabled=self.config.precision != "fp32")

    # ---- looking at what it has learnt

    def weights(self) -> Iterator[tuple[str, torch.Tensor]]:
        return ((f"weights/{name}", _whole(parameter.detach())) for name, parameter in trainable(self.model))

    def _distributions(self) -> Iterator[tuple[str, torch.Tensor]]:
        yield from self.weights()
        for name, parameter in trainable(self.model):
            if parameter.grad is not None:
                yield f"gradients/{name}", _whole(parameter.grad)

    def classify(self, data: Encoded, rows: Ids, micro_batch: int) -> Evaluation:
        """The logits of all rows, each worker a part of every batch."""
        with self._shortage():
            return self._classify(data, rows, micro_batch)
        self._give_memory_back()
        return self._classify(data, rows, micro_batch)

    @torch.no_grad()
    def _classify(self, data: Encoded, rows: Ids, micro_batch: int) -> Evaluation:
        self.model.eval()
        seen: list[torch.Tensor] = []
        hook = _head(self.model).register_forward_pre_hook(lambda _, args: seen.append(_first_token(args[0])))
        logits = torch.zeros(len(rows), len(self.prepared.classes))
        features = torch.zeros(len(rows), self.model.config.hidden_size)
        try:
            for batch in sequential_batches([data.lengths[i] for i in rows], batch_size=micro_batch * self.world.size):
                mine = share(batch, rank=self.world.rank, workers=self.world.size)
                inputs, _, _ = self.inputs(data, rows[mine if len(mine) else batch[:1]])
                with self._autocast():
                    out = self.model(**inputs).logits
                if len(mine):
                    logits[mine], features[mine] = out.float().cpu(), seen[-1].float().cpu()
                seen.clear()
        finally:
            hook.remove()
        if self.world.size > 1:
            logits = self.world.sum(logits.to(self.device)).cpu()
            features = self.world.sum(features.to(self.device)).cpu()
        return Evaluation(logits.numpy(), data.labels[rows], features.numpy())

    def attention(self) -> tuple[Ids, list[np.ndarray[Any, Any]]] | None:
        """Attention of the probe sentences: for each an array (layer, head, from, to). None if no memory is left."""
        with self._shortage():
            return self._attention()
        self._give_memory_back()
        return None

    @torch.no_grad()
    def _attention(self) -> tuple[Ids, list[np.ndarray[Any, Any]]]:
        self.model.eval()
        probes = self.prepared.probes()
        # Only the plain implementation keeps the maps; the fast one returns none.
        fast = self.model.config._attn_implementation
        self.model.set_attn_implementation("eager")
        try:
            maps = [
                self.model(**self.inputs(self.prepared.validation, probes[i : i + 1])[0], output_attentions=True)
                for i in range(len(probes))
            ]
        finally:
            self.model.set_attn_implementation(fast)
        return probes, [torch.cat(out.attentions).float().cpu().numpy() for out in maps]

    # ---- keeping it

    def save(self, run: RunFolder, progress: checkpoint.Progress, *, links: tuple[str, ...]) -> None:
        progress.scaler = self.scaler.state_dict()
        dice = self.world.gather(torch.get_rng_state())
        snapshot = checkpoint.take_snapshot(self.model, self.optimizer, progress, dice)
        if self.world.leads:
            source = self.prepared.checkpoint
            checkpoint.write_checkpoint(run.checkpoints, snapshot, model=self.model, source=source, links=links)
        self.world.any(False)  # nobody runs ahead of the write

    def resume(self, run: RunFolder, *, threads: int) -> checkpoint.Progress:
        folder = run.checkpoints / "last"
        progress = checkpoint.read_progress(folder)
        dice = checkpoint.restore(folder, self.model, self.optimizer)
        torch.set_rng_state(dice[self.world.rank] if self.world.rank < len(dice) else torch.get_rng_state())
        if progress.scaler:
            self.scaler.load_state_dict(progress.scaler)
        if progress.threads != threads:
            print(f"Note: the run used {progress.threads} threads, now {threads}: sums round differently.")
        return progress


class _Watch:
    """Gradient norms and relative sizes of one update, layer by layer. Made before the step, asked after it."""

    def __init__(self, model: torch.nn.Module) -> None:
        names, self.parameters = zip(*trainable(model), strict=True)
        self.layers = [layer_of(name) for name in names]
        self.gradients = self._by_layer([p.grad for p in self.parameters])
        self.before = [p.detach().clone() for p in self.parameters]
        self.weights = self._by_layer(self.before)

    @torch.no_grad()
    def details(self) -> Details:
        torch._foreach_sub_(self.before, self.parameters)
        changes = self._by_layer(self.before)
        ratios = {layer: changes[layer] / size if size else 0.0 for layer, size in self.weights.items()}
        return Details(grad_norms=self.gradients, update_ratios=ratios)

    def _by_layer(self, tensors: list[Any]) -> dict[str, float]:
        squares: dict[str, float] = {}
        for layer, norm in zip(self.layers, torch._foreach_norm(tensors), strict=True):
            squares[layer] = squares.get(layer, 0.0) + _number(norm) ** 2
        return {layer: math.sqrt(square) for layer, square in squares.items()}


def _head(model: torch.nn.Module) -> Any:
    """The module that turns a text's embedding into logits."""
    names = {name.rpartition(".")[2]: module for name, module in reversed(list(model.named_modules()))}
    return names.get("classifier") or names["score"]


def _first_token(features: torch.Tensor) -> torch.Tensor:
    return features[:, 0] if features.ndim == 3 else features


def _shard(model: torch.nn.Module) -> None:
    from torch.distributed.fsdp import fully_shard

    for module in [m for name, m in model.named_modules() if name.rpartition(".")[2].isdigit()]:
        fully_shard(module)
    fully_shard(model)


def _whole(value: torch.Tensor) -> torch.Tensor:
    """All of a tensor that is spread over the workers."""
    whole: torch.Tensor = value.full_tensor() if hasattr(value, "full_tensor") else value
    return whole


def _number(value: torch.Tensor) -> float:
    return float(_whole(value))


def _choose_device(config: Config, world: World) -> torch.device:
    if config.device != "auto":
        return torch.device("cuda", world.local_rank) if config.device == "cuda" else torch.device(config.device)
    if torch.cuda.is_available():
        return torch.device("cuda", world.local_rank)
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def _settle_threads(config: Config) -> int:
    if config.threads:
        torch.set_num_threads(config.threads)
    return torch.get_num_threads()
