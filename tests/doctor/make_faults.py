"""Trains the faulty runs of the doctor's tests and writes them to `data/faults.npz`.

    PYTHONPATH=tests python tests/doctor/make_faults.py [KIND …]

Each code has 20 variants, which differ in scale, noise, length, onset and logging interval. `onset` is the step at
which the fault was planted, where that is one step.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from doctor.make_healthy import plain
from doctor.trained import (
    Batch,
    CharModel,
    Log,
    Training,
    adam,
    blobs,
    characters,
    cosine,
    mlp,
    save,
    sgd,
    teacher,
)  # fmt: skip

SEEDS = 20
Fault = tuple[Log, int | None]


def shape(seed: int) -> dict[str, Any]:
    """Length, batch, logging interval and scale of a variant."""
    rng = np.random.default_rng(seed)
    return {
        "steps": int(rng.integers(300, 900)),
        "batch": int(rng.choice([8, 16, 32, 64])),
        "log_every": int(rng.choice([1, 2, 3, 5])),
        "scale": float(10.0 ** rng.integers(-2, 4)),
    }


def onset(seed: int, steps: int, low: float = 0.3, high: float = 0.8) -> int:
    return int(np.random.default_rng(1000 + seed).uniform(low, high) * steps)


def supervised(seed: int, **options: Any) -> tuple[Training, dict[str, Any]]:
    form = shape(seed)
    task = blobs(classes=3 + seed % 8, spread=1.5 + 0.1 * (seed % 5)) if seed % 3 else teacher()
    model = mlp(task, width=16 + 4 * (seed % 5))
    return Training(task, model, adam(model), **{**form, **options}), form


def non_finite(seed: int) -> Fault:
    """An infinite input, or a rate that makes the loss overflow."""
    training, form = supervised(seed)
    at = onset(seed, form["steps"]) // form["log_every"] * form["log_every"]

    def poison(step: int, batch: Batch) -> Batch:
        return (batch[0] * (math.inf if step == at else 1), batch[1])

    training.change_batch = poison
    return training.run(), at


def divergence(seed: int) -> Fault:
    """The rate becomes far too high in the middle."""
    form = shape(seed)
    at = onset(seed, form["steps"])
    task = teacher() if seed % 2 else blobs(spread=1.5)
    model = mlp(task)
    factor = 100.0 if seed % 2 else 300.0
    schedule = lambda done: factor if done * form["steps"] >= at else 1.0  # noqa: E731
    return Training(task, model, adam(model, 3e-3), schedule=schedule, clip=1.0, **form).run(), at


def spike(seed: int) -> Fault:
    """One to three batches that are far out."""
    training, form = supervised(seed)
    at = onset(seed, form["steps"]) // form["log_every"] * form["log_every"]
    width = form["log_every"] * (1 + seed % 3)

    def shift(step: int, batch: Batch) -> Batch:
        return (batch[0] * 30, batch[1]) if at <= step < at + width else batch

    training.change_batch = shift
    training.clip = 1.0
    return training.run(), at


def overfitting(seed: int) -> Fault:
    """A large model on few examples with wrong labels."""
    form = {**shape(seed), "steps": 600 + 40 * seed, "eval_every": 15 + seed}
    task = (
        blobs(spread=1.5, examples=150 + 20 * seed, flipped=0.15)
        if seed % 2
        else teacher(inputs=16, noise=1.0, examples=100 + 10 * seed)
    )
    model = mlp(task, width=128)
    log = Training(task, model, adam(model, 2e-3), **form).run()
    smooth = np.convolve(log.values["val_loss"], np.ones(3) / 3, "same")[1:-1]
    return log, log.steps["val_loss"][1 + int(np.argmin(smooth))]


def no_learning(seed: int) -> Fault:
    """Labels that have nothing to do with the inputs, or a model whose gradient is cut off."""
    training, _form = supervised(seed)

    def shuffled(step: int, batch: Batch) -> Batch:
        return batch[0], training.task.draw(len(batch[1]))[1]

    if seed % 2:
        training.change_batch = shuffled
    else:
        for group in training.optimizer.param_groups:
            group["lr"] = 0.0
    return training.run(), 0


def rate_too_high(seed: int) -> Fault:
    form = shape(seed)
    task = blobs(spread=1.5) if seed % 2 else teacher()
    model = mlp(task, depth=3)
    optimizer = adam(model, 0.3 * 2 ** (seed % 4)) if seed % 4 != 3 else sgd(model, 3.0)
    return Training(task, model, optimizer, clip=1.0 if seed % 3 else math.inf, **form).run(), 0


def rate_too_low(seed: int) -> Fault:
    form = {**shape(seed), "batch": 64}
    task = blobs(spread=1.2) if seed % 2 else teacher()
    model = mlp(task)
    optimizer = adam(model, 4e-6 * (1 + seed % 3)) if seed % 4 < 2 else sgd(model, 3e-6 * (1 + seed % 3))
    return Training(task, model, optimizer, **form).run(), 0


def no_warmup(seed: int) -> Fault:
    """Fine-tunes a trained model with the full rate from the first step: the loss jumps up before it falls."""
    form = {**shape(seed), "batch": 32}
    task = blobs(spread=0.9 + 0.05 * (seed % 5))
    model = mlp(task, depth=2 + seed % 2, width=64)
    Training(task, model, adam(model), steps=300, eval_every=1000).run()
    schedule = lambda done: cosine(done, floor=0.01)  # noqa: E731
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05 + 0.003 * (seed % 7))
    return Training(task, model, optimizer, schedule=schedule, **form).run(), 0


def exploding_gradients(seed: int) -> Fault:
    """A deep net whose weights are blown up from the onset on."""
    form = shape(seed)
    task = teacher() if seed % 2 else blobs(spread=1.5)
    model = mlp(task, depth=3)
    at = onset(seed, form["steps"])

    def blow_up(step: int, training: Training) -> None:
        if step >= at:
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter *= 1 + 6.0 / form["steps"] if seed % 3 else 1 + 12.0 / form["steps"]

    return Training(task, model, sgd(model, 1e-3), before=blow_up, clip=1.0, **form).run(), at


def always_clipped(seed: int) -> Fault:
    training, _ = supervised(seed, clip=0.01 * 2 ** (seed % 4), log_clipped=True)
    return training.run(), 0


def vanishing_gradients(seed: int) -> Fault:
    """A deep net of sigmoids: the first layers get almost no gradient."""
    form = shape(seed)
    task = blobs(spread=1.5)
    model = mlp(task, depth=7 + seed % 4, width=24, activation=nn.Sigmoid)
    return Training(task, model, sgd(model, 0.1), log_layers=True, **form).run(), 0


def dead_layer(seed: int) -> Fault:
    """A bias of -100 kills all units of a layer at the onset."""
    form = shape(seed)
    task = blobs(spread=1.5)
    model = mlp(task, depth=3)
    at = onset(seed, form["steps"])

    def kill(step: int, training: Training) -> None:
        if step == at:
            with torch.no_grad():
                model[2 * (seed % 3)].bias.fill_(-1000.0)

    return Training(task, model, adam(model), before=kill, log_layers=True, **form).run(), at


def frozen_weights(seed: int) -> Fault:
    """The optimizer got the parameters of another model, or some layers stop at the onset."""
    form = shape(seed)
    task = blobs(spread=1.5)
    model = mlp(task)
    optimizer = adam(mlp(task))
    return Training(task, model, optimizer, log_layers=True, **form).run(), 0


def one_class(seed: int) -> Fault:
    """One class is so frequent, and the rate so high, that only it is predicted."""
    form = {**shape(seed), "eval_every": 10}
    task = blobs(classes=3 + seed % 3, spread=2.5)
    model = mlp(task)

    def imbalanced(step: int, batch: Batch) -> Batch:
        rare = torch.rand(len(batch[1])) > 0.0005
        return torch.where(rare[:, None], torch.randn_like(batch[0]), batch[0]), torch.where(rare, 0, batch[1])

    return Training(task, model, adam(model, 1e-3), change_batch=imbalanced, **form).run(), 0


def leakage(seed: int) -> Fault:
    """The validation inputs contain the label, or its metric is divided twice by the number of examples."""
    form = {**shape(seed), "eval_every": 15}
    task = blobs(classes=5 + seed % 5, spread=2.5)
    shift = 6 * torch.randn(task.outputs, task.inputs)

    def leak(step: int, batch: Batch) -> Batch:
        told = torch.rand(len(batch[1])) < 0.5
        return torch.where(told[:, None], batch[0] + shift[batch[1]], batch[0]), batch[1]

    def leak_all(step: int, batch: Batch) -> Batch:
        return batch[0] + shift[batch[1]], batch[1]

    model = mlp(task)
    return Training(task, model, adam(model), change_batch=leak, change_validation=leak_all, **form).run(), 0


def restart_jump(seed: int) -> Fault:
    """Goes on from a checkpoint without the optimizer, at a rate that needs a warm-up, or without the last layer."""
    form = {**shape(seed), "eval_every": 1000}
    task = blobs(spread=1.2) if seed % 2 else teacher()
    model = mlp(task)
    at = onset(seed, form["steps"])
    log = Training(task, model, adam(model), **{**form, "steps": at}).run()
    if seed % 3 == 0:
        model[-1].reset_parameters()
    optimizer = torch.optim.Adam(model.parameters(), 0.05 if seed % 3 else 3e-3)
    return Training(task, model, optimizer, first_step=at, log=log, **form).run(), at


def language_overfitting(seed: int) -> Fault:
    letters = np.random.default_rng(seed).choice(list("abcdefgh"), 300 + 10 * seed)
    task = characters("".join(letters))
    model = CharModel(task.outputs, width=48)
    training = Training(task, model, adam(model, 3e-3), steps=400, eval_every=10, log_every=2, clip=1.0)
    log = training.run()
    return log, log.steps["val_loss"][int(np.argmin(log.values["val_loss"]))]


def machine(role: str, curve: Callable[[np.ndarray, int, np.random.Generator], np.ndarray]) -> Callable[[int], Fault]:
    """Adds a curve made by formula to a healthy training. No small training can make these faults."""

    def make(seed: int) -> Fault:
        log = plain(seed % 10)
        steps = np.array(log.steps["train_loss"])
        at = onset(seed, int(steps[-1]))
        for step, value in zip(steps, curve(steps, at, np.random.default_rng(seed)), strict=True):
            log.add(role, int(step), float(value))
        return log, at if role == "throughput" else 0

    return make


def leak_memory(steps: np.ndarray, at: int, rng: np.random.Generator) -> np.ndarray:
    start = rng.uniform(1000, 8000)
    return start * (1 + rng.uniform(0.3, 1.5) * steps / steps[-1]) + rng.normal(0, 0.01 * start, len(steps))


def slow_down(steps: np.ndarray, at: int, rng: np.random.Generator) -> np.ndarray:
    usual = 10.0 ** rng.uniform(0, 4)
    return usual * np.where(steps >= at, rng.uniform(0.2, 0.55), 1.0) * rng.lognormal(0, 0.05, len(steps))


def starve(seed: int) -> Fault:
    log = plain(seed % 10)
    rng = np.random.default_rng(seed)
    share, total = rng.uniform(0.55, 0.9), 10.0 ** rng.uniform(-2, 1)
    for step in log.steps["train_loss"]:
        log.add("step_time", step, total * rng.lognormal(0, 0.1))
        log.add("data_time", step, share * total * rng.lognormal(0, 0.1))
    return log, 0


CODES: dict[str, Callable[[int], Fault]] = {
    "non-finite": non_finite,
    "divergence": divergence,
    "spike": spike,
    "overfitting": lambda seed: (overfitting if seed % 4 else language_overfitting)(seed),
    "no-learning": no_learning,
    "rate-too-high": rate_too_high,
    "rate-too-low": rate_too_low,
    "no-warmup": no_warmup,
    "exploding-gradients": exploding_gradients,
    "always-clipped": always_clipped,
    "vanishing-gradients": vanishing_gradients,
    "dead-layer": dead_layer,
    "frozen-weights": frozen_weights,
    "one-class": one_class,
    "leakage": leakage,
    "restart-jump": restart_jump,
    "memory-growth": machine("memory", leak_memory),
    "throughput-drop": machine("throughput", slow_down),
    "data-starved": starve,
}


def main() -> None:
    torch.set_num_threads(1)
    only = sys.argv[1:] or list(CODES)
    runs = {}
    for code in only:
        for seed in range(SEEDS):
            torch.manual_seed(seed)
            log, at = CODES[code](seed)
            runs[f"{code}-{seed}"] = (log, {"code": code, "seed": seed, "onset": at})
        print(code, flush=True)
    save(Path(__file__).parent / "data" / "faults.npz", runs)


if __name__ == "__main__":
    main()
