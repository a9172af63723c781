"""Settings of the doctor in `lossboard.toml` in the logdir: roles, thresholds, and codes to leave out.

[doctor]
silence = ["spike"]

[doctor.roles]
train_loss = "my/objective"

[doctor.thresholds.overfitting]
rise = 0.3
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lossboard.doctor.roles import ROLES
from lossboard.doctor.rules import RULES
from lossboard.errors import UsageError, did_you_mean
from lossboard.safe_files import SafeFolder
from lossboard.safe_toml import parse_toml

FILE_NAME = "lossboard.toml"
_MAX_BYTES = 64 << 10
_MAX_SHOWN_CHARS = 60
_MAX_THRESHOLD = 1e15
"""Rules count points up to a threshold, and multiply values by it."""


@dataclass(frozen=True)
class Settings:
    silenced: frozenset[str] = frozenset()
    roles: Mapping[str, str] = field(default_factory=dict)
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def read_settings(folder: Path) -> Settings:
    """Returns the settings of a logdir. Raises UsageError if the file has an error."""
    path = folder / FILE_NAME
    if not folder.is_dir():  # the board reports why it cannot read the logdir
        return Settings()
    try:
        with SafeFolder.open(folder) as opened:
            text = opened.read(FILE_NAME, max_bytes=_MAX_BYTES).decode("utf-8")
        return _parse(parse_toml(text))
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8.") from error
    except (ValueError, _Invalid) as error:
        raise UsageError(f"{path}: {error}") from error


class _Invalid(Exception):
    pass


def _parse(document: Mapping[str, Any]) -> Settings:
    doctor = _table(document, "doctor", {"silence", "roles", "thresholds"})
    silenced = doctor.get("silence", [])
    if not isinstance(silenced, list):
        raise _Invalid('silence must be a list of codes, such as ["spike"].')
    for code in silenced:
        if not isinstance(code, str):
            raise _Invalid('silence must be a list of codes, such as ["spike"].')
        _check_name("code", code, RULES)
    roles = _table(doctor, "roles", ROLES)
    for role, tag in roles.items():
        if not isinstance(tag, str):
            raise _Invalid(f"The role {role} must be a tag in quotes.")
    thresholds = _table(doctor, "thresholds", RULES)
    return Settings(frozenset(silenced), roles, {code: _numbers(thresholds, code) for code in thresholds})


def _numbers(thresholds: Mapping[str, Any], code: str) -> Mapping[str, float]:
    numbers = _table(thresholds, code, RULES[code].thresholds)
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _Invalid(f"The threshold {name} of {code} must be a number.")
        if not 0 <= value <= _MAX_THRESHOLD:
            raise _Invalid(f"The threshold {name} of {code} must be from 0 to {_MAX_THRESHOLD:g}.")
    return numbers


def _table(document: Mapping[str, Any], name: str, known: Any) -> Mapping[str, Any]:
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise _Invalid(f"{name} must be a table, [{name}].")
    for key in table:
        _check_name(f"name in {name}", key, known)
    return table


def _check_name(what: str, name: str, known: Any) -> None:
    if name not in known:
        shown = name if len(name) <= _MAX_SHOWN_CHARS else f"{name[:_MAX_SHOWN_CHARS]}…"
        raise _Invalid(f"Unknown {what}: {shown}.{did_you_mean(shown, known)}")
