"""Run directory: `runs/2026-02-10_012/` with logs, checkpoints, config, environment and console output.

runs/2026-02-10_012_baseline/
  config.json          every setting of the run
  environment.json     command, git commit, versions, host
  console.log          console output
  findings.jsonl       findings, if there are any
  workers/             console output of the other workers, if there are several
  checkpoints/         best, last
  logs/tensorboard/    event files; those of worker k in logs/tensorboard/ranks/k
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any, TextIO, cast

from lossboard.errors import LossboardError, UsageError
from lossboard.findings import Finding, append_finding, read_findings
from lossboard.train.config import Config, flag, read_config_file

_ID = re.compile(r"(\d{4}-\d\d-\d\d)_(\d{3,})(_.+)?")
_PACKAGES = (
    "lossboard",
    "torch",
    "transformers",
    "tokenizers",
    "tensorflow-cpu",
    "tensorflow",
    "keras",
    "keras-hub",
    "numpy",
)


@dataclass(frozen=True)
class RunDir:
    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    def logs(self, rank: int = 0) -> Path:
        """Returns the log directory of a worker. Each has its own, so their points do not supersede each other."""
        base = self.path / "logs" / "tensorboard"
        return base if rank == 0 else base / "ranks" / str(rank)

    @property
    def finished(self) -> bool:
        return (self.path / "result.json").exists()

    def config(self) -> Config:
        values = read_config_file(self.path / "config.json")
        # Runs of before this setting existed used --seed for the split too.
        return Config.from_mapping({"split_seed": values.get("seed", 0)} | values)

    def own_part(self) -> str:
        """Returns the part of the model that is the user's own: `head`, `model` or nothing."""
        file = self.path / "environment.json"
        return str(json.loads(file.read_text(encoding="utf-8")).get("own_part", "")) if file.exists() else ""

    def write_json(self, name: str, value: Any) -> None:
        """Writes a JSON file atomically."""
        part = self.path / f".{name}.part"
        part.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
        part.replace(self.path / name)

    def append_finding(self, finding: Finding) -> None:
        append_finding(self.path / "findings.jsonl", finding)

    def last_finding_code(self) -> str:
        """Returns the code of the latest finding, or an empty string."""
        findings = read_findings(self.path / "findings.jsonl")
        return findings[-1].code if findings else ""

    def last_saved_step(self) -> int:
        """Returns the step of the last checkpoint; 0 without one."""
        file = self.checkpoints / "last" / "state.json"
        return int(json.loads(file.read_text(encoding="utf-8"))["step"]) if file.exists() else 0


def new_run(config: Config, *, own_part: str = "", today: date | None = None) -> RunDir:
    """Creates the directory of a new run with the next free id of the day.

    The directory is created atomically, so two runs never get the same id.
    """
    if re.search(r"[^\w.=+-]", config.run_tag):
        raise UsageError(
            f"--run-tag is {config.run_tag!r}. It names a directory: use only letters, digits and . _ - + ="
        )
    day = (today or date.today()).isoformat()
    suffix = f"_{config.run_tag}" if config.run_tag else ""
    try:
        config.runs_dir.mkdir(parents=True, exist_ok=True)
        path = _claim(config.runs_dir, day, suffix)
    except OSError as error:
        raise UsageError(
            f"Cannot create a run in {config.runs_dir}: {error.strerror}. Choose another --runs-dir."
        ) from error
    run = RunDir(path)
    run.logs().mkdir(parents=True)
    run.write_json("config.json", config.as_dict())
    run.write_json("environment.json", environment() | ({"own_part": own_part} if own_part else {}))
    return run


def _claim(runs_dir: Path, day: str, suffix: str) -> Path:
    """Creates the directory with the next number. Claims the number without its tag first, so numbers are unique."""
    while True:
        number = max(_numbers(runs_dir, day), default=0) + 1
        claim = runs_dir / f".{day}_{number:03d}"
        try:
            claim.mkdir()
        except FileExistsError:
            continue
        # Another process may have claimed and renamed this number since we counted.
        if list(_numbers(runs_dir, day)).count(number) == 1:
            return claim.rename(runs_dir / f"{day}_{number:03d}{suffix}")
        claim.rmdir()


