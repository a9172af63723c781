"""Numeric precisions of the forward pass. Each row holds all that the engines and the memory plan need to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Precision = Literal["fp32", "bf16", "fp16"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)


@dataclass(frozen=True)
class _Traits:
    torch_dtype: str
    keras_policy: str
    needs_loss_scaling: bool
    activation_size: float  # relative to fp32: autocast keeps norms, softmax and masks in four bytes


TRAITS: dict[Precision, _Traits] = {
    "fp32": _Traits("float32", "float32", False, 1.0),
    "bf16": _Traits("bfloat16", "mixed_bfloat16", False, 0.833),
    "fp16": _Traits("float16", "mixed_float16", True, 0.833),
}
