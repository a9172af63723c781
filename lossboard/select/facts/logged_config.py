"""Configs logged as text: JSON as Hugging Face and `add_config` log it, a Markdown table, or a table of strings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lossboard.errors import DecodeError, LogdirError
from lossboard.kinds.text.decode import text as read_text
from lossboard.select.facts.config_files import MAX_BYTES, parse_config
from lossboard.select.facts.values import MAX_VALUES, FactValue, parse_value

if TYPE_CHECKING:
    from collections.abc import Container

    from lossboard.kinds.text.decode import TextStep
    from lossboard.store.run import Key, Run

_TAGS = {
    "args": "",
    "cfg": "",
    "config": "",
    "hparams": "",
    "hyperparameters": "",
    "hyperparams": "",
    "parameters": "",
    "params": "",
    "model_config": "model_config.",
}
"""Tags of configs, with what their names start with: Hugging Face logs the model's config beside the arguments."""
_SUFFIX = "/text_summary"  # torch and tensorboardX add it to every tag
_PREFIXES = {tag + suffix: prefix for tag, prefix in _TAGS.items() for suffix in ("", _SUFFIX)}
TEXT_KEYS: tuple[Key, ...] = tuple(("text", tag) for tag in _PREFIXES)
_FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")


def read_logged_config(run: Run, series: Container[Key]) -> dict[str, FactValue]:
    """Returns the settings that a run logged as text. `series` are the series that the run has."""
    settings: dict[str, FactValue] = {}
    for key in TEXT_KEYS:
        if key in series and (step := _last_text(run, key[1])) is not None:
            prefix = _PREFIXES[key[1]]
            settings |= {f"{prefix}{name}": value for name, value in parse_text(step.texts, step.shape).items()}
    return settings


def _last_text(run: Run, tag: str) -> TextStep | None:
    try:
        points = read_text(run, tag, max_bytes=MAX_BYTES)
        return points[-1] if len(points) else None
    except (DecodeError, LogdirError, LookupError):  # corrupt, too large, or its file is gone
        return None


def parse_text(texts: tuple[str, ...], shape: tuple[int, ...]) -> dict[str, FactValue]:
    """Returns the settings in a text; none if it is prose."""
    if len(shape) == 2 and shape[1] == 2:
        return _from_rows(list(zip(texts[::2], texts[1::2], strict=True)))
    text = texts[0].strip() if len(texts) == 1 else ""
    suffix = ".json"
    if fenced := _FENCE.search(text):
        suffix, text = f".{fenced[1].lower() or 'json'}", fenced[2].strip()
    elif "|" in text and not text.startswith("{"):
        return _from_rows(_table_rows(text))
    if suffix not in (".json", ".yaml", ".yml", ".toml") or (suffix == ".json" and not text.startswith("{")):
        return {}
    try:
        return parse_config(text, suffix=suffix)
    except DecodeError:
        return {}


def _table_rows(text: str) -> list[tuple[str, str]]:
    """Returns the rows of a Markdown table with two columns, below its rule."""
    lines = [line.strip() for line in text.splitlines()]
    rule = next((i for i, line in enumerate(lines) if "|" in line and _RULE.fullmatch(line)), None)
    if rule is None:
        return []
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[rule + 1 :]]
    return [(row[0], row[1]) for row in cells if len(row) == 2]


def _from_rows(rows: list[tuple[str, str]]) -> dict[str, FactValue]:
    named = {name.strip("*`"): parse_value(text.strip("`")) for name, text in rows[:MAX_VALUES]}
    return {name: value for name, value in named.items() if name and value is not None}
