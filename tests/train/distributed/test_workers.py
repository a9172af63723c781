"""`lossboard finetune` with two torch workers: signals and errors, as the user sees them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import torch
from safetensors.torch import load_file

from lossboard.train.runner import finetune, resume
from lossboard.train.runs.run_dir import RunDir
from train.tiny_bert import tiny_config

TORCHRUN = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]


def command(folder: Path, *flags: str, torchrun: bool = False, **settings: object) -> list[str]:
    config = tiny_config(folder, **settings)
    (folder / "run.json").write_text(json.dumps(config.as_dict()))
    launcher = TORCHRUN if torchrun else []
    return [sys.executable, *launcher, "-m", "lossboard.cli.main", "finetune", *flags, "--config", folder / "run.json"]


def stopped_run(folder: Path, words: list[str], stop: Callable[[int], None]) -> tuple[RunDir, CompletedProcess[str]]:
    """Starts a run, calls `stop` with its process id after its first evaluation, and returns it with its output."""
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        process = subprocess.Popen(words, stdout=out, stderr=err, start_new_session=True)
        while "\nstep 8  " not in (folder / "out").read_text():
            assert process.poll() is None, (folder / "err").read_text()
            time.sleep(0.02)
        stop(process.pid)
        status = process.wait()
    (path,) = (folder / "runs").iterdir()
    return RunDir(path), CompletedProcess(words, status, (folder / "out").read_text(), (folder / "err").read_text())


def press_ctrl_c(pid: int) -> None:
    os.killpg(pid, signal.SIGINT)


def kill_a_worker(pid: int) -> None:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)


CONSTANT = {"workers": 2, "epochs": 200, "schedule": "constant", "warmup": 0.0}


def test_interrupted_workers_keep_a_checkpoint_and_resume_exactly(tmp_path):
    run, done = stopped_run(tmp_path, command(tmp_path, **CONSTANT), press_ctrl_c)
    assert (done.returncode, done.stderr) == (130, "")
    assert done.stdout.splitlines()[-1].endswith(f"Resume with: --resume {run.path}")
    step = run.last_saved_step()
    assert (run.last_finding_code(), step >= 8) == ("interrupted", True)

    run.write_json("config.json", run.config().replace(max_steps=step + 4).as_dict())
    resume(run.id, run.path.parent)
    through = finetune(run.config())
    ours, theirs = (load_file(each.checkpoints / "last" / "model.safetensors") for each in (run, through.run))
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("torchrun", [False, True], ids=["workers", "torchrun"])
def test_killed_worker_ends_the_run_with_a_finding(tmp_path, torchrun):
    settings = {} if torchrun else {"workers": 2}
    words = command(tmp_path, torchrun=torchrun, epochs=200, save_interval=4, **settings)
    run, done = stopped_run(tmp_path, words, kill_a_worker)
    assert (done.returncode, run.last_finding_code()) == (1, "worker-failed")
    assert done.stderr.count("lossboard: worker-failed at step") == 1
    assert "lossboard/train" not in done.stderr, "no traceback of a worker"
    assert run.last_saved_step() >= 4


def test_bad_data_is_reported_once_by_two_workers(tmp_path):
    done = subprocess.run(command(tmp_path, workers=2, max_length=99), capture_output=True, text=True, check=False)
    (path,) = (tmp_path / "runs").iterdir()
    assert (done.returncode, RunDir(path).last_finding_code()) == (1, "refused")
    assert done.stderr.count("but the model has 64 positions") == 1
    assert "Traceback" not in done.stderr


def test_interrupted_torchrun_keeps_a_checkpoint(tmp_path):
    run, done = stopped_run(tmp_path, command(tmp_path, torchrun=True, epochs=200), press_ctrl_c)
    assert done.returncode != 0
    assert run.last_finding_code() == "interrupted"
    assert load_file(run.checkpoints / "last" / "model.safetensors")
    assert "lossboard/" not in done.stderr, "torchrun reports the signal, but no worker has a traceback"


@pytest.mark.parametrize("flags", [("--run-tag", "a/b"), ("--data", "missing.csv"), ("--max-length", "99")])
def test_error_under_torchrun_is_printed_once(tmp_path, flags):
    done = subprocess.run(command(tmp_path, *flags, torchrun=True), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("lossboard: ") == 1
    assert "lossboard/train" not in done.stderr, "no traceback"
