"""A run's folder: `runs/2026-02-10_012/` with its logs, checkpoints, config, origin and console output.

runs/2026-02-10_012_baseline/
  config.json          every setting, as the run used it
  environment.json     command, git commit, versions, machine
  console.log          what the terminal showed
  findings.jsonl       what went wrong, if anything did
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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any, TextIO, cast

from lossboard.errors import LossboardError, UsageError
from lossboard.findings import Finding, append_finding, read_findings
from lossboard.train.config import Config, read_config_file

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
        """Where a worker logs: a folder each, so that no worker's points hide another's."""
        base = self.path / "logs" / "tensorboard"
        return base if rank == 0 else base / "ranks" / str(rank)

    @property
    def finished(self) -> bool:
        return (self.path / "result.json").exists()

    def config(self) -> Config:
        return Config.from_mapping(read_config_file(self.path / "config.json"))

    def write_json(self, name: str, value: Any) -> None:
        """Whole or not at all: a reader never sees half a file."""
        part = self.path / f".{name}.part"
        part.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
        part.replace(self.path / name)

    def append_finding(self, finding: Finding) -> None:
        append_finding(self.path / "findings.jsonl", finding)

    def last_finding_code(self) -> str:
        """Returns the code of the latest finding, or an empty string."""
        findings = read_findings(self.path / "findings.jsonl")
        return findings[-1].code if findings else ""


def new_run(config: Config, *, today: date | None = None) -> RunDir:
    """The next free id of the day. The folder is made in the same breath, so that two runs never get one id."""
    if re.search(r"[^\w.=+-]", config.run_tag):
        raise UsageError(f"--run-tag is {config.run_tag!r}; use letters, digits and . _ - + = only: it names a folder.")
    day = (today or date.today()).isoformat()
    suffix = f"_{config.run_tag}" if config.run_tag else ""
    try:
        config.runs_dir.mkdir(parents=True, exist_ok=True)
        path = _claim(config.runs_dir, day, suffix)
    except OSError as error:
        raise UsageError(
            f"Cannot make a run in {config.runs_dir}: {error.strerror}. Choose another --runs-dir."
        ) from error
    run = RunDir(path)
    run.logs().mkdir(parents=True)
    run.write_json("config.json", config.as_dict())
    run.write_json("environment.json", environment())
    return run


def _claim(runs_dir: Path, day: str, suffix: str) -> Path:
    """Makes the folder of the next number. Numbers differ whatever the tags are, so a bare number is claimed first."""
    while True:
        number = max(_numbers(runs_dir, day), default=0) + 1
        claim = runs_dir / f".{day}_{number:03d}"
        try:
            claim.mkdir()
        except FileExistsError:
            continue
        # Another run may have claimed the number and moved on since we counted.
        if list(_numbers(runs_dir, day)).count(number) == 1:
            return claim.rename(runs_dir / f"{day}_{number:03d}{suffix}")
        claim.rmdir()


def _numbers(runs_dir: Path, day: str) -> Iterator[int]:
    for entry in runs_dir.iterdir():
        if (found := _ID.fullmatch(entry.name.removeprefix("."))) and found[1] == day:
            yield int(found[2])


def find_run(name: str, runs_dir: Path) -> RunDir:
    """A run by its folder or by its id; `last` is the newest one that is not finished."""
    if name == "last":
        return _newest_unfinished(runs_dir)
    for path in (Path(name), runs_dir / name):
        if (path / "config.json").is_file():
            return RunDir(path)
    raise UsageError(
        f"There is no run {name!r}: neither a folder of that name nor one in {runs_dir} has a config.json."
    )


def _newest_unfinished(runs_dir: Path) -> RunDir:
    waiting = [run for file in runs_dir.glob("*/config.json") if not (run := RunDir(file.parent)).finished]
    if not waiting:
        raise UsageError(f"No run in {runs_dir} waits to go on: there is none, or all are finished.")
    return max(waiting, key=lambda run: (run.path / "config.json").stat().st_mtime_ns)


def environment() -> dict[str, Any]:
    """What one needs to know to do it again."""
    return {
        "command": sys.argv,
        "git": git_state(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
    }


def git_state() -> dict[str, Any] | None:
    """The commit of the working folder and whether files differ from it; None outside a repository."""

    def ask(*words: str) -> str | None:
        try:
            done = subprocess.run(["git", *words], capture_output=True, text=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = ask("rev-parse", "HEAD")
    if commit is None:
        return None
    return {
        "commit": commit,
        "branch": ask("rev-parse", "--abbrev-ref", "HEAD"),
        "changed": bool(ask("status", "-s", "-uno")),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


class _Tee:
    """A stream that also writes to the console log; everything else is the stream's own."""

    def __init__(self, stream: TextIO, log: TextIO) -> None:
        self._stream, self._log, self._lock = stream, log, threading.Lock()

    def write(self, text: str) -> int:
        with self._lock:
            self._log.write(text)
        return self._stream.write(text)

    def log_line(self, line: str) -> None:
        """A line for the log alone."""
        with self._lock:
            self._log.write(line + "\n")

    def flush(self) -> None:
        self._log.flush()
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def console_log(run: RunDir) -> Iterator[None]:
    """Keeps a copy of what is printed, also when training ends in an error."""
    out, err = sys.stdout, sys.stderr
    with (run.path / "console.log").open("a", encoding="utf-8", buffering=1) as log:
        sys.stdout, sys.stderr = cast(TextIO, _Tee(out, log)), cast(TextIO, _Tee(err, log))
        try:
            yield
        except LossboardError as error:
            log.write(f"lossboard: {error}\n")
            raise
        finally:
            sys.stdout, sys.stderr = out, err
