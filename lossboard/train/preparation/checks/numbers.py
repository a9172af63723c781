"""Checks of numeric labels: their spread, and their size."""

import numpy as np

from lossboard.train.preparation.checks.base import Observation, check, observe_if
from lossboard.train.preparation.checks.context import CheckContext

# Numbers further from 0 take a fine-tuning run many steps to reach, because a step changes an output by about 0.1.
MAX_USUAL_NUMBER = 20.0


@check(
    "label-constant",
    why="With one number there is nothing to learn, and no correlation can be computed.",
    advice="Check --label-column. Check whether the file was filtered, or sorted and truncated.",
)
def label_constant(context: CheckContext) -> Observation | None:
    """Numbers that are the same for all training examples."""
    numbers = _numbers(context)
    if numbers is None or not len(numbers) or numbers.min() < numbers.max():
        return None
    return Observation("error", f"All labels of the training set are {numbers[0]:g}.")


@check(
    "label-scale",
    why="A model starts with outputs near 0. Far numbers take most of the steps to reach, and give large gradients.",
    advice="Divide the labels by a constant, or subtract their mean, and convert predictions back.",
)
def label_scale(context: CheckContext) -> Observation | None:
    """Numbers whose usual size, the root of their mean square, exceeds 20."""
    numbers = _numbers(context)
    if numbers is None or not len(numbers):
        return None
    size = float(np.sqrt(np.square(numbers).mean()))
    message = f"Labels range from {numbers.min():g} to {numbers.max():g}, with a usual size of {size:.4g}."
    return observe_if(size > MAX_USUAL_NUMBER, "warning", message, size=size)


def _numbers(context: CheckContext) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """Returns the valid labels of the training set. None if labels are no numbers."""
    labels = context.data.train.labels
    return labels[np.isfinite(labels)] if np.issubdtype(labels.dtype, np.floating) else None
