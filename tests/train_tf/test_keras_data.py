"""Micro-batches of the TensorFlow engine."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from lossboard.train.data.batches import Ids
from lossboard.train.engines.keras_data import Feed

pytestmark = pytest.mark.tensorflow


def padded(rows: Ids) -> Any:
    matrix = np.repeat(rows[:, None], 3, axis=1)
    return SimpleNamespace(input_ids=matrix, token_type_ids=matrix, attention_mask=matrix)


@pytest.fixture
def feed() -> Feed:
    data: Any = SimpleNamespace(padded=padded, targets=SimpleNamespace(batch=lambda rows, width: rows))
    return Feed(data, targets=tf.TensorSpec((None,), tf.int32), first_replica=0, replicas=1, total_replicas=1)


def test_micro_batches_come_in_order(feed: Feed) -> None:
    batches = [np.arange(start, start + 5) for start in range(0, 100, 5)]
    feed.start(batches, 2)
    rows = [[piece[3].numpy().tolist() for (piece,) in feed.pieces(batch, 2)] for batch in batches]
    assert rows == [[list(part) for part in np.array_split(batch, 3)] for batch in batches]


def test_no_thread_outlives_its_iterator_for_a_minute(feed: Feed) -> None:
    feed.start([np.arange(5)], 5)
    iterator: Any = feed._pieces
    assert iterator._dataset.options().autotune.enabled is False
