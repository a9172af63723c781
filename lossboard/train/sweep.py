"""Sweeps: one run for each combination of settings. An interrupted sweep continues when it is started again.

The state of a sweep is one JSON file in the runs directory, named by a hash of its settings.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lossboard.errors import LossboardError, UsageError
from lossboard.train.config import Config
from lossboard.train.distributed.world import is_under_torchrun
from lossboard.train.runner import Result, create_run, resume, train_run
from lossboard.train.tasks.metrics import format_value, score

Grid = dict[str, list[str]]


def parse_grid(words: Sequence[str]) -> Grid:
    """Parses `learning-rate=1e-5,3e-5 seed=0,1` into settings and their values."""
    grid: Grid = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or not all(values.split(",")):
            raise UsageError(f"--sweep: {word!r} is not SETTING=A,B. Example: learning-rate=1e-5,3e-5")
        grid[name] = values.split(",")
    return grid


def combinations(base: Config, grid: Grid) -> dict[str, Config]:
    """Returns the config of each combination under its label. All are checked before the first one runs."""
    configs = {}
    for values in itertools.product(*grid.values()):
        settings = dict(zip(grid, values, strict=True))
        label = "_".join(f"{name}={value}" for name, value in settings.items())
        configs[label] = base.replace(**settings, run_tag="_".join(filter(None, [base.run_tag, label])))
    return configs


class SweepState:
    """State of a sweep: the run of each combination, and its result."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.entries: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.exists() else {}

    @classmethod
    def of(cls, base: Config, grid: Grid) -> SweepState:
        settings = json.dumps([base.as_dict(), grid], sort_keys=True)
        return cls(base.runs_dir / f"sweep-{hashlib.sha256(settings.encode()).hexdigest()[:10]}.json")

    def record(self, label: str, **facts: Any) -> None:
        self.entries[label] = self.entries.get(label, {}) | facts
        self.file.parent.mkdir(parents=True, exist_ok=True)
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(self.entries, indent=2) + "\n")
        part.replace(self.file)


def sweep(base: Config, grid: Grid, *, say: Callable[[str], None] = print) -> dict[str, dict[str, Any]]:
    """Trains the unfinished combinations one after the other. A failed combination does not stop the others."""
    if is_under_torchrun():
        raise UsageError(
            "--sweep does not work under torchrun, where each worker would create its own runs. "
            "Start it without torchrun, with --workers."
        )
    state = SweepState.of(base, grid)
    configs = combinations(base, grid)
    for number, (label, config) in enumerate(configs.items(), start=1):
        if "metrics" in state.entries.get(label, {}):
            say(f"[{number}/{len(configs)}] {label}: already finished")
            continue
        say(f"[{number}/{len(configs)}] {label}")
        try:
            result = _start_or_resume(config, state, label)
            state.record(label, metrics=result.metrics, failed=None)
        except LossboardError as error:
            say(f"{label} failed: {error}")
            state.record(label, failed=str(error))
    return state.entries


def _start_or_resume(config: Config, state: SweepState, label: str) -> Result:
    if known := state.entries.get(label, {}).get("run"):
        return resume(known, config.runs_dir)
    run = create_run(config)
    state.record(label, run=run.id)
    return train_run(run, resume=False)


def table(entries: dict[str, dict[str, Any]]) -> str:
    """Returns a table of the finished runs with the metrics of their best checkpoint, then the failed ones.

    The best run comes first, by the metric that selected the checkpoints.
    """
    done = {label: entry for label, entry in entries.items() if "metrics" in entry}
    names = _metric_names(done)
    lines = ["  ".join([*(f"{name:>8}" for name in names), "combination"])]
    for label, entry in sorted(done.items(), key=lambda item: _rank(item[1]["metrics"])):
        values = (f"{format_value(name, entry['metrics'][name]):>{max(8, len(name))}}" for name in names)
        lines.append("  ".join([*values, f"{label}  ({entry['run']})"]))
    lines += [f"{'failed':>8}  {label}: {entry['failed']}" for label, entry in entries.items() if entry.get("failed")]
    return "\n".join(lines)


def _metric_names(done: dict[str, dict[str, Any]]) -> list[str]:
    """Returns the names of the metrics that the last step of every finished run has."""
    known = [entry["metrics"].get("last", entry["metrics"]) for entry in done.values()]
    return [name for name in known[0] if all(name in each for each in known)] if known else []


def _rank(metrics: dict[str, Any]) -> float:
    return -score(metrics, metrics.get("metric", "accuracy"))
