"""Losses of the tasks in TensorFlow, summed over a micro-batch. `torch_losses.py` has the same ones."""

from __future__ import annotations

import math
from typing import Any

from lossboard.train.data.imbalance import Weights
from lossboard.train.data.labels import IGNORED
from lossboard.train.models.tensorflow_import import tf
from lossboard.train.tasks.task import LossName

# A logit that no softmax chooses.
NEVER = -1e9


def target_dtype(name: LossName) -> Any:
    """Returns the type of the targets of a loss: class ids, or numbers."""
    return tf.int32 if name.endswith("cross-entropy") and not name.startswith("binary") else tf.float32


def summed_loss(name: LossName, logits: Any, targets: Any, *, mask: Any, weights: Weights | None) -> tuple[Any, Any]:
    """Returns the sum of the losses of all targets, and how many targets the logits hit (NaN if they are no classes).

    `mask` is 0 for padding, and `weights` has the weights of the classes.
    """
    if name == "squared-error":
        return tf.reduce_sum(tf.square(tf.squeeze(logits, -1) - targets)), tf.constant(math.nan)
    if name == "binary-cross-entropy":
        losses = tf.nn.sigmoid_cross_entropy_with_logits(targets, logits)
        return tf.reduce_sum(losses), _number((logits > 0) == (targets > 0))
    if name == "position-cross-entropy":
        # The classes are the tokens. Padding is none of them, so its amount does not change the loss.
        logits = tf.where(mask[:, None] == 0, NEVER, tf.transpose(logits, (0, 2, 1)))
    counted = targets != IGNORED
    ids = tf.where(counted, targets, 0)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(ids, logits) * tf.cast(counted, tf.float32)
    if weights is not None:
        losses *= tf.gather(tf.constant(weights, tf.float32), ids)
    return tf.reduce_sum(losses), _number(tf.argmax(logits, axis=-1, output_type=tf.int32) == targets)


def _number(hits: Any) -> Any:
    return tf.reduce_sum(tf.cast(hits, tf.float32))
