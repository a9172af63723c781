"""The engine: the same answer however a run is read, sub-runs of one training, roles, settings, several sources."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import lossboard
from doctor.recorded import load
from lossboard import SummaryWriter
from lossboard.board import open_logdir
from lossboard.doctor.curve import judged_length
from lossboard.doctor.diagnose import create_doctor
from lossboard.doctor.roles import ROLES, Candidate, Ref, infer_roles
from lossboard.doctor.subjects import find_subjects
from lossboard.doctor.words import words_of
from lossboard.errors import UsageError


def falling(steps: int, *, noise: float = 0.02, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 2 * np.exp(-np.arange(steps) / steps * 4) + 0.3 + rng.normal(0, noise, steps)


def codes(folder: Path) -> list[str]:
    return [one.code for one in lossboard.diagnose(folder)]


def roles_of(*tags: str) -> dict[str, str]:
    found = infer_roles([Candidate(Ref("run", tag), words_of(tag), 100) for tag in tags], {})
    return {role: refs[0].tag for role, refs in found.items()}


@pytest.mark.parametrize(
    "name", ["divergence-3", "spike-3", "restart-jump-6", "no-learning-1", "gan-3", "dead-layer-0"]
)
def test_followed_run_has_the_findings_of_one_that_is_read_at_once(name: str, tmp_path: Path) -> None:
    recorded = next(run for part in ("faults", "healthy") for run in load(part) if run.name == name)
    recorded.write(tmp_path / "source")
    logdir, grown = open_logdir(tmp_path / "source"), tmp_path / "grown" / name
    column = {tag: logdir.runs[name].column(tag) for plugin, tag in logdir.runs[name].series() if plugin == "scalars"}
    grown.mkdir(parents=True)
    followed = open_logdir(tmp_path / "grown")
    doctor = create_doctor(followed)
    with SummaryWriter(grown) as log:
        points = sorted((step, tag, value) for tag, one in column.items() for step, _, value in one)
        for number, (step, tag, value) in enumerate(points):
            log.add_scalar(tag, value, step)
            if number % 37 == 0 or number == len(points) - 1:
                log.flush()
                followed.poll()
                live = doctor.check()
                if number % 370 == 0 or number == len(points) - 1:
                    assert live == create_doctor(open_logdir(tmp_path / "grown")).check()


def test_long_series_is_judged_again_after_each_percent() -> None:
    lengths = [judged_length(points, "run") for points in range(1, 20_000)]
    assert lengths[:127] == list(range(1, 128))
    assert all(points - judged < points / 60 for points, judged in enumerate(lengths, 1))
    assert len(set(lengths[10_000:])) < 160
    assert len({judged_length(10_000, name) for name in map(str, range(50))}) > 30


@pytest.mark.parametrize(
    ("names", "training", "validation"),
    [
        (["train/loss", "eval/loss", "train/train_loss"], "train/loss", "eval/loss"),
        (["Loss/train", "Loss/test", "Accuracy/train"], "Loss/train", "Loss/test"),
        (["train_loss_step", "train_loss_epoch", "val_loss"], "train_loss_epoch", "val_loss"),
        (["train/box_loss", "train/cls_loss", "val/box_loss"], "train/box_loss", "val/box_loss"),
        (["loss", "val_loss"], "loss", "val_loss"),
        (["trainLoss", "validLoss"], "trainLoss", "validLoss"),
        (["loss", "hparam/loss"], "loss", None),
    ],
)
def test_losses_are_told_by_their_names(names: list[str], training: str, validation: str | None) -> None:
    found = roles_of(*names)
    assert (found["train_loss"], found.get("val_loss")) == (training, validation)


@pytest.mark.parametrize(
    ("tag", "role"),
    [
        ("lr-AdamW/pg1", "learning_rate"),
        ("train/learning_rate", "learning_rate"),
        ("grad_2.0_norm_total", "gradient_norm"),
        ("train/grad_norm", "gradient_norm"),
        ("grad_norm/encoder.0.weight", "layer_gradients"),
        ("weight_norm/fc1", "layer_weights"),
        ("train/samples_per_second", "throughput"),
        ("time/data", "data_time"),
        ("batch_time", "step_time"),
        ("system/gpu0/memory_percent", "memory"),
        ("eval/f1", "class_score"),
        ("epoch_accuracy", "train_accuracy"),
        ("train/gradient_accumulation_steps", None),
        ("memory/free_mb", None),
        ("epoch", None),
    ],
)
def test_roles_are_told_by_their_names(tag: str, role: str | None) -> None:
    assert list(roles_of(tag)) == ([role] if role else [])
    assert role is None or role in ROLES


@pytest.mark.parametrize("tags", [["Loss_G", "Loss_D"], ["train/loss", "rollout/ep_rew_mean"], ["errD", "errG"]])
def test_losses_of_games_are_not_expected_to_fall(tags: list[str]) -> None:
    assert "train_loss" not in roles_of(*tags)


def test_parts_of_one_training_belong_together() -> None:
    names = ["a/train", "a/validation", "b", "b/Loss_train", "b/Loss_val", "c", "train-bert", "d_train", "d_val"]
    subjects = {one.name: [name for name, _ in one.runs] for one in find_subjects(names)}
    assert subjects == {
        "a": ["a/train", "a/validation"],
        "b": ["b", "b/Loss_train", "b/Loss_val"],
        "c": ["c"],
        "train-bert": ["train-bert"],
        "d": ["d_train", "d_val"],
    }


def test_nan_is_found_at_the_last_point_of_a_long_run(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as log:
        for step, value in enumerate([*falling(500), math.nan]):
            log.add_scalar("loss", value, step)
    (finding,) = lossboard.diagnose(tmp_path)
    assert (finding.code, finding.severity, finding.location.first_step) == ("non-finite", "error", 500)
    assert finding.location.runs == ("run",)


def test_findings_of_training_are_listed_with_those_of_the_rules(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as log:
        log.add_scalar("loss", math.inf, 0)
    report = {"code": "oom", "severity": "warning", "what": "Memory ran out."}
    (tmp_path / "run" / "findings.jsonl").write_text(json.dumps(report))
    found = lossboard.diagnose(tmp_path)
    assert [(one.code, one.location.runs) for one in found] == [("non-finite", ("run",)), ("oom", ("run",))]


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ([0] * 50, "All 50 points of loss are at step 0"),
        ([*range(20)] * 5, "go back 4 times"),
        ([*range(20), *range(100_000, 100_020)], "jump from 19 to 100,000"),
    ],
)
def test_misuse_of_steps_is_found(steps: list[int], says: str, tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as log:
        for step, value in zip(steps, falling(len(steps)), strict=True):
            log.add_scalar("loss", value, step)
    (finding,) = [one for one in lossboard.diagnose(tmp_path) if one.code == "step-misuse"]
    assert says in finding.message


def test_damaged_record_and_stall_are_found(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as log:
        for step, value in enumerate(falling(100)):
            log.add_scalar("loss", value, step, walltime=1e9 + step + (3600 if step > 60 else 0))
    (file,) = (tmp_path / "run").glob("events*")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)
    found = {one.code: one for one in lossboard.diagnose(tmp_path)}
    assert sorted(found) == ["damaged-file", "stalled"]
    assert found["damaged-file"].evidence["records"] == 1
    assert found["stalled"].location.first_step == 60


SPIKED = [*falling(150), 30.0, *falling(150)[-100:]]


def write_spike(folder: Path, tag: str = "loss") -> None:
    with SummaryWriter(folder / "run") as log:
        for step, value in enumerate(SPIKED):
            log.add_scalar(tag, value, step)


def test_settings_silence_codes_and_change_roles_and_thresholds(tmp_path: Path) -> None:
    write_spike(tmp_path)
    assert codes(tmp_path) == ["spike"]
    settings = tmp_path / "lossboard.toml"
    settings.write_text('[doctor]\nsilence = ["spike"]\n')
    assert codes(tmp_path) == []
    settings.write_text("[doctor.thresholds.spike]\nheight = 1000\n")
    assert codes(tmp_path) == []
    write_spike(tmp_path / "other", tag="my/objective")
    (tmp_path / "other" / "lossboard.toml").write_text('[doctor.roles]\ntrain_loss = "my/objective"\n')
    assert codes(tmp_path / "other") == ["spike"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[doctor]\nsilence = ["spikes"]', "Unknown code: spikes. Did you mean 'spike'?"),
        ('[doctor.roles]\nloss = "x"', "Unknown name in roles: loss."),
        ("[doctor.thresholds.spike]\nhigh = 1", "Unknown name in spike: high."),
        ('[doctor.thresholds.spike]\nheight = "1"', "The threshold height of spike must be a number."),
        ("[doctor", "lossboard.toml: "),
        ("doctor = 1", "doctor must be a table"),
    ],
)
def test_errors_in_the_settings_name_file_and_field(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "lossboard.toml").write_text(text)
    with pytest.raises(UsageError, match=r"lossboard\.toml") as caught:
        lossboard.diagnose(tmp_path)
    assert message in str(caught.value)


TAGS = [
    "loss",
    "val/loss",
    "lr",
    "grad_norm",
    "val/accuracy",
    "val/f1",
    "memory",
    "samples_per_second",
    "time/data",
    "time/step",
    "grad_norm/a",
    "grad_norm/b",
    "grad_norm/c",
    "weight_norm/a",
]


@pytest.mark.parametrize("seed", range(20))
def test_no_values_make_a_rule_fail(seed: int, tmp_path: Path) -> None:
    """Random lengths and values, with all that a double can be."""
    rng = np.random.default_rng(seed)
    odd = [0.0, -0.0, 1e308, -1e308, 1e-308, math.inf, -math.inf, math.nan, 1.0, -1.0]
    with SummaryWriter(tmp_path / "run") as log:
        for role in TAGS:
            count = int(rng.choice([0, 1, 2, 3, 5, 20, 60, 200]))
            kind = rng.integers(4)
            values = rng.choice(odd, count) if kind == 0 else rng.normal(size=count) * 10.0 ** rng.integers(-300, 300)
            values = np.zeros(count) if kind == 1 else np.sort(values) if kind == 2 else values
            for step, value in enumerate(values.tolist()):
                log.add_scalar(role, value, step * int(rng.integers(1, 3)))
    for finding in lossboard.diagnose(tmp_path):
        json.dumps(finding.to_json(), allow_nan=False)
