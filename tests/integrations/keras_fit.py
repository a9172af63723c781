"""Small Keras training that logs through the callback. Run by test_keras.py in the TensorFlow environment.

keras_fit.py FOLDER
"""

from __future__ import annotations

import sys

import keras
import numpy as np
import tensorflow as tf

from lossboard import SummaryWriter
from lossboard.integrations.keras import LossboardCallback


def train(folder: str) -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, name="hidden"), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    x, y = np.ones((16, 3), np.float32), np.zeros((16, 1), np.float32)
    callback = LossboardCallback(f"{folder}/fit", update_freq=2, histogram_freq=1)
    model.fit(x, y, batch_size=4, epochs=3, validation_split=0.25, verbose=0, callbacks=[callback])


def log_tensors(folder: str) -> None:
    with SummaryWriter(f"{folder}/values") as writer:
        writer.add_scalar("eager", tf.constant(1.5), tf.constant(3))
        writer.add_scalar("variable", tf.Variable([2.5]), 3)
        writer.add_scalar("bfloat16", tf.constant(0.5, tf.bfloat16), 3)
        writer.add_histogram("histogram", tf.random.normal([100]), 3)
        writer.add_image("image", tf.zeros([4, 5, 3]), 3, dataformats="HWC")


train(sys.argv[1])
log_tensors(sys.argv[1])
