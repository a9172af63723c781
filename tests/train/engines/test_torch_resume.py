"""Runs that are killed or stopped, and resumed."""

import json
import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import lossboard
from lossboard.cli.main import main
from lossboard.errors import UsageError
from lossboard.train.distributed.world import World
from lossboard.train.engines.torch_engine import TorchEngine
from lossboard.train.preparation.prepare import prepare
from lossboard.train.reporting.train_log import TrainLog
from lossboard.train.runner import finetune, resume, train_run
from lossboard.train.runs.run_context import run_context
from lossboard.train.runs.run_dir import RunDir, new_run
from train.run_results import finding_codes, max_difference, scalar_values, weights
from train.tiny_bert import tiny_config

KILLED = """
import os, signal, sys
from pathlib import Path
from lossboard.train import runner
from lossboard.train.reporting import train_log
from lossboard.train.runs.run_dir import RunDir

real = train_log.TrainLog.log_step
def deadly(self, step, *rest):
    real(self, step, *rest)
    if step == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
train_log.TrainLog.log_step = deadly
runner.train_run(RunDir(Path(sys.argv[1])), resume=False)
"""


def test_run_killed_at_a_random_step_resumes_to_the_same_weights(tmp_path):
    config = tiny_config(tmp_path, epochs=4, save_interval=7)
    through = finetune(config)
    killed = new_run(config)
    step = random.randrange(8, 32)  # step 7 is logged before the first checkpoint is saved
    child = subprocess.run(
        [sys.executable, "-c", KILLED, killed.path, str(step)], stdout=subprocess.DEVNULL, check=False
    )
    assert child.returncode == -signal.SIGKILL
    assert not (killed.path / "result.json").exists()
    resume("last", config.runs_dir)
    assert max_difference(weights(through.run), weights(killed)) == 0.0, f"killed after step {step}"
    assert finding_codes(killed) == ["killed"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_stop_signal_saves_the_last_step_and_prints_how_to_resume(tmp_path, monkeypatch, capsys, number):
    real = TrainLog.log_step

    def send_signal(log: TrainLog, step: int, *rest: object) -> None:
        real(log, step, *rest)
        if step == 5:
            os.kill(os.getpid(), number)

    monkeypatch.setattr(TrainLog, "log_step", send_signal)
    config = tiny_config(tmp_path, epochs=1)
    (tmp_path / "run.json").write_text(json.dumps(config.as_dict()))
    assert main(["finetune", "--config", str(tmp_path / "run.json")]) == 130
    (run,) = (RunDir(path) for path in config.runs_dir.iterdir())
    assert capsys.readouterr().out.splitlines()[-1].endswith(f"Resume with: --resume {run.path}")
    assert json.loads((run.checkpoints / "last/state.json").read_text())["step"] == 5
    resume(run.id, config.runs_dir)
    assert finding_codes(run) == ["interrupted", "resumed"]
    assert scalar_values(run, "train/loss").shape == (8,)


def test_second_process_in_a_run_is_rejected(tmp_path):
    run = new_run(tiny_config(tmp_path))
    with run_context(run), pytest.raises(UsageError, match=rf"{run.id} is already being trained by process \d+\."):
        train_run(run, resume=False)


def test_run_killed_before_its_first_checkpoint_starts_over(tmp_path, capsys):
    config = tiny_config(tmp_path, epochs=1, save_interval=0, histogram_interval=4)
    run = new_run(config)
    _stop_after(run, step=3)
    resume(run.id, config.runs_dir)
    assert "has no checkpoint yet, so it starts over" in capsys.readouterr().out
    logged = lossboard.open(config.runs_dir)[f"{run.id}/logs/tensorboard"]
    assert logged.scalars("train/loss").steps.tolist() == list(range(1, 9))
    assert [h.step for h in logged.histograms("weights/classifier.weight")] == [0, 4, 8]


def test_lora_run_resumes_exactly_and_loads_as_a_hugging_face_model(tmp_path, capsys):
    settings = {"lora_rank": 4, "epochs": 2, "save_interval": 5}
    through = finetune(tiny_config(tmp_path, **settings))
    cut = new_run(tiny_config(tmp_path, **settings))
    _stop_after(cut, step=5)
    resume(cut.id, cut.path.parent)
    a, b = (load_file(run.checkpoints / "last" / "trainable.safetensors") for run in (through.run, cut))
    assert max_difference(a, b) == 0.0
    assert all("lora" in name or "classifier" in name for name in a)
    assert (cut.checkpoints / "last" / "adapter" / "adapter_model.safetensors").exists()
    assert "Could not log the graph" not in capsys.readouterr().err

    from transformers import AutoModelForSequenceClassification

    config = cut.config()
    engine = TorchEngine(config, prepare(config), World())
    engine.resume(cut, threads=1)
    loaded = AutoModelForSequenceClassification.from_pretrained(cut.checkpoints / "last").eval()
    inputs, _, _ = engine.inputs(engine.prepared.validation, np.arange(8))
    torch.testing.assert_close(loaded(**inputs).logits, engine.model.eval()(**inputs).logits, rtol=1e-5, atol=1e-6)


def _stop_after(run: RunDir, *, step: int) -> None:
    """Trains until the checkpoint of `step` exists, then stops."""

    class Stop(Exception):
        pass

    def note(log: TrainLog, at: int, *rest: object) -> None:
        if at > step:
            log.close()
            raise Stop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrainLog, "log_step", note)
        with pytest.raises(Stop):
            train_run(run, resume=False)


def test_finished_run_is_extended(tmp_path, capsys):
    config = tiny_config(tmp_path, epochs=1, schedule="constant", warmup=0.0)
    short, whole = finetune(config), finetune(config.replace(epochs=3))
    flags = ["finetune", "--resume", str(short.run.path), "--runs-dir", str(config.runs_dir)]
    assert main([*flags, "--epochs", "1"]) != 0
    assert "--epochs 1 does not extend" in capsys.readouterr().err
    assert main([*flags, "--epochs", "3"]) == 0
    assert short.run.config().epochs == 3
    assert json.loads((short.run.path / "result.json").read_text())["step"] == whole.metrics["step"]
    assert max_difference(weights(short.run), weights(whole.run)) == 0


def test_run_limited_by_steps_is_extended_by_steps(tmp_path):
    config = tiny_config(tmp_path, max_steps=2)
    run = finetune(config).run
    with pytest.raises(UsageError, match="stops after 2 steps"):
        resume(run.id, config.runs_dir, epochs=5)
    assert resume(run.id, config.runs_dir, max_steps=5).metrics["step"] == 5


@pytest.mark.parametrize("optimizer", ["sgd", "adafactor"])
def test_other_optimizers_resume_exactly(tmp_path, optimizer):
    config = tiny_config(tmp_path, optimizer=optimizer, learning_rate=0.01, schedule="constant", warmup=0.0)
    whole = finetune(config)
    cut = finetune(config.replace(epochs=1)).run
    assert max_difference(weights(cut), weights(whole.run)) > 0
    resume(cut.id, config.runs_dir, epochs=2)
    assert max_difference(weights(cut), weights(whole.run)) == 0
