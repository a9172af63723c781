"""Small Keras trainings that log through the callback. Run by test_keras.py in the TensorFlow environment.

keras_fit.py FOLDER
"""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from lossboard import SummaryWriter
from lossboard.integrations.keras import LossboardCallback, LossboardGuard

X, Y = np.ones((16, 3), np.float32), np.zeros((16, 1), np.float32)


def model() -> keras.Model:
    made = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, name="hidden"), keras.layers.Dense(1)])
    made.compile("sgd", "mse", metrics=["mae"])
    return made


def train(folder: str) -> None:
    callback = LossboardCallback(f"{folder}/fit", update_freq=2, histogram_freq=1)
    model().fit(X, Y, batch_size=4, epochs=3, validation_split=0.25, verbose=0, callbacks=[callback])


def train_with_defaults(folder: str) -> None:
    trained, callback = model(), LossboardCallback(f"{folder}/defaults")
    trained.fit(X, Y, batch_size=4, epochs=2, validation_data=(X, Y), verbose=0, callbacks=[callback])
    trained.evaluate(X, Y, verbose=0, callbacks=[callback])


def train_with_everything(folder: str) -> None:
    """The arguments by position, in the order of keras.callbacks.TensorBoard."""
    words = keras.Sequential([keras.Input((2,)), keras.layers.Embedding(5, 4, name="words"), keras.layers.Flatten()])
    words.add(keras.layers.Dense(1))
    words.compile("sgd", "mse")
    run = Path(folder) / "everything"
    callback = LossboardCallback(run, 1, False, True, True, "batch", (2, 3), 1, {"words": "labels.tsv"})
    (run / "labels.tsv").write_text("a\nb\nc\nd\ne\n")
    words.fit(np.ones((8, 2)), np.zeros((8, 1)), batch_size=2, epochs=2, verbose=0, callbacks=[callback])


def evaluate_only(folder: str) -> None:
    model().evaluate(X, Y, verbose=0, callbacks=[LossboardCallback(f"{folder}/evaluated")])


def train_copies(folder: str) -> None:
    callback = LossboardCallback(f"{folder}/copies")
    for copied in (copy.deepcopy(callback), pickle.loads(pickle.dumps(callback))):  # noqa: S301
        model().fit(X, Y, epochs=1, verbose=0, callbacks=[copied])


def log_tensors(folder: str) -> None:
    with SummaryWriter(f"{folder}/values") as writer:
        writer.add_scalar("eager", tf.constant(1.5), tf.constant(3))
        writer.add_scalar("variable", tf.Variable([2.5]), 3)
        writer.add_scalar("bfloat16", tf.constant(0.5, tf.bfloat16), 3)
        writer.add_histogram("histogram", tf.random.normal([100]), 3)
        writer.add_image("image", tf.zeros([4, 5, 3]), 3, dataformats="HWC")


def train_guarded(folder: str) -> None:
    logger = LossboardCallback(f"{folder}/guarded")
    guard = LossboardGuard(logger.log_dir, {"non-finite": "stop"})
    broken = np.where(np.arange(16)[:, None] == 3, np.nan, X)
    model().fit(broken, Y, batch_size=4, epochs=9, verbose=0, callbacks=[logger, guard])


for part in (
    train,
    train_with_defaults,
    train_with_everything,
    evaluate_only,
    train_copies,
    train_guarded,
    log_tensors,
):
    part(sys.argv[1])
