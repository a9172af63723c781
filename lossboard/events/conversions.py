"""Conversions of the values that programs log: Python numbers and text, NumPy, torch, TensorFlow, JAX.

No framework is imported; their arrays are recognized by their methods. A torch tensor may be on any device, be bfloat16
or require gradients. Whatever torch's SummaryWriter accepts is accepted. Anything else that is not a number raises
TypeError or ValueError, with the value and what is expected.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping
from numbers import Number
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lossboard.events.warn_once import warn_once

Array: TypeAlias = npt.NDArray[Any]

_NUMBERS = frozenset("biufc")


def as_array(value: object, what: str = "values") -> Array:
    """Returns `value` as a NumPy array of numbers. `what` names it in errors.

    Types that NumPy lacks become float32. Text, Decimal and other objects become float64 if they are numbers.
    """
    array = _to_numpy(value, what)
    if array.dtype.kind in _NUMBERS:
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be numbers, got {_describe(value, array)}") from None


def as_real(value: object, what: str = "values") -> Array:
    """As `as_array`. Complex numbers lose their imaginary part, as in torch."""
    array = as_array(value, what)
    if array.dtype.kind != "c":
        return array
    warn_once(f"{what}: only the real part of complex numbers is logged")
    return array.real


def as_scalar(value: Any, what: str = "A scalar") -> float:
    """Returns one number: a Python number, text, or anything with exactly one element. `what` names it in errors."""
    if isinstance(value, (str, bytes, bytearray)):
        try:
            return float(value)
        except ValueError:
            raise TypeError(f"{what} must be numbers, got {type(value).__name__} {value!r:.60}") from None
    if isinstance(value, Number) and not isinstance(value, (complex, np.complexfloating)):
        try:
            return float(value)  # type: ignore[arg-type] # what is not complex is real, a Decimal too
        except OverflowError:
            raise ValueError(f"{what} must fit in a float, got a larger int") from None
    if _is_torch_float(value):
        return float(value.item())  # a loss; three times cheaper than through NumPy
    array = _to_numpy(value, what)
    if array.dtype.kind == "c":
        raise TypeError(f"{what} must be real numbers, got {_describe(value, array)}")
    if array.size != 1:
        raise ValueError(f"{what} must have one element, got {_describe(value, array)}")
    if np.ma.is_masked(value):
        return math.nan
    try:
        return float(array.item())
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be numbers, got {_describe(value, array)}") from None


def as_step(value: Any) -> int:
    """Returns a step: an integer, text of one, or one number whose fraction is dropped, as in torch."""
    try:
        return operator.index(value)
    except TypeError:
        pass
    if isinstance(value, (str, bytes, bytearray)):
        try:
            return int(value)
        except ValueError:
            raise TypeError(f"A step must be numbers, got {type(value).__name__} {value!r:.60}") from None
    number = as_scalar(value, "A step")
    if not np.isfinite(number):
        raise ValueError(f"A step must be finite, got {number}")
    return int(number)


def as_wall_time(value: Any) -> float | None:
    """Returns seconds since 1970; None means now. NaN and infinity become now, because no time axis can show them."""
    if value is None:
        return None
    try:
        secs = float(value)
    except (TypeError, ValueError):
        secs = None
    if secs is None or isinstance(value, (str, bytes)):
        raise TypeError(f"A wall time must be a number, seconds since 1970, got {type(value).__name__}: {value!r:.60}")
    if math.isfinite(secs):
        return secs
    warn_once("A wall time that is not finite is replaced by the current time")
    return None


def as_mapping(value: Any, what: str) -> Mapping[Any, Any]:
    """Returns a dictionary, or an object with `items()`, such as a pandas Series."""
    if not hasattr(value, "items"):
        raise TypeError(f"{what} must be a dictionary, got {type(value).__name__}: {value!r:.60}")
    return value if isinstance(value, Mapping) else dict(value.items())


def as_tag(tag: object) -> str:
    """Returns a tag from text, UTF-8 or a path. None becomes the empty tag, as in torch."""
    if isinstance(tag, os.PathLike):
        tag = os.fspath(tag)
    if isinstance(tag, str):
        written = tag.encode("utf-8", "replace").decode()
        if written != tag:
            warn_once("A tag has lone surrogates, which are replaced by ?")
        return written
    if isinstance(tag, bytes):
        return tag.decode()
    if tag is None:
        warn_once("A tag is None; the data is logged under an empty tag")
        return ""
    raise TypeError(f"A tag must be a str, got {type(tag).__name__}: {tag!r:.60}")


def _to_numpy(value: object, what: str) -> Array:
    if isinstance(value, np.ndarray):
        array = value
    elif hasattr(value, "detach") and hasattr(value, "cpu"):
        array = _from_torch(value, what)
    elif hasattr(value, "numpy") and callable(value.numpy):  # an eager TensorFlow tensor or variable
        array = np.asarray(value.numpy())
    else:
        array = _from_any(value, what)
    is_ml_dtype = array.dtype.kind == "V" and "float" in array.dtype.name  # bfloat16, float8_*
    return array.astype(np.float32) if is_ml_dtype else array


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
        warn_once(f"{what}: a tensor on the meta device has no values; NaN is logged")
        return np.full(1, np.nan)
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
    if value is None:  # NumPy would make it NaN
        raise TypeError(f"{what} must be numbers, got NoneType")
    if isinstance(value, (list, tuple)) and any(hasattr(item, "detach") for item in value):
        value = [as_array(item, what) for item in value]
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} must be numbers in a regular shape: {error}") from None


def _describe(value: object, array: Array) -> str:
    kind = type(value).__module__.split(".")[0] + "." + type(value).__name__
    return f"{kind.removeprefix('builtins.')} of shape {list(array.shape)} and type {array.dtype.name}"
