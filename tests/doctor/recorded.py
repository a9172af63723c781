"""Recorded runs: what `make_healthy.py` and `make_faults.py` trained, written in the styles of several frameworks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lossboard import SummaryWriter
from lossboard.findings import Finding

DATA = Path(__file__).parent / "data"

STYLES: dict[str, dict[str, str]] = {
    "hugging-face": {
        "train_loss": "train/loss", "val_loss": "eval/loss", "train_accuracy": "train/accuracy",
        "val_accuracy": "eval/accuracy", "learning_rate": "train/learning_rate", "grad_norm": "train/grad_norm",
    },
    "torch-tutorial": {
        "train_loss": "Loss/train", "val_loss": "Loss/test", "train_accuracy": "Accuracy/train",
        "val_accuracy": "Accuracy/test", "learning_rate": "Learning Rate", "grad_norm": "Gradient Norm",
    },
    "lightning": {
        "train_loss": "train_loss_step", "val_loss": "val_loss", "train_accuracy": "train_acc",
        "val_accuracy": "val_acc", "learning_rate": "lr-AdamW", "grad_norm": "grad_2.0_norm_total",
    },
    "nano-gpt": {
        "train_loss": "loss/train", "val_loss": "loss/val", "train_accuracy": "acc/train", "val_accuracy": "acc/val",
        "learning_rate": "lr", "grad_norm": "gnorm",
    },
    "keras": {
        "train_loss": "train:batch_loss", "val_loss": "validation:evaluation_loss_vs_iterations",
        "train_accuracy": "train:batch_accuracy", "val_accuracy": "validation:evaluation_accuracy_vs_iterations",
        "learning_rate": "train:batch_learning_rate", "grad_norm": "train:grad_norm",
    },
}  # fmt: skip
OTHER = {
    "policy_loss": "train/policy_gradient_loss", "reward": "rollout/ep_rew_mean", "generator_loss": "Loss_G",
    "discriminator_loss": "Loss_D", "memory": "system/process/memory_mb", "throughput": "train/samples_per_second",
    "data_time": "time/data", "step_time": "time/step",
}  # fmt: skip


@dataclass(frozen=True)
class Recorded:
    name: str
    facts: Mapping[str, Any]
    series: Mapping[str, tuple[np.ndarray, np.ndarray]]

    @property
    def is_held_out(self) -> bool:
        """Half of the runs are left out when thresholds are chosen."""
        return self.facts["seed"] % 4 in (1, 2)

    @property
    def style(self) -> str:
        return list(STYLES)[self.facts["seed"] % len(STYLES)]

    @property
    def restart(self) -> int | None:
        if self.facts.get("kind") == "resumed":
            return 200 + 20 * int(self.facts["seed"])
        return self.facts["onset"] if self.facts.get("code") == "restart-jump" else None

    @property
    def length(self) -> int:
        return max(int(steps[-1]) for steps, _ in self.series.values())

    def tag(self, role: str) -> str:
        if role in OTHER:
            return OTHER[role]
        base, _, layer = role.partition("/")
        return f"{base}/{layer}" if layer else STYLES[self.style][role]

    def write(self, folder: Path) -> None:
        writers: dict[str, SummaryWriter] = {}
        points = sorted(
            ((int(step), role, float(value)) for role, (steps, values) in self.series.items()
             for step, value in zip(steps, values, strict=True)),
            key=lambda point: point[0],
        )  # fmt: skip
        for part in (points,) if self.restart is None else _split(points, self.restart):
            for step, role, value in part:
                run, _, tag = self.tag(role).rpartition(":")
                if run not in writers:
                    writers[run] = SummaryWriter(folder / self.name / run)
                writers[run].add_scalar(tag, value, step)
            for writer in writers.values():
                writer.close()
            writers.clear()


def _split(points: list[tuple[int, str, float]], step: int) -> Iterator[list[tuple[int, str, float]]]:
    yield [point for point in points if point[0] < step]
    yield [point for point in points if point[0] >= step]


Judged = list[tuple[Recorded, list[Finding]]]
"""Runs, and what was found in them."""


@cache
def load(name: str) -> list[Recorded]:
    """Returns the runs in `data/<name>.npz`."""
    with np.load(DATA / f"{name}.npz") as data:
        series: dict[str, dict[str, tuple[np.ndarray, np.ndarray]]] = {}
        for key in data.files:
            if key.endswith("|steps"):
                run, role, _ = key.split("|")
                steps = np.cumsum(data[key])
                series.setdefault(run, {})[role] = (steps, data[f"{run}|{role}|values"])
        facts = json.loads(str(data["facts"]))
    return [Recorded(name, facts[name], series[name]) for name in facts]
