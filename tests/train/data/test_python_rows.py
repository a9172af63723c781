"""Python objects as training data."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import polars
import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from lossboard.errors import DataError
from lossboard.train import finetune
from lossboard.train.data.python_rows import rows_of, store_rows
from train.tiny_bert import tiny_config

ROWS = [{"text": "a good film", "label": 1}, {"text": "a bad film", "label": 0}]


class Texts(Dataset[tuple[str, torch.Tensor]]):
    def __len__(self) -> int:
        return len(ROWS)

    def __getitem__(self, index: int) -> tuple[str, torch.Tensor]:
        return str(ROWS[index]["text"]), torch.tensor(ROWS[index]["label"])


def stream() -> Iterator[dict[str, object]]:
    yield from ROWS


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        stream(),
        [(row["text"], row["label"]) for row in ROWS],
        [(row["label"], row["text"]) for row in ROWS],
        {"text": [row["text"] for row in ROWS], "label": np.array([1, 0])},
        pandas.DataFrame(ROWS),
        polars.DataFrame(ROWS),
        Texts(),
        DataLoader(Texts(), batch_size=2, shuffle=True),
    ],
    ids=["dicts", "generator", "tuples", "label first", "columns", "pandas", "polars", "torch dataset", "torch loader"],
)
def test_every_object_gives_the_same_rows(data: Any) -> None:
    assert list(rows_of(data).rows) == ROWS


def test_missing_values_of_pandas_are_none_and_categories_keep_their_order() -> None:
    frame = pandas.DataFrame({"text": ["x", None], "score": [0.5, float("nan")]})
    frame["label"] = pandas.Categorical(["low", "high"], categories=["low", "high"])
    found = rows_of(frame)
    assert list(found.rows) == [
        {"text": "x", "score": 0.5, "label": "low"},
        {"text": None, "score": None, "label": "high"},
    ]
    assert found.class_names == {"label": ["low", "high"]}


class FakeTfDataset:
    """The interface of a tf.data.Dataset. A test of the TensorFlow environment uses a real one."""

    element_spec = None

    def __init__(self, *elements: Any) -> None:
        self._elements = elements

    def as_numpy_iterator(self) -> Iterator[Any]:
        return iter(self._elements)


@pytest.mark.parametrize(
    "elements",
    [
        [(b"a good film", np.int64(1)), (b"a bad film", np.int64(0))],
        [(np.array([b"a good film", b"a bad film"], object), np.array([1, 0]))],
        [{"text": b"a good film", "label": np.int64(1)}, {"text": b"a bad film", "label": np.int64(0)}],
        [({"text": np.array([b"a good film", b"a bad film"], object)}, np.array([1, 0]))],
    ],
    ids=["tuples", "batch of tuples", "dicts", "batch of features and labels"],
)
def test_elements_of_tensorflow_become_rows(elements: list[Any]) -> None:
    assert list(rows_of(FakeTfDataset(*elements)).rows) == ROWS


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "data has no rows"),
        (42, "data is a int. Pass a path, a DataFrame"),
        ([SimpleNamespace()], "An example is a SimpleNamespace"),
        ([{"input_ids": [1, 2], "label": 0}], r"data has token ids \(input_ids\). Pass the texts"),
        ({"text": ["a"], "label": [0, 1]}, "data has columns of different lengths"),
        (
            {"train": pandas.DataFrame(ROWS), "test": None},
            r"data has several splits: train, test. Pass the one to train",
        ),
    ],
)
def test_unusable_objects_are_refused_and_leave_no_file(tmp_path: Path, data: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        store_rows(data, tmp_path, name="data")
    assert list(tmp_path.iterdir()) == []


def test_equal_rows_share_a_file(tmp_path: Path) -> None:
    files = {store_rows(data, tmp_path, name="data")[0] for data in (ROWS, pandas.DataFrame(ROWS), iter(ROWS))}
    (file,) = files
    assert [json.loads(line) for line in file.read_text().splitlines()] == ROWS


def test_run_from_a_frame_keeps_the_order_of_its_classes(tmp_path: Path) -> None:
    config = tiny_config(tmp_path, epochs=1)
    frame = pandas.read_csv(config.data)
    frame["label"] = pandas.Categorical(frame["label"], categories=["positive", "negative"])
    result = finetune(config, data=frame)
    assert result.run.config().classes == "positive,negative"
    stored = json.loads((result.best / "config.json").read_text())
    assert stored["id2label"] == {"0": "positive", "1": "negative"}
    assert result.run.config().data == next((tmp_path / "runs" / ".data").iterdir())
