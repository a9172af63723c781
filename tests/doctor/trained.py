"""Small real trainings on the CPU: the loop, the tasks and the log of the healthy and the faulty runs.

Every training takes about a second. A log maps a role, such as `train_loss`, to steps and values. The names under which
a run has them are chosen when a test writes it, in the style of one of several frameworks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

Batch = tuple[torch.Tensor, torch.Tensor]
Schedule = Callable[[float], float]  # part of the training done, from 0 to 1 → factor of the learning rate


@dataclass
class Log:
    steps: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, role: str, step: int, value: float) -> None:
        self.steps.setdefault(role, []).append(step)
        self.values.setdefault(role, []).append(float(value))


@dataclass
class Task:
    """Draws batches and has a validation set."""

    draw: Callable[[int], Batch]
    validation: Batch
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    inputs: int
    outputs: int
    has_accuracy: bool = False


def blobs(*, classes: int = 10, inputs: int = 16, spread: float = 1.5, examples: int = 0, flipped: float = 0.0) -> Task:
    """Gaussian blobs. With `examples`, a training set of so many is drawn from again and again."""
    centers = torch.randn(classes, inputs)

    def sample(n: int) -> Batch:
        y = torch.randint(classes, (n,))
        x = centers[y] + spread * torch.randn(n, inputs)
        wrong = torch.rand(n) < flipped
        return x, torch.where(wrong, torch.randint(classes, (n,)), y)

    kept = sample(examples) if examples else None

    def draw(n: int) -> Batch:
        if kept is None:
            return sample(n)
        rows = torch.randint(examples, (n,))
        return kept[0][rows], kept[1][rows]

    return Task(draw, sample(400), F.cross_entropy, inputs, classes, has_accuracy=True)


def teacher(*, inputs: int = 8, noise: float = 0.1, examples: int = 0, scale: float = 1.0) -> Task:
    """Regression on the outputs of a random network."""
    net = nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, 1))
    with torch.no_grad():
        net[0].weight *= 2

    @torch.no_grad()
    def sample(n: int) -> Batch:
        x = torch.randn(n, inputs)
        return x, scale * (3 * net(x) + noise * torch.randn(n, 1))

    kept = sample(examples) if examples else None

    def draw(n: int) -> Batch:
        if kept is None:
            return sample(n)
        rows = torch.randint(examples, (n,))
        return kept[0][rows], kept[1][rows]

    return Task(draw, sample(400), F.mse_loss, inputs, 1)


def density(*, inputs: int = 6) -> Task:
    """Fits a Gaussian: the negative log-likelihood falls below 0."""
    scales = torch.rand(inputs) * 0.1 + 0.02

    def sample(n: int) -> Batch:
        return torch.ones(n, 1), scales * torch.randn(n, inputs)

    def loss(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        mean, log_scale = out.chunk(2, dim=1)
        return ((y - mean) ** 2 / (2 * (2 * log_scale).exp()) + log_scale).sum(1).mean()

    return Task(sample, sample(400), loss, 1, 2 * inputs)


def mlp(task: Task, *, width: int = 32, depth: int = 2, dropout: float = 0.0, activation: type = nn.ReLU) -> nn.Module:
    layers: list[nn.Module] = []
    size = task.inputs
    for _ in range(depth):
        layers += [nn.Linear(size, width), activation(), *([nn.Dropout(dropout)] if dropout else [])]
        size = width
    return nn.Sequential(*layers, nn.Linear(size, task.outputs))


class CharModel(nn.Module):
    """A transformer of one layer that predicts the next letter."""

    def __init__(self, letters: int, *, width: int = 32, context: int = 16) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.positions = nn.Parameter(torch.zeros(context, width))
        self.block = nn.TransformerEncoderLayer(width, 2, 2 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.head = nn.Linear(width, letters)
        self.register_buffer("mask", torch.triu(torch.full((context, context), -math.inf), 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.block(self.letters(x) + self.positions, src_mask=self.mask)).flatten(0, 1)


def characters(text: str, *, context: int = 16) -> Task:
    letters = sorted(set(text))
    data = torch.tensor([letters.index(c) for c in text])
    split = int(0.9 * len(data))

    def sample(part: torch.Tensor, n: int) -> Batch:
        at = torch.randint(len(part) - context - 1, (n,))[:, None] + torch.arange(context)
        return part[at], part[at + 1].flatten()

    return Task(lambda n: sample(data[:split], n), sample(data[split:], 64), F.cross_entropy, context, len(letters))


def constant(_: float) -> float:
    return 1.0


def cosine(done: float, *, warmup: float = 0.0, floor: float = 0.01) -> float:
    if done < warmup:
        return (done + 1e-3) / warmup
    return floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * (done - warmup) / (1 - warmup)))


@dataclass
class Training:
    """One training. `before` and `after` are called around each step, to plant a fault."""

    task: Task
    model: nn.Module
    optimizer: torch.optim.Optimizer
    steps: int = 400
    batch: int = 32
    log_every: int = 2
    eval_every: int = 20
    schedule: Schedule = constant
    clip: float = math.inf
    log_clipped: bool = False
    log_layers: bool = False
    scale: float = 1.0
    """Factor of the logged losses, as a sum over examples has."""
    change_batch: Callable[[int, Batch], Batch] = lambda step, batch: batch
    change_validation: Callable[[int, Batch], Batch] = lambda step, batch: batch
    before: Callable[[int, Training], None] = lambda step, training: None
    first_step: int = 0
    log: Log = field(default_factory=Log)

    def run(self) -> Log:
        self.rates = [group["lr"] for group in self.optimizer.param_groups]
        for step in range(self.first_step, self.steps):
            self.before(step, self)
            self.train_step(step)
            if step % self.eval_every == 0 or step == self.steps - 1:
                self.evaluate(step)
        return self.log

    def set_rate(self, factor: float) -> None:
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * factor

    def train_step(self, step: int) -> None:
        self.set_rate(self.schedule(step / self.steps))
        self.model.train()
        x, y = self.change_batch(step, self.task.draw(self.batch))
        out = self.model(x)
        loss = self.task.loss(out, y)
        self.optimizer.zero_grad()
        loss.backward()
        parameters = [one for one in self.model.parameters() if one.grad is not None]
        norm = float(nn.utils.clip_grad_norm_(parameters, self.clip)) if parameters else 0.0
        if self.log_clipped:
            norm = min(norm, self.clip)
        if step % self.log_every == 0:
            self.log.add("train_loss", step, loss.item() * self.scale)
            self.log.add("grad_norm", step, norm)
            self.log.add("learning_rate", step, self.optimizer.param_groups[0]["lr"])
            if self.task.has_accuracy:
                self.log.add("train_accuracy", step, float((out.argmax(1) == y).float().mean()))
            if self.log_layers:
                self.add_layers(step)
        self.optimizer.step()

    def add_layers(self, step: int) -> None:
        for name, parameter in self.model.named_parameters():
            if name.endswith("weight"):
                gradient = 0.0 if parameter.grad is None else float(parameter.grad.norm())
                self.log.add(f"grad_norm/{name}", step, gradient)
                self.log.add(f"weight_norm/{name}", step, float(parameter.detach().norm()))

    @torch.no_grad()
    def evaluate(self, step: int) -> None:
        self.model.eval()
        x, y = self.change_validation(step, self.task.validation)
        out = self.model(x)
        self.log.add("val_loss", step, float(self.task.loss(out, y)) * self.scale)
        if self.task.has_accuracy:
            self.log.add("val_accuracy", step, float((out.argmax(1) == y).float().mean()))


def adam(model: nn.Module, lr: float = 3e-3, **options: Any) -> torch.optim.Optimizer:
    return torch.optim.AdamW(model.parameters(), lr=lr, **options)


def sgd(model: nn.Module, lr: float = 0.1, **options: Any) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=lr, **{"momentum": 0.9, **options})


def save(path: Path, runs: dict[str, tuple[Log, dict[str, Any]]]) -> None:
    """Writes runs in one compressed file, in place of those that have their names. Values keep four digits."""
    arrays: dict[str, np.ndarray] = {}
    facts: dict[str, dict[str, Any]] = {}
    if path.exists():
        with np.load(path) as old:
            facts = json.loads(str(old["facts"]))
            arrays = {key: old[key] for key in old.files if key != "facts" and key.split("|")[0] not in runs}
    for name, (log, fact) in runs.items():
        facts[name] = fact
        for role in log.steps:
            arrays[f"{name}|{role}|steps"] = np.diff(np.array(log.steps[role], np.int32), prepend=0).astype(np.int32)
            arrays[f"{name}|{role}|values"] = _rounded(np.array(log.values[role], np.float32))
    np.savez_compressed(path, allow_pickle=False, facts=np.array(json.dumps(facts)), **arrays)


def _rounded(values: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        digits = 10.0 ** (3 - np.floor(np.log10(np.abs(values.astype(np.float64)))))
        rounded = np.round(values * digits) / digits
    return np.where(np.isfinite(rounded), rounded, values).astype(np.float32)
