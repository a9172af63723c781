"""Words of a tag, and what they say: `train/grad_norm` → train, grad, norm."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

TRAIN = frozenset({"train", "training", "trn", "tr", "fit"})
VALIDATION = frozenset({"val", "valid", "validation", "eval", "evaluation", "dev", "holdout", "heldout"})
TEST = frozenset({"test", "testing", "tst"})
LOSS = frozenset({"loss", "losses", "nll", "ce", "xent", "crossentropy", "cost", "mse", "bce", "criterion"})
ACCURACY = frozenset({"accuracy", "acc", "top"})
GENERIC = frozenset(
    [
        "avg",
        "average",
        "batch",
        "cross",
        "entropy",
        "epoch",
        "iter",
        "iteration",
        "mean",
        "metrics",
        "per",
        "running",
        "scalar",
        "sparse",
        "step",
        "steps",
        "total",
        "categorical",
        "binary",
        "1",
    ]
)
"""Words that say how often or over what something is measured."""
REINFORCEMENT = frozenset(
    [
        "actor",
        "advantage",
        "advantages",
        "ep",
        "policy",
        "rew",
        "reward",
        "rewards",
        "return",
        "returns",
        "rollout",
        "td",
        "qf",
        "explained",
    ]
)
ADVERSARIAL = frozenset(
    ["adversarial", "d", "disc", "discriminator", "err", "fake", "g", "gan", "gen", "generator", "critic"]
)


@lru_cache(maxsize=65536)
def words_of(tag: str) -> tuple[str, ...]:
    """Returns the words of a tag in lower case. A path, `snake_case` and `camelCase` are split."""
    return tuple(word.lower() for word in _WORD.findall(tag))
