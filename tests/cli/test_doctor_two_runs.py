"""`lossboard doctor A B`: what differs between two runs, and from which step on."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lossboard import SummaryWriter
from lossboard.cli.main import main

STEPS = 400


def train(folder: Path, *, seed: int, lr: float = 0.1, split_at: int | None = None, commit: str = "1f3a") -> None:
    """A loss with noise. From `split_at` on, it falls more slowly."""
    rng = np.random.default_rng(seed)
    loss = 2 * np.exp(-np.arange(STEPS) / 100) + rng.normal(0, 0.02, STEPS)
    if split_at is not None:
        loss[split_at:] += np.linspace(0, 0.6, STEPS - split_at)
    with SummaryWriter(folder) as log:
        for step, value in enumerate(loss.tolist()):
            log.add_scalar("train/loss", value, step)
            log.add_scalar("lr", lr, step)
    (folder / "config.json").write_text(json.dumps({"lr": lr, "model": "bert", "seed": seed}))
    (folder / "environment.json").write_text(json.dumps({"git": {"commit": commit}, "packages": {"torch": "2.13.0"}}))


def compared(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    assert main(["doctor", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def curve(found: dict[str, Any], tag: str) -> dict[str, Any]:
    (one,) = [one for one in found["curves"] if one["tag"] == tag]
    return one


def test_settings_and_environment_that_differ_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(tmp_path / "a", seed=1)
    train(tmp_path / "b", seed=1, lr=0.2, commit="9c0d")
    found = compared(capsys, tmp_path / "a", tmp_path / "b")
    assert found["settings"] == [{"name": "lr", "a": 0.1, "b": 0.2}]
    assert found["environment"] == [{"name": "git commit", "a": "1f3a", "b": "9c0d"}]
    assert curve(found, "train/loss")["equal_until"] == STEPS - 1
    assert (curve(found, "lr")["equal_until"], curve(found, "lr")["parts_at"]) == (None, 0)


@pytest.mark.parametrize("seed", range(6))
def test_step_at_which_curves_part_is_found_despite_noise(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(tmp_path / "a", seed=seed)
    train(tmp_path / "b", seed=seed + 100, split_at=200)
    found = curve(compared(capsys, tmp_path / "a", tmp_path / "b"), "train/loss")
    assert found["equal_until"] is None and 200 <= found["parts_at"] <= 200 + STEPS // 8
    assert found["b"] > found["a"]


@pytest.mark.parametrize("seed", range(6))
def test_runs_that_differ_only_by_noise_do_not_part(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(tmp_path / "a", seed=seed)
    train(tmp_path / "b", seed=seed + 100)
    found = curve(compared(capsys, tmp_path / "a", tmp_path / "b"), "train/loss")
    assert found["parts_at"] is None


def test_report_says_where_equal_runs_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(tmp_path / "a", seed=1)
    train(tmp_path / "b", seed=1, lr=0.2, split_at=200)
    with SummaryWriter(tmp_path / "b" / "validation") as log:
        log.add_scalar("train/loss", math.nan, 0)
    assert main(["doctor", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    report = capsys.readouterr().out
    assert "lr       0.1  0.2" in report
    assert "equal until step 200, apart from step " in report
    assert "Environment" not in report.split("curve")[1]


def test_runs_without_shared_steps_or_tags_are_compared_by_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, tag, first in (("a", "loss", 0), ("b", "loss", 1000), ("c", "other", 0)):
        with SummaryWriter(tmp_path / name) as log:
            for step in range(first, first + 20):
                log.add_scalar(tag, 1.0, step)
    assert compared(capsys, tmp_path / "a", tmp_path / "b")["curves"] == []
    found = compared(capsys, tmp_path / "a", tmp_path / "c")
    assert (found["only_a"], found["only_b"]) == (["loss"], ["other"])


def test_several_trainings_are_refused_with_their_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(tmp_path / "a", seed=1)
    train(tmp_path / "b", seed=2)
    assert main(["doctor", str(tmp_path), str(tmp_path / "a")]) != 0
    assert "has 2 trainings: a, b. To compare two runs, give the directory of each." in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--watch"], ["--fail-on", "error"], ["--run", "x"], ["--on-finding", "true"]])
def test_options_for_a_logdir_are_refused(
    option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(tmp_path / "a", seed=1)
    assert main(["doctor", str(tmp_path / "a"), str(tmp_path / "a"), *option]) != 0
    assert option[0] in capsys.readouterr().err
