"""Roles of series: which tag is the training loss, the learning rate and so on, inferred from the words of its name.

The names come from what ordinary scripts log: `Loss/train`, `train/loss`, `epoch_loss` in the sub-run `validation`,
`val_loss`, `lr-AdamW`, `train/grad_norm`, `time/fps`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from lossboard.doctor.words import (
    ACCURACY,
    ADVERSARIAL,
    GENERIC,
    LOSS,
    REINFORCEMENT,
    TEST,
    TRAIN,
    VALIDATION,
)

_GRADIENT = frozenset({"grad", "grads", "gradient", "gradients", "gnorm"})
_WEIGHT = frozenset({"weight", "weights", "param", "params", "parameter", "parameters"})
_NORM = frozenset({"norm", "l2", "global", "total", "gnorm", "all", "overall", "2", "0", "before", "raw"})
_SPLITS = TRAIN | VALIDATION | TEST
_TIME = frozenset({"time", "secs", "seconds", "duration", "wait", "ms"})
_NOT_MEMORY = frozenset({"free", "available", "total", "limit", "bandwidth", "bank"})
_CONSTANT_ROLES = frozenset({"hparam", "hparams", "best"})

ROLES: dict[str, str] = {
    "train_loss": 'log.add_scalar("train/loss", loss, step)',
    "val_loss": 'log.add_scalar("val/loss", loss, step)',
    "train_accuracy": 'log.add_scalar("train/accuracy", accuracy, step)',
    "val_accuracy": 'log.add_scalar("val/accuracy", accuracy, step)',
    "learning_rate": 'log.add_scalar("train/learning_rate", lr, step)',
    "gradient_norm": 'log.add_scalar("train/grad_norm", norm, step)',
    "layer_gradients": 'log.add_scalar(f"grad_norm/{layer}", norm, step)',
    "layer_weights": 'log.add_scalar(f"weight_norm/{layer}", norm, step)',
    "class_score": 'log.add_scalar("val/f1", f1, step)',
    "memory": "log.watch_system()",
    "throughput": 'log.add_scalar("train/samples_per_second", rate, step)',
    "step_time": 'log.add_scalar("time/step", seconds, step)',
    "data_time": 'log.add_scalar("time/data", seconds, step)',
}
"""Roles, and how to log each."""
SEVERAL = frozenset({"layer_gradients", "layer_weights", "memory", "class_score"})
"""Roles that more than one series may have."""


class Ref(NamedTuple):
    run: str
    tag: str


@dataclass(frozen=True)
class Candidate:
    """A series, the words of its tag and sub-run, and its number of points."""

    ref: Ref
    words: tuple[str, ...]
    points: int


Roles = Mapping[str, tuple[Ref, ...]]


def infer_roles(candidates: Iterable[Candidate], chosen: Mapping[str, str]) -> Roles:
    """Returns the series of each role. `chosen` maps roles to tags and overrides the names."""
    every = [one for one in candidates if not _CONSTANT_ROLES.intersection(one.words)]
    roles: dict[str, tuple[Ref, ...]] = {}
    by_role: dict[str, list[Candidate]] = {}
    is_trained = not is_game(every)
    for one in every:
        role = _role_of(frozenset(one.words))
        if role and (is_trained or role not in ("train_loss", "val_loss")):
            by_role.setdefault(role, []).append(one)
    for role, found in by_role.items():
        found.sort(key=_preference)
        roles[role] = tuple(one.ref for one in (found if role in SEVERAL else found[:1]))
    _match_losses(roles, by_role)
    for role, tag in chosen.items():
        if refs := tuple(one.ref for one in every if one.ref.tag == tag):
            roles[role] = refs if role in SEVERAL else refs[:1]
    return roles


def is_game(candidates: Collection[Candidate]) -> bool:
    """Whether the losses are those of players: reinforcement learning, or a GAN. Such losses need not fall."""
    for one in candidates:
        words = frozenset(one.words)
        if words & REINFORCEMENT or (words & LOSS and words & ADVERSARIAL) or ("err" in words and words & {"d", "g"}):
            return True
    return False


def _role_of(words: frozenset[str]) -> str | None:
    if "lr" in words or {"learning", "rate"} <= words:
        return "learning_rate"
    if words & _GRADIENT:
        return _gradient_role(words)
    if words & _WEIGHT and words & {"norm", "l2"}:
        return "layer_weights"
    return _timing_role(words) or _metric_role(words)


def _gradient_role(words: frozenset[str]) -> str | None:
    if words & {"clipped", "clip", "scale", "scaler", "min", "max", "mean", "std", "accumulation"}:
        return None
    if words - _GRADIENT - _NORM - _SPLITS - GENERIC:
        return "layer_gradients" if "norm" in words else None
    return "gradient_norm"


def _timing_role(words: frozenset[str]) -> str | None:
    is_rate = "per" in words and words & {"second", "sec", "s"}
    if (is_rate or words & {"throughput", "mfu", "fps", "tps", "ips"}) and not words & (VALIDATION | TEST):
        return "throughput"
    if words & _TIME and words & {"data", "dataloader", "loader", "dataloading", "fetch"}:
        return "data_time"
    if words & _TIME and words & {"step", "iter", "iteration", "batch"} and not words & (VALIDATION | TEST):
        return "step_time"
    if words & {"memory", "mem", "vram", "rss"} and not words & _NOT_MEMORY:
        return "memory"
    return None


def _metric_role(words: frozenset[str]) -> str | None:
    held_out = bool(words & (VALIDATION | TEST))
    if words & LOSS:
        return "val_loss" if held_out else "train_loss"
    if words & ACCURACY:
        return "val_accuracy" if held_out else "train_accuracy"
    return "class_score" if held_out and words & {"f1", "f", "recall", "precision", "mcc", "matthews"} else None


def _preference(one: Candidate) -> tuple[int, bool, int, Ref]:
    """Orders candidates of a role: the plainest name first, then the validation before the test, then more points."""
    words = frozenset(one.words)
    return len(_extra(one)), bool(words & TEST), -one.points, one.ref


def _extra(one: Candidate) -> frozenset[str]:
    return frozenset(one.words) - LOSS - ACCURACY - GENERIC - _SPLITS - {"lr", "learning", "rate"}


def _match_losses(roles: dict[str, tuple[Ref, ...]], by_role: Mapping[str, list[Candidate]]) -> None:
    """Takes the training loss that has the same name as the validation loss, such as `box` in `train/box_loss`."""
    for train, validation in (("train_loss", "val_loss"), ("train_accuracy", "val_accuracy")):
        for other in by_role.get(validation, ()):
            same = [one for one in by_role.get(train, ()) if _extra(one) == _extra(other)]
            if same:
                roles[train], roles[validation] = (same[0].ref,), (other.ref,)
                break