def _numbers(runs_dir: Path, day: str) -> Iterator[int]:
    for entry in runs_dir.iterdir():
        if (found := _ID.fullmatch(entry.name.removeprefix("."))) and found[1] == day:
            yield int(found[2])


def find_run(name: str, runs_dir: Path) -> RunDir:
    """Returns a run by its directory or id; `last` is the newest unfinished run."""
    if name == "last":
        return _newest_unfinished(runs_dir)
    for path in (Path(name), runs_dir / name):
        if (path / "config.json").is_file():
            return RunDir(path)
    raise UsageError(f"Run {name!r} not found: no config.json in {name} or in {runs_dir / name}.")


def extend_run(run: RunDir, longer: Mapping[str, int]) -> None:
    """Gives a run more epochs or steps, also if it is finished. Its checkpoints and logs stay."""
    config = run.config()
    for name, value in longer.items():
        before = getattr(config, name)
        if before is None or value <= before:
            has = "has no such limit" if before is None else f"has {before}"
            raise UsageError(f"{flag(name)} {value} does not extend {run.id}, which {has}. Use a larger number.")
    if config.max_steps and "max_steps" not in longer:
        raise UsageError(f"{run.id} stops after {config.max_steps} steps. Set --max-steps to a larger number.")
    # In this order, a process that is killed in between leaves an unfinished run.
    (run.path / "result.json").unlink(missing_ok=True)
    run.write_json("config.json", config.replace(**longer).as_dict())


def _newest_unfinished(runs_dir: Path) -> RunDir:
    runs = [RunDir(file.parent) for file in runs_dir.glob("*/config.json")]
    # A refused run never started. Its data has errors, so it would be refused again.
    unfinished = [run for run in runs if not run.finished and run.last_finding_code() != "refused"]
    if not unfinished:
        raise UsageError(f"Nothing to resume in {runs_dir}: no unfinished runs.")
    return max(unfinished, key=lambda run: (run.path / "config.json").stat().st_mtime_ns)


def environment() -> dict[str, Any]:
    """Returns what is needed to reproduce a run: command, commit, versions, machine."""
    return {
        "command": sys.argv,
        "git": git_state(),
        "host": platform.node(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
    }


def git_state() -> dict[str, Any] | None:
    """Returns the commit of the working directory and whether files differ from it; None outside a repository."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(["git", *words], capture_output=True, text=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "HEAD")
    if commit is None:
        return None
    return {
        "commit": commit,
        "branch": git("rev-parse", "--abbrev-ref", "HEAD"),
        "changed": bool(git("status", "-s", "-uno")),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


class _Tee:
    """A stream that also writes to the console log."""

    def __init__(self, stream: TextIO, log: TextIO) -> None:
        self._stream, self._log, self._lock = stream, log, threading.Lock()

    def write(self, text: str) -> int:
        with self._lock:
            self._log.write(text)
        return self._stream.write(text)

    def log_line(self, line: str) -> None:
        """Writes a line to the log only."""
        with self._lock:
            self._log.write(line + "\n")

    def flush(self) -> None:
        self._log.flush()
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def console_log(run: RunDir) -> Iterator[None]:
    """Copies console output to `console.log`, including the error that ends training."""
    out, err = sys.stdout, sys.stderr
    with (run.path / "console.log").open("a", encoding="utf-8", buffering=1) as log:
        sys.stdout, sys.stderr = cast(TextIO, _Tee(out, log)), cast(TextIO, _Tee(err, log))
        try:
            yield
        except LossboardError as error:
            log.write(f"lossboard: {error}\n")
            raise
        except Exception:
            log.write(traceback.format_exc())
            raise
        finally:
            sys.stdout, sys.stderr = out, err
