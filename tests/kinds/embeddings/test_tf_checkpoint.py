"""Embeddings in checkpoints that TensorFlow writes here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lossboard

pytestmark = pytest.mark.tensorflow


def config(folder: Path, *names: str, more: str = "") -> None:
    entries = "".join(f'embeddings {{ tensor_name: "{name}" }}\n' for name in names)
    (folder / "projector_config.pbtxt").write_text(entries + more)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8"])
def test_checkpoint_of_tensorflow_2_is_read(tmp_path: Path, dtype: str) -> None:
    import tensorflow as tf

    weights = tf.Variable(tf.cast(tf.reshape(tf.range(12), (4, 3)), dtype))
    others = [tf.Variable(tf.zeros([5])) for _ in range(300)]  # so many that the index has several blocks
    tf.train.Checkpoint(embedding=weights, others=others).save(str(tmp_path / "embedding.ckpt"))
    config(tmp_path, "embedding/.ATTRIBUTES/VARIABLE_VALUE")
    (embedding,) = lossboard.open(tmp_path).embeddings()
    assert embedding.shape() == (4, 3)
    np.testing.assert_array_equal(embedding.tensor(), np.arange(12, dtype=np.float32).reshape(4, 3), strict=True)


def test_latest_checkpoint_of_tensorflow_1_is_read(tmp_path: Path) -> None:
    import tensorflow as tf

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        words = tf.compat.v1.get_variable("words", initializer=np.eye(3, 2, dtype=np.float32))
        saver = tf.compat.v1.train.Saver()
        session.run(tf.compat.v1.global_variables_initializer())
        for step in (1, 2):
            session.run(words.assign_add(tf.ones_like(words)))
            saver.save(session, str(tmp_path / "model.ckpt"), global_step=step)
    moved = tmp_path.with_name("moved")
    tmp_path.rename(moved)  # the state file has the old path
    config(moved, "words:0")
    (embedding,) = lossboard.open(moved).embeddings()
    np.testing.assert_array_equal(embedding.tensor(), np.eye(3, 2) + 2)
    config(moved, "words", more='model_checkpoint_path: "model.ckpt-1"')
    (embedding,) = lossboard.open(moved).embeddings()
    np.testing.assert_array_equal(embedding.tensor(), np.eye(3, 2) + 1)
