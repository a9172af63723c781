"""Hyperparameters: three values whose content is HParamsPluginData in the metadata, without a tensor.

The messages are those of decode.py, with protobuf.Value {number 2 | string 3 | bool 4} and ListValue {values 1}. A bool
stays a bool; torch turns it into a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lossboard.events.conversions import as_scalar
from lossboard.events.summary import encode_metadata, encode_value
from lossboard.events.wire import bytes_field, double_field, text_field, uint_field
from lossboard.kinds.hparams.decode import END_TAG, EXPERIMENT_TAG, START_TAG

_EXPERIMENT, _SESSION_START, _SESSION_END = 2, 3, 4
_TAGS = {_EXPERIMENT: EXPERIMENT_TAG, _SESSION_START: START_TAG, _SESSION_END: END_TAG}
_STRING, _BOOL, _NUMBER = 1, 2, 3
_SUCCESS = 1


def encode(
    hparams: Mapping[str, Any], metrics: Mapping[str, Any], domains: Mapping[str, Sequence[Any]] | None = None
) -> list[bytes]:
    """Encodes the experiment, the session start and the session end. Hyperparameters that are None are left out."""
    domains = domains or {}
    given = {name: _plain(name, value) for name, value in hparams.items() if value is not None}
    for name, domain in domains.items():
        if name not in given or not isinstance(domain, list) or any(_kind(d) != _kind(given[name]) for d in domain):
            raise TypeError(f"hparam_domain_discrete[{name!r}] must be a list of values like hparam_dict[{name!r}]")
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
    """Flattens nested settings to dotted names. Values of other types become strings, and None is left out."""
    flat: dict[str, bool | str | float] = {}
    for name, value in config.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{name}."))
        elif value is not None:
            try:
                flat[f"{prefix}{name}"] = _plain(str(name), value)
            except ValueError:
                flat[f"{prefix}{name}"] = str(value)
    return flat


def _value(field: int, message: bytes) -> bytes:
    return encode_value(_TAGS[field], None, metadata=encode_metadata("hparams", bytes_field(field, message)))


def _info(name: str, value: Any, domain: Sequence[Any] | None) -> bytes:
    info = text_field(1, name) + uint_field(4, _kind(value))
    if domain is not None:
        info += bytes_field(5, b"".join(bytes_field(1, _proto(d)) for d in domain))
    return info


def _plain(name: str, value: Any) -> bool | str | float:
    if not isinstance(name, str):
        raise TypeError(f"A hyperparameter's name must be a str, got {name!r}")
    if isinstance(value, (bool, str)):
        return value
    try:
        return as_scalar(value)
    except (TypeError, ValueError):
        given = f"{type(value).__name__}: {value!r:.60}"
        raise ValueError(f"Hyperparameter {name!r} must be a number, str, bool or None, got {given}") from None


def _kind(value: Any) -> int:
    return _BOOL if isinstance(value, bool) else _STRING if isinstance(value, str) else _NUMBER


def _proto(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"\x20\x01" if value else b"\x20\x00"  # a oneof writes the default value too
    if isinstance(value, str):
        return bytes_field(3, value.encode())
    return double_field(2, float(value))
