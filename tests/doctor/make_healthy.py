"""Trains the healthy runs of the doctor's tests and writes them to `data/healthy.npz`.

    PYTHONPATH=tests python tests/doctor/make_healthy.py [KIND …]

They look like faults and are not: warm restarts, GAN and RL noise, grokking, negative losses, metrics at their ceiling.
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
from torch.nn import functional as F

from doctor.trained import (
    Batch,
    CharModel,
    Log,
    Task,
    Training,
    adam,
    blobs,
    characters,
    constant,
    cosine,
    density,
    mlp,
    save,
    sgd,
    teacher,
)  # fmt: skip

SEEDS = 10
TEXT = "".join(f"{a} {b} makes {a + b}, and {a} times {b} is {a * b}. " for a in range(40) for b in range(20))


def plain(seed: int, **options: Any) -> Log:
    task = blobs(classes=2 + seed, spread=1.0 + 0.2 * seed)
    model = mlp(task, width=16 + 4 * seed)
    return Training(task, model, adam(model), batch=8 << seed % 4, scale=10.0 ** (seed % 5 - 2), **options).run()


def small_batches(seed: int) -> Log:
    """Loss of one or two examples: its noise is larger than its fall."""
    task = blobs(classes=5, spread=2.0)
    model = mlp(task)
    return Training(task, model, sgd(model, 0.005), batch=1 + seed % 3, steps=800).run()


def step_drops(seed: int) -> Log:
    task = blobs(spread=2.0)
    model = mlp(task)
    drop = 0.3 + 0.04 * seed
    schedule = lambda done: 1.0 if done < drop else 0.1 if done < 0.8 else 0.01  # noqa: E731
    return Training(task, model, sgd(model, 0.1), steps=600, schedule=schedule).run()


def warm_restarts(seed: int) -> Log:
    task = blobs(spread=2.0, classes=10)
    model = mlp(task)
    schedule = lambda done: cosine(done * (2 + seed % 4) % 1.0, floor=0.0)  # noqa: E731
    return Training(task, model, sgd(model, 0.03 + 0.003 * seed), steps=800, schedule=schedule).run()


def one_cycle(seed: int) -> Log:
    task = blobs(spread=1.5) if seed % 2 else teacher()
    model = mlp(task)
    schedule = lambda done: cosine(done, warmup=0.3, floor=0.001)  # noqa: E731
    optimizer = sgd(model, 0.03)
    return Training(task, model, optimizer, steps=500, schedule=schedule).run()


def language_model(seed: int) -> Log:
    task = characters(TEXT)
    model = CharModel(task.outputs)
    schedule = lambda done: cosine(done, warmup=0.05, floor=0.1)  # noqa: E731
    return Training(
        task, model, adam(model, 1e-3 * (1 + seed % 4)), steps=300 + 30 * seed, schedule=schedule, clip=1.0,
        eval_every=25, log_every=1 + seed % 3,
    ).run()  # fmt: skip


def regression(seed: int) -> Log:
    """The loss falls by orders of magnitude."""
    task = teacher(noise=0.001, scale=10.0 ** (seed % 4 - 1))
    model = mlp(task, width=64, activation=nn.Tanh)
    schedule = cosine if seed % 2 else constant
    return Training(task, model, adam(model, 5e-3), steps=700, schedule=schedule).run()


def negative_loss(seed: int) -> Log:
    task = density(inputs=3 + seed)
    model = mlp(task)
    return Training(task, model, adam(model, 2e-3), steps=600, schedule=cosine, clip=10.0).run()


def ceiling(seed: int) -> Log:
    """Too easy: accuracy is 1 and the loss about 0 after a few steps."""
    task = blobs(classes=3, spread=0.2 + 0.02 * seed)
    model = mlp(task)
    return Training(task, model, adam(model, 1e-2), steps=400).run()


def dropout(seed: int) -> Log:
    task = blobs(spread=1.2)
    model = mlp(task, width=64, dropout=0.3 + 0.04 * seed)
    return Training(task, model, adam(model), steps=500).run()


def very_short(seed: int) -> Log:
    task = blobs(spread=2.0) if seed % 2 else teacher()
    model = mlp(task)
    return Training(task, model, adam(model), steps=2 + 2 * seed, log_every=1, eval_every=4).run()


def resumed(seed: int) -> Log:
    """Stops and goes on from its checkpoint, with the state of the optimizer."""
    task = blobs(spread=2.0)
    model = mlp(task)
    optimizer = adam(model)
    first = Training(task, model, optimizer, steps=200 + 20 * seed)
    log = first.run()
    return Training(task, model, optimizer, steps=600, first_step=200 + 20 * seed, log=log).run()


def pretrained(seed: int) -> Log:
    """Fine-tunes a trained model: the loss begins low and hardly falls."""
    task = blobs(spread=1.6)
    model = mlp(task)
    Training(task, model, adam(model), steps=600, eval_every=1000).run()
    schedule = lambda done: cosine(done, warmup=0.1)  # noqa: E731
    return Training(task, model, adam(model, 2e-4 * (1 + seed)), steps=400, schedule=schedule, clip=1.0).run()


def some_frozen(seed: int) -> Log:
    """A frozen body and a trained head."""
    task = blobs(spread=1.5)
    model = mlp(task, width=64)
    for parameter in list(model.parameters())[:-2]:
        parameter.requires_grad = False
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 1e-2)
    return Training(task, model, optimizer, steps=400 + 20 * seed, log_layers=True).run()


def mixup(seed: int) -> Log:
    """Training examples are harder than those of the validation."""

    def mix(step: int, batch: Batch) -> Batch:
        x, y = batch
        return x + 1.5 * torch.randn_like(x), torch.where(torch.rand(len(y)) < 0.1, y.flip(0), y)

    task = blobs(spread=1.0)
    model = mlp(task, width=64)
    return Training(task, model, adam(model), steps=500 + 20 * seed, change_batch=mix).run()


def mixed_precision(seed: int) -> Log:
    """The loss scale makes single gradients overflow. Those steps are skipped."""
    log = plain(seed)
    for at in np.random.default_rng(seed).integers(0, len(log.values["grad_norm"]), 3):
        log.values["grad_norm"][at] = math.inf
    return log


def layers(seed: int) -> Log:
    task = blobs(spread=1.5)
    model = mlp(task, width=48, depth=3)
    return Training(task, model, adam(model), steps=400 + 20 * seed, log_layers=True).run()


def machine(seed: int) -> Log:
    """Memory that grows at first, then stays, and a throughput that varies."""
    log = plain(seed)
    rng = np.random.default_rng(seed)
    steps = np.array(log.steps["train_loss"])
    grown = 1 - np.exp(-steps / (20 + 5 * seed))
    for step, memory, speed in zip(
        steps, 4000 + 2000 * grown + rng.normal(0, 30, len(steps)), rng.normal(100, 8, len(steps)), strict=True
    ):
        log.add("memory", step, round(float(memory)))
        log.add("throughput", step, speed if rng.random() > 0.02 else speed / 4)
        log.add("data_time", step, abs(rng.normal(0.01, 0.004)))
        log.add("step_time", step, abs(rng.normal(0.2, 0.02)))
    return log


def gan(seed: int) -> Log:
    """A generator and a discriminator of points on a line. Neither loss falls."""
    generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
    judge = nn.Sequential(nn.Linear(1, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
    of_g, of_j = (torch.optim.Adam(net.parameters(), 2e-3, betas=(0.5, 0.9)) for net in (generator, judge))
    log = Log()
    for step in range(700):
        real, made = 4 + seed + 0.5 * torch.randn(64, 1), generator(torch.randn(64, 4))
        loss_j = F.softplus(-judge(real)).mean() + F.softplus(judge(made.detach())).mean()
        of_j.zero_grad(), loss_j.backward(), of_j.step()
        loss_g = F.softplus(-judge(made)).mean()
        of_g.zero_grad(), loss_g.backward(), of_g.step()
        if step % 3 == 0:
            log.add("generator_loss", step, float(loss_g))
            log.add("discriminator_loss", step, float(loss_j))
    return log


def reinforcement(seed: int) -> Log:
    """REINFORCE on a bandit with contexts. Its loss has no meaning, and its reward is noisy."""
    policy = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(policy.parameters(), 3e-3)
    best = torch.randn(6, 4)
    log, baseline = Log(), 0.0
    for step in range(600):
        context = torch.randn(16, 6)
        chances = torch.distributions.Categorical(logits=policy(context))
        action = chances.sample()
        reward = (context @ best)[torch.arange(16), action] + 2 * torch.randn(16)
        loss = -(chances.log_prob(action) * (reward - baseline)).mean()
        baseline = 0.95 * baseline + 0.05 * float(reward.mean())
        optimizer.zero_grad(), loss.backward()
        norm = nn.utils.clip_grad_norm_(policy.parameters(), 100.0)
        optimizer.step()
        if step % 2 == 0:
            log.add("policy_loss", step, loss.item())
            log.add("reward", step, float(reward.mean()))
            log.add("grad_norm", step, float(norm))
    return log


def grokking(seed: int) -> Log:
    """Addition modulo a prime: validation is wrong for long, and then right."""
    prime = 23
    pairs = torch.cartesian_prod(torch.arange(prime), torch.arange(prime))
    order = torch.randperm(len(pairs))
    cut = int((0.62 + 0.02 * (seed % 5)) * len(pairs))
    x = torch.cat([F.one_hot(pairs[:, 0], prime), F.one_hot(pairs[:, 1], prime)], 1).float()
    y = pairs.sum(1) % prime
    train, held = order[:cut], order[cut:]
    model = nn.Sequential(nn.Linear(2 * prime, 128), nn.ReLU(), nn.Linear(128, prime))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter *= 2
    task = Task(lambda n: (x[train], y[train]), (x[held], y[held]), F.cross_entropy, 2 * prime, prime, True)
    optimizer = adam(model, 1e-2, weight_decay=2.0)
    return Training(task, model, optimizer, steps=2500, log_every=15, eval_every=30).run()


KINDS: dict[str, Callable[[int], Log]] = {
    "plain": plain,
    "small-batches": small_batches,
    "step-drops": step_drops,
    "warm-restarts": warm_restarts,
    "one-cycle": one_cycle,
    "language-model": language_model,
    "regression": regression,
    "negative-loss": negative_loss,
    "ceiling": ceiling,
    "dropout": dropout,
    "very-short": very_short,
    "resumed": resumed,
    "pretrained": pretrained,
    "some-frozen": some_frozen,
    "mixup": mixup,
    "mixed-precision": mixed_precision,
    "layers": layers,
    "machine": machine,
    "gan": gan,
    "reinforcement": reinforcement,
    "grokking": grokking,
}


def main() -> None:
    torch.set_num_threads(1)
    only = sys.argv[1:] or list(KINDS)
    runs = {}
    for kind in only:
        for seed in range(SEEDS):
            torch.manual_seed(1000 + seed)
            runs[f"{kind}-{seed}"] = (KINDS[kind](seed), {"kind": kind, "seed": seed})
        print(kind, flush=True)
    save(Path(__file__).parent / "data" / "healthy.npz", runs)


if __name__ == "__main__":
    main()
