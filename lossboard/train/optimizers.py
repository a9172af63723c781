"""Optimizers that training offers. Each row holds what the settings and the memory plan need to know.

`models/torch_model.py` and `models/keras_optimizer.py` create them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

OptimizerName = Literal["adamw", "sgd", "adafactor", "adamw-8bit"]
OPTIMIZERS: tuple[OptimizerName, ...] = get_args(OptimizerName)
SGD_MOMENTUM = 0.9


@dataclass(frozen=True)
class _Traits:
    description: str
    state_floats: float  # numbers of four bytes kept for each trained weight
    temporary_floats: int  # numbers used while the weight with the most numbers is changed, for each of them


TRAITS: dict[OptimizerName, _Traits] = {
    "adamw": _Traits("keeps two numbers per weight", state_floats=2, temporary_floats=0),
    "sgd": _Traits(f"has momentum {SGD_MOMENTUM:g}, keeps one", state_floats=1, temporary_floats=0),
    # A row and a column of averages stand for a whole matrix.
    "adafactor": _Traits("keeps almost none; torch only", state_floats=0, temporary_floats=2),
    # Two bytes for each weight, and a scale of four for each 256 of them.
    "adamw-8bit": _Traits(
        "keeps two bytes per weight; torch on CUDA with bitsandbytes only",
        state_floats=0.5 + 2 / 256,
        temporary_floats=0,
    ),
}
