"""Conversion to NumPy of Python numbers, NumPy, torch (any device, bfloat16, requires_grad), TensorFlow and JAX arrays.

No framework is imported: arrays are recognized by their methods. An invalid argument raises TypeError or ValueError,
which says what was expected and what was given.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from numbers import Number
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

_NUMBERS = frozenset("biufc")


def as_array(value: object, what: str = "values") -> Array:
    """Returns `value` as a NumPy array. `what` names it in errors. Types that NumPy lacks become float32."""
    if isinstance(value, np.ndarray):
        array = value
    elif hasattr(value, "detach") and hasattr(value, "cpu"):
        array = _from_torch(value, what)
    elif hasattr(value, "numpy") and callable(value.numpy):  # an eager TensorFlow tensor or variable
        array = np.asarray(value.numpy())
    else:
        array = _from_any(value, what)
    if array.dtype.kind == "V" and "float" in array.dtype.name:  # ml_dtypes: bfloat16, float8_*
        array = array.astype(np.float32)
    if array.dtype.kind not in _NUMBERS:
        raise TypeError(f"{what} must be numbers, got {_describe(value, array)}")
    return array


def as_real(value: object, what: str = "values") -> Array:
    """Like `as_array`, but rejects complex numbers."""
    array = as_array(value, what)
    if array.dtype.kind == "c":
        raise TypeError(f"{what} must be real numbers, got {_describe(value, array)}")
    return array


def as_scalar(value: Any, what: str = "A scalar") -> float:
    """Returns a Python number, or the element of an array that has exactly one. `what` names it in errors."""
    if isinstance(value, Number) and not isinstance(value, (complex, np.complexfloating)):
        try:
            return float(value)  # type: ignore[arg-type] # what is not complex is real, a Decimal too
        except OverflowError:
            raise ValueError(f"{what} must fit in a float, got a larger int") from None
    if _is_torch_float(value):
        return float(value.item())  # the usual loss; three times faster than through NumPy
    array = as_real(value, what)
    if array.size != 1:
        raise ValueError(f"{what} must have one element, got {_describe(value, array)}")
    return float(array.reshape(()))


def as_step(value: Any) -> int:
    """Returns a step: an integer, or a number without its fraction, as in torch."""
    try:
        return operator.index(value)
    except TypeError:
        pass
    number = as_scalar(value, "A step")
    if not np.isfinite(number):
        raise ValueError(f"A step must be finite, got {number}")
    return int(number)


def as_mapping(value: Any, what: str) -> Mapping[Any, Any]:
    """Returns a dictionary or another mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} must be a dictionary, got {type(value).__name__}: {value!r:.60}")
    return value


def as_tag(tag: object) -> str:
    """Returns a tag that can be encoded: lone surrogates are replaced."""
    if not isinstance(tag, str):
        raise TypeError(f"A tag must be a str, got {type(tag).__name__}: {tag!r:.60}")
    tag.encode()
    return tag


def _is_torch_float(value: Any) -> bool:
    return (
        hasattr(value, "numel")
        and value.numel() == 1
        and value.is_floating_point()
        and value.device.type != "meta"
        and not value.is_quantized
    )


def _from_torch(value: Any, what: str) -> Array:
    if value.device.type == "meta":
        raise ValueError(f"{what}: a tensor on the meta device has no values")
    value = value.detach()
    if not str(value.layout).endswith("strided"):
        value = value.to_dense()
    value = value.cpu()
    if value.is_complex():
        value = value.resolve_conj()
    if value.is_quantized:
        value = value.dequantize()
    name = str(value.dtype)
    if "bfloat" in name or "float8" in name:
        value = value.float()
    return np.asarray(value.resolve_neg().numpy())


def _from_any(value: object, what: str) -> Array:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{what} must be numbers, got {type(value).__name__} {value!r:.60}")
    if isinstance(value, (list, tuple)) and any(hasattr(item, "detach") for item in value):
        value = [as_array(item, what) for item in value]
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} must be numbers in a regular shape: {error}") from None


def _describe(value: object, array: Array) -> str:
    kind = type(value).__module__.split(".")[0] + "." + type(value).__name__
    return f"{kind.removeprefix('builtins.')} of shape {list(array.shape)} and type {array.dtype.name}"
