"""Training on two workers gives the result of one process."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from lossboard.train.config import Config
from lossboard.train.runner import finetune
from lossboard.train.runs.run_dir import RunDir, new_run
from train.run_results import finding_codes, max_difference, scalar_values, weights
from train.tiny_bert import make_data, tiny_config

UNEVEN = {"dropout": 0.0, "epochs": 1, "micro_batch_size": 4}
ALL_LOGGED = {"histogram_interval": 2, "probe_interval": 2, "detail_interval": 2, "eval_interval": 2}


def uneven_config(folder: Path, **settings: object) -> Config:
    """Returns a config whose last batch is short and odd, with all logging on."""
    make_data(folder / "uneven.csv", examples=67)
    return tiny_config(folder, data=folder / "uneven.csv", **UNEVEN, **ALL_LOGGED, **settings)


IN_ONE_WORLD = """
import sys
from pathlib import Path
from lossboard.train.engines import torch_engine
from lossboard.train.runs.run_dir import RunDir
from lossboard.train.distributed.world import join_world, leave_world

world = join_world()
plenty, little = (RunDir(Path(path)) for path in sys.argv[1:])
torch_engine.train(plenty.config(), plenty, world=world)

real = torch_engine.TorchEngine._backward
def tight(self, rows, **keywords):
    if self.world.rank == 1 and len(rows) > 1:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 50331648 bytes.")
    return real(self, rows, **keywords)
torch_engine.TorchEngine._backward = tight
torch_engine.train(little.config(), little, world=world)
leave_world(world)

# A thread that outlives its process group may abort the process at exit.
threads = [file.read_text().strip() for file in Path("/proc/self/task").glob("*/comm")]
assert not [name for name in threads if "gloo" in name], threads
"""


@dataclass(frozen=True)
class WorkerRuns:
    """Runs with the same config: one process, two workers, and two workers of which one has little memory."""

    one: RunDir
    two: RunDir
    little: RunDir


@pytest.fixture(scope="module")
def worker_runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spread")
    config = uneven_config(folder)
    runs = WorkerRuns(finetune(config).run, new_run(config), new_run(config))
    script = folder / "in_one_world.py"
    script.write_text(IN_ONE_WORLD)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    command = [*launcher, script, runs.two.path, runs.little.path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return runs


def assert_same_training(one: RunDir, two: RunDir) -> None:
    assert max_difference(weights(one), weights(two)) < 1e-5
    for name in ("val/loss", "grad_norm/layer_00", "update_ratio/head"):
        np.testing.assert_allclose(*(scalar_values(run, name) for run in (one, two)), rtol=1e-3)
    assert list(two.logs(1).glob("*.tfevents.*")), "rank 1 logs to its own directory"


def test_two_workers_give_the_result_of_one(worker_runs):
    assert_same_training(worker_runs.one, worker_runs.two)
    assert finding_codes(worker_runs.two) == []


def test_oom_on_one_worker_halves_the_micro_batch_on_all(worker_runs):
    assert finding_codes(worker_runs.little) == ["memory", "memory"], "4 on each worker, then 2, then 1"
    assert json.loads((worker_runs.little.checkpoints / "last/state.json").read_text())["micro_batch"] == 1
    assert_same_training(worker_runs.one, worker_runs.little)


def test_sharded_workers_give_the_result_of_one(tmp_path, worker_runs):
    assert_same_training(worker_runs.one, finetune(uneven_config(tmp_path, workers=2, sharding="fsdp")).run)


def test_command_under_torchrun_succeeds_on_every_worker(tmp_path):
    (tmp_path / "run.json").write_text(json.dumps(tiny_config(tmp_path, max_steps=2).as_dict()))
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    command = [*launcher, "-m", "lossboard.cli.main", "finetune", "--config", tmp_path / "run.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "terminate" not in done.stderr
    assert done.stdout.count("best checkpoint: ") == 1, "only rank 0 prints it"
