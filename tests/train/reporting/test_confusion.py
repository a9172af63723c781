"""The image of the confusion matrix, for any number of classes: cells with a large share of a class are dark."""

import numpy as np
import pytest

from lossboard.train.reporting.confusion import DEEP, LABEL_PIXELS, PALE, confusion_figure, confusion_table


def test_cell_color_shows_its_share_of_the_true_class() -> None:
    picture = confusion_figure(np.array([[40, 0], [1, 0]]), ["negative", "positive"])
    corners = [[picture[LABEL_PIXELS + 72 * i + 3, LABEL_PIXELS + 72 * j + 3] for j in range(2)] for i in range(2)]
    np.testing.assert_array_equal(corners, [[DEEP, PALE], [DEEP, PALE]])


@pytest.mark.parametrize("classes", [1, 2, 28, 150, 400])
def test_any_number_of_classes_fits_in_the_image(classes: int) -> None:
    picture = confusion_figure(np.eye(classes, dtype=np.int64), [f"class number {i}" for i in range(classes)])
    height, width, channels = picture.shape
    assert height == width <= 2500 and channels == 3
    deep = (picture == DEEP).all(axis=2)
    assert deep.any(axis=1).sum() >= 6 * classes


def test_class_that_never_occurs_causes_no_division_by_zero() -> None:
    assert confusion_figure(np.zeros((2, 2), dtype=np.int64), ["a", "b"]).shape[2] == 3


def test_class_names_in_the_table_are_escaped() -> None:
    assert "&lt;b&gt;" in confusion_table(np.eye(2, dtype=np.int64), ["<b>", "plain"])
