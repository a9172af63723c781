"""A real tf.data.Dataset as training data."""

import pytest
import tensorflow as tf

from lossboard.train.data.python_rows import rows_of

pytestmark = pytest.mark.tensorflow


@pytest.mark.parametrize("batch_size", [None, 2])
@pytest.mark.parametrize("form", ["tuples", "dicts"])
def test_tf_dataset_gives_its_rows(form: str, batch_size: int | None) -> None:
    columns = (["a film", "été", "c"], [1, 0, 1])
    source = columns if form == "tuples" else dict(zip(("text", "label"), columns, strict=True))
    data = tf.data.Dataset.from_tensor_slices(source)
    rows = rows_of(data if batch_size is None else data.batch(batch_size)).rows
    expected = [{"text": text, "label": label} for text, label in zip(*columns, strict=True)]
    assert list(rows) == expected
