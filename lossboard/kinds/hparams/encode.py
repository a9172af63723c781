"""Hyperparameters: three values whose content is HParamsPluginData in the metadata, without a tensor.

The messages are those of decode.py, with protobuf.Value {number 2 | string 3 | bool 4} and ListValue {values 1}. A bool
stays a bool; torch turns it into a number. A function or class is logged by its name, as in tensorboardX; a list or any
other object, which tensorboardX leaves out, as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lossboard.events.conversions import as_mapping, as_scalar, as_tag
from lossboard.events.summary import encode_metadata, encode_value
from lossboard.events.warn_once import warn_once
from lossboard.events.wire import bytes_field, double_field, text_field, uint_field
from lossboard.kinds.hparams.decode import END_TAG, EXPERIMENT_TAG, START_TAG

_EXPERIMENT, _SESSION_START, _SESSION_END = 2, 3, 4
_TAGS = {_EXPERIMENT: EXPERIMENT_TAG, _SESSION_START: START_TAG, _SESSION_END: END_TAG}
_STRING, _BOOL, _NUMBER = 1, 2, 3
_SUCCESS = 1


def encode(
    hparams: Mapping[str, Any], metrics: Iterable[str], domains: Mapping[str, Sequence[Any]] | None = None
) -> list[bytes]:
    """Encodes experiment, session start and session end. A hyperparameter that is None is left out."""
    domains = as_mapping(domains or {}, "hparam_domain_discrete")
    for name, domain in domains.items():
        _check_domain(name, domain, hparams)
    given = {_name(name): _plain(value) for name, value in hparams.items() if value is not None}
    infos = b"".join(bytes_field(4, _info(name, value, domains.get(name))) for name, value in given.items())
    metric_infos = b"".join(bytes_field(5, bytes_field(1, text_field(2, name))) for name in metrics)
    return [
        _value(_EXPERIMENT, infos + metric_infos),
        encode_session_start(given),
        _value(_SESSION_END, uint_field(1, _SUCCESS)),
    ]


def encode_session_start(hparams: Mapping[str, Any]) -> bytes:
    entries = (bytes_field(1, bytes_field(1, name.encode()) + bytes_field(2, _proto(v))) for name, v in hparams.items())
    return _value(_SESSION_START, b"".join(entries))


def flatten(config: Mapping[str, Any], prefix: str = "") -> dict[str, bool | str | float]:
    """Returns nested settings by dotted names. None is left out."""
    flat: dict[str, bool | str | float] = {}
    for name, value in config.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{name}."))
        elif value is not None:
            flat[f"{prefix}{name}"] = _plain(value)
    return flat


def _value(field: int, message: bytes) -> bytes:
    return encode_value(_TAGS[field], None, metadata=encode_metadata("hparams", bytes_field(field, message)))


def _info(name: str, value: Any, domain: Sequence[Any] | None) -> bytes:
    info = text_field(1, name) + uint_field(4, _kind(value))
    if domain is not None:
        like = float if _kind(value) == _NUMBER else type(value)
        info += bytes_field(5, b"".join(bytes_field(1, _proto(like(_plain(d)))) for d in domain))
    return info


def _name(name: object) -> str:
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"A hyperparameter's name must be a str, got {name!r:.60}")
    return as_tag(name)


def _check_domain(name: object, domain: object, hparams: Mapping[str, Any]) -> None:
    value = hparams.get(name)  # type: ignore[call-overload] # any key may be missing
    is_like = isinstance(domain, list) and all(isinstance(d, type(value)) or _kind(d) == _kind(value) for d in domain)
    if name not in hparams or not is_like:
        raise TypeError(f"hparam_domain_discrete[{name!r}] must be a list of values like hparam_dict[{name!r}]")


def _plain(value: Any) -> bool | str | float:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (str, bytes)):
        return value if isinstance(value, str) else str(value)
    if hasattr(value, "detach") and value.ndim == 1 and len(value) > 1:
        warn_once("A tensor with several elements as a hyperparameter is logged as its first element, as in torch")
        value = value[0].real
    try:
        return as_scalar(value)
    except (TypeError, ValueError):
        return str(getattr(value, "__name__", value)) if callable(value) else str(value)


def _kind(value: Any) -> int:
    return _BOOL if isinstance(value, (bool, np.bool_)) else _STRING if isinstance(value, str) else _NUMBER


def _proto(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"\x20\x01" if value else b"\x20\x00"  # a oneof writes the default value too
    if isinstance(value, str):
        return bytes_field(3, value.encode())
    return double_field(2, float(value))
