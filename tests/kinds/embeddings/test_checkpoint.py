"""Embeddings in a TensorFlow checkpoint. tests/data/tf_checkpoint was written by TensorFlow."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lossboard
from lossboard.errors import DecodeError
from lossboard.kinds.embeddings.checkpoint import Checkpoint
from lossboard.kinds.embeddings.decode import Embedding
from tests.kinds.embeddings.conftest import EmbeddingBoard

CHECKPOINT = Path(__file__).parents[2] / "data" / "tf_checkpoint"
WORDS = "words/.ATTRIBUTES/VARIABLE_VALUE"


def embedding(folder: Path, name: str = WORDS, *, model: str = "", run: str = ".") -> Embedding:
    """Returns the embedding of a config in `run`, next to or below a copy of the checkpoint."""
    shutil.copytree(CHECKPOINT, folder, dirs_exist_ok=True)
    (folder / run).mkdir(exist_ok=True)
    stated = f'model_checkpoint_path: "{model}"\n' if model else ""
    (folder / run / "projector_config.pbtxt").write_text(f'{stated}embeddings {{ tensor_name: "{name}" }}\n')
    (found,) = lossboard.open(folder).embeddings()
    return found


@pytest.mark.parametrize("model", ["", "model.ckpt-1", "/elsewhere/model.ckpt-1"])
@pytest.mark.parametrize("name", [WORDS, f"{WORDS}:0"])
def test_tensor_in_a_checkpoint_is_read(tmp_path: Path, name: str, model: str) -> None:
    found = embedding(tmp_path, name, model=model)
    assert found.shape() == (3, 2)
    np.testing.assert_array_equal(found.tensor(), np.array([[0, 1], [2, 3], [4, 5]], np.float32), strict=True)


def test_latest_checkpoint_of_the_parent_directory_is_read(tmp_path: Path) -> None:
    assert embedding(tmp_path, run="projector").shape() == (3, 2)


@pytest.mark.parametrize(
    ("name", "model", "message"),
    [
        ("sentences", "", "The checkpoint 'model.ckpt-1' has no tensor 'sentences'."),
        ("bias/.ATTRIBUTES/VARIABLE_VALUE", "", "has the shape [2]. An embedding has rows and columns."),
        ("names/.ATTRIBUTES/VARIABLE_VALUE", "", "Tensors of type string cannot be decoded"),
        (WORDS, "model.ckpt-2", "The TensorFlow checkpoint 'model.ckpt-2' was not found within the logdir."),
    ],
)
def test_tensor_that_cannot_be_read_is_explained(tmp_path: Path, name: str, model: str, message: str) -> None:
    with pytest.raises(DecodeError, match=re.escape(message)):
        embedding(tmp_path, name, model=model).tensor()


def test_checkpoint_outside_of_the_logdir_is_not_read(tmp_path: Path) -> None:
    shutil.copytree(CHECKPOINT, tmp_path / "outside")
    logdir = tmp_path / "logdir"
    found = embedding(logdir, model="../outside/model.ckpt-1")
    assert found._checkpoint().index.parent == logdir, "the file with that name in the logdir is read instead"
    for file in logdir.glob("model.ckpt-1*"):
        file.unlink()
    with pytest.raises(DecodeError, match="was not found within the logdir"):
        found.tensor()


def test_new_checkpoint_changes_the_key_of_the_tensor(tmp_path: Path) -> None:
    found = embedding(tmp_path)
    before = found.tensor_key(), found.linked_stamps()
    for file in tmp_path.glob("model.ckpt-1*"):
        shutil.copy(file, tmp_path / file.name.replace("ckpt-1", "ckpt-2"))
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-2"')
    assert found.tensor_key() != before[0]
    assert found.linked_stamps() != before[1]


INDEX = (CHECKPOINT / "model.ckpt-1.index").read_bytes()


@given(st.data())
def test_corrupt_index_raises_a_decode_error_or_is_read(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    folder = tmp_path_factory.mktemp("corrupt", numbered=True)
    shutil.copy(CHECKPOINT / "model.ckpt-1.data-00000-of-00001", folder)
    changed = bytearray(INDEX)
    for _ in range(data.draw(st.integers(0, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(changed)) | st.just(len(changed)))
    index = folder / "model.ckpt-1.index"
    index.write_bytes(changed[:cut])
    try:
        tensor = Checkpoint(index, folder).tensor(WORDS)
    except DecodeError:
        return
    assert tensor.ndim == 2 and tensor.nbytes <= 4 * 400


def test_embedding_in_a_checkpoint_is_served_with_its_size_and_neighbors(tmp_path: Path) -> None:
    embedding(tmp_path / "run")
    board = EmbeddingBoard(tmp_path)
    board.poll()
    (series,) = board.ask("series").json()["series"]
    assert [(step["rows"], step["columns"]) for step in series["steps"]] == [(3, 2)]
    nearest = board.ask("neighbors", **board.at(0, tag=WORDS), row=0, count=1, cosine=False).json()["neighbors"]
    assert [neighbor["row"] for neighbor in nearest] == [1]
