"""Hyperparameters spelled out in directory names.

    lr=3e-5,seed=1                  every name=value
    fashion_mnist_lr_0.001_bs_64    a usual name and a number after it
    lr0.003-seed2                   the same without a separator

A name without `=` counts only if it is a usual one: `resnet50`, `version_0` and `run-12` are not hyperparameters.
"""

from __future__ import annotations

import re

from lossboard.select.facts.values import FactValue, parse_value

_USUAL_NAMES = (
    "accum adam_eps alpha aug batch batch_size beta beta1 beta2 bs bsz clip context context_length decay depth "
    "dim do dp dropout embed embed_dim ep epoch epochs eps epsilon eta fold gamma grad_accum grad_clip heads "
    "hidden hidden_dim hidden_size horizon kl label_smoothing lambda layers learning_rate length lora_alpha "
    "lora_r lr lrate max_epochs max_length max_steps mlp_ratio momentum mom n_epochs n_heads n_layers n_steps "
    "noise num_epochs num_heads num_layers num_steps patience seed seq_len seq_length sigma smoothing steps "
    "tau temp temperature warmup warmup_ratio warmup_steps wd weight_decay width"
)

_PAIR = re.compile(r"(?:^|[,;&_\s-])([A-Za-z][A-Za-z0-9_.]*?)=(.*?)(?=[,;&\s]|[_-][A-Za-z][A-Za-z0-9_.]*=|$)")
_SPELLED = re.compile(
    r"(?<![A-Za-z0-9.])"
    rf"({'|'.join(name.replace('_', '[_-]') for name in sorted(_USUAL_NAMES.split(), key=len, reverse=True))})"
    r"[_-]?(\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"(?![A-Za-z0-9.])",
    re.IGNORECASE,
)
_MAX_CHARS = 1000


def read_run_name(name: str) -> dict[str, FactValue]:
    """Returns what the parts of a run's name spell out. A deeper directory overrides those above it."""
    found: dict[str, FactValue] = {}
    for part in name[-_MAX_CHARS:].split("/"):
        pairs = _PAIR.findall(part) if "=" in part else [(n.replace("-", "_"), v) for n, v in _SPELLED.findall(part)]
        for key, text in pairs:
            if (value := parse_value(text)) is not None:
                found[key] = value
    return found
