import numpy as np
import pytest

from lossboard.errors import UsageError
from lossboard.train.config import Config
from lossboard.train.data.batches import epoch_batches
from lossboard.train.data.imbalance import balanced_class_weights, balanced_probabilities

LABELS = np.array([0] * 90 + [2] * 10)


def test_weights_are_inverse_to_the_frequency_and_average_1():
    weights = balanced_class_weights(LABELS, classes=3)
    assert weights.tolist() == pytest.approx([100 / 180, 1, 5])
    assert weights[LABELS].mean() == pytest.approx(1)


def test_balanced_sampling_draws_all_classes_equally_often():
    probabilities = balanced_probabilities(LABELS, classes=3)
    epochs = [
        np.concatenate(epoch_batches([5] * 100, batch_size=8, seed=0, epoch=epoch, probabilities=probabilities))
        for epoch in range(50)
    ]
    drawn = LABELS[np.concatenate(epochs)]
    assert len(drawn) == 50 * 100
    assert (drawn == 2).mean() == pytest.approx(0.5, abs=0.03)
    assert epochs[0].tolist() != epochs[1].tolist()


def test_weights_and_sampling_together_are_refused():
    with pytest.raises(UsageError, match="Use either --class-weights or --balanced-sampling"):
        Config(class_weights=True, balanced_sampling=True)
