import json

import torch

from lossboard.train.config import Config
from lossboard.train.models.torch_model import load_model, make_optimizer
from lossboard.train.runs.checkpoint import TrainState, read_train_state, restore, take_snapshot, write_checkpoint
from lossboard.train.tasks.classification import Classification
from train.tiny_bert import make_checkpoint


def write(folder, step, *links):
    source = folder / "model"
    if not source.exists():
        make_checkpoint(source)
    model = load_model(source, Config(), Classification(("a", "b")))
    optimizer = make_optimizer(model, Config())
    snapshot = take_snapshot(model, optimizer, TrainState(micro_batch=4, step=step), [torch.get_rng_state()])
    return write_checkpoint(folder / "checkpoints", snapshot, model=model, source=source, links=links)


def test_rng_states_of_many_workers_keep_their_order(tmp_path):
    make_checkpoint(tmp_path / "model")
    model = load_model(tmp_path / "model", Config(), Classification(("a", "b")))
    optimizer = make_optimizer(model, Config())
    states = [torch.full((4,), rank, dtype=torch.uint8) for rank in range(12)]
    snapshot = take_snapshot(model, optimizer, TrainState(micro_batch=4, step=1), states)
    folder = write_checkpoint(
        tmp_path / "checkpoints", snapshot, model=model, source=tmp_path / "model", links=("last",)
    )
    assert [int(state[0]) for state in restore(folder, model, optimizer)] == list(range(12))


def names(folder):
    return sorted(path.name for path in (folder / "checkpoints").iterdir())


def test_checkpoints_without_a_link_are_deleted(tmp_path):
    write(tmp_path, 1, "best", "last")
    assert names(tmp_path) == ["best", "last", "step-000001"]
    write(tmp_path, 2, "last")
    write(tmp_path, 3, "last")
    assert names(tmp_path) == ["best", "last", "step-000001", "step-000003"]
    assert read_train_state(tmp_path / "checkpoints" / "last").step == 3
    assert read_train_state(tmp_path / "checkpoints" / "best").step == 1


def test_interrupted_write_leaves_the_last_checkpoint_intact(tmp_path):
    write(tmp_path, 1, "best", "last")
    part = tmp_path / "checkpoints" / ".step-000002.part"
    part.mkdir()
    (part / "model.safetensors").write_bytes(b"half of")
    assert read_train_state(tmp_path / "checkpoints" / "last").step == 1
    write(tmp_path, 2, "last")
    assert not part.exists()
    assert json.loads((tmp_path / "checkpoints/last/state.json").read_text())["step"] == 2
