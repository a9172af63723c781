"""Conversion of values from all frameworks to NumPy."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

from lossboard.events.conversions import as_array, as_scalar, as_step


class Eager:
    """A TensorFlow tensor as duck typing sees it."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def numpy(self) -> np.ndarray:
        return self._array


class Jax:
    """A JAX array as duck typing sees it."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._array


FLOATS = [1.5, -2.0, 0.25]
ARRAYS = {
    "list": FLOATS,
    "numpy": np.array(FLOATS),
    "torch": torch.tensor(FLOATS),
    "torch with gradient": torch.tensor(FLOATS, requires_grad=True),
    "torch parameter": torch.nn.Parameter(torch.tensor(FLOATS)),
    "torch half": torch.tensor(FLOATS, dtype=torch.float16),
    "torch bfloat16": torch.tensor(FLOATS, dtype=torch.bfloat16),
    "torch float8": torch.tensor(FLOATS).to(torch.float8_e4m3fn),
    "torch sparse": torch.tensor(FLOATS).to_sparse(),
    "torch negated view": torch.complex(torch.zeros(3), -torch.tensor(FLOATS)).conj().imag,
    "torch turned": torch.tensor([FLOATS, FLOATS]).T[:, 0],
    "list of tensors": [torch.tensor(value, requires_grad=True) for value in FLOATS],
    "tensorflow": Eager(np.array(FLOATS, np.float32)),
    "tensorflow bfloat16": Eager(np.array(FLOATS, ml_dtypes.bfloat16)),
    "jax": Jax(np.array(FLOATS, np.float32)),
    "jax bfloat16": Jax(np.array(FLOATS, ml_dtypes.bfloat16)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_all_frameworks_become_numpy(name: str) -> None:
    array = as_array(ARRAYS[name])
    assert array.dtype.kind == "f"
    assert array.tolist() == FLOATS


def test_numpy_is_not_copied() -> None:
    array = np.zeros(3)
    assert as_array(array) is array
    tensor = torch.zeros(3)
    assert np.shares_memory(as_array(tensor), tensor.numpy())


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3.0),
        (True, 1.0),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7.0),
        (np.bool_(True), 1.0),
        (np.array([[2.5]]), 2.5),
        (torch.tensor(2.5, requires_grad=True), 2.5),
        (torch.tensor([[4]]), 4.0),
        (torch.tensor(True), 1.0),
        (torch.tensor(0.5, dtype=torch.bfloat16), 0.5),
        (Eager(np.array(1.25)), 1.25),
        (Jax(np.array(1.25)), 1.25),
        ([6], 6.0),
        (Fraction(1, 2), 0.5),
        (Decimal("0.25"), 0.25),
    ],
)
def test_scalars_of_all_frameworks_become_floats(value: Any, number: float) -> None:
    assert as_scalar(value) == number
    assert type(as_scalar(value)) is float


@pytest.mark.parametrize("value", [object(), {"a": 1}, [None], np.datetime64("2026-01-01")])
def test_value_that_is_not_a_number_raises(value: Any) -> None:
    with pytest.raises(TypeError, match="must be numbers, got"):
        as_scalar(value)


@pytest.mark.parametrize(
    ("value", "step"), [(5, 5), (np.int32(5), 5), (torch.tensor(5), 5), (5.9, 5), (-3, -3), (torch.tensor([5.0]), 5)]
)
def test_steps_become_integers(value: Any, step: int) -> None:
    assert as_step(value) == step
