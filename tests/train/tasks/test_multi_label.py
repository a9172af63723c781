"""Multi-label classification: the forms of labels, and metrics."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from lossboard.train.preparation.examples import TextData, load_data
from lossboard.train.tasks.multi_label import MultiLabel, MultiLabelEvaluation

# Three classes in any combination, so that rows differ.
CHOSEN = [[name for name, bit in zip("abc", f"{row % 8:03b}", strict=True) if bit == "1"] for row in range(80)]


def load(folder: Path, rows: list[dict[str, Any]], **settings: Any) -> TextData:
    file = folder / "data.jsonl"
    file.write_text("".join(json.dumps({"text": f"film number {i}"} | row) + "\n" for i, row in enumerate(rows)))
    return load_data(file, **settings)


@pytest.mark.parametrize(
    ("rows", "settings"),
    [
        ([{"labels": names} for names in CHOSEN], {}),
        ([{"mood": names} for names in CHOSEN], {}),
        ([{name: int(name in names) for name in "abc"} for names in CHOSEN], {}),
        ([{name: str(name in names).lower() == "true" for name in "abc"} for names in CHOSEN], {}),
        ([{"label": "|".join(names)} for names in CHOSEN], {"task": "multi-label"}),
        ([{"flag": 1} | {name: int(name in names) for name in "abc"} for names in CHOSEN], {"label": "a,b,c"}),
    ],
    ids=["lists", "lists by contents", "columns", "booleans", "separated", "given columns"],
)  # fmt: skip
def test_forms_of_labels_give_the_same_matrix(
    tmp_path: Path, rows: list[dict[str, Any]], settings: dict[str, Any]
) -> None:
    data = load(tmp_path, rows, **settings)
    assert data.task == MultiLabel(("a", "b", "c"))
    assert not data.faults
    expected = np.array([[name in names for name in "abc"] for names in CHOSEN])
    assert np.array_equal(data.train.labels, expected[data.train.rows])
    assert data.train.labels.sum(axis=0).min() > 0 and data.validation.labels.sum(axis=0).min() > 0


def test_invalid_labels_are_named(tmp_path: Path) -> None:
    lists = [{"labels": names} for names in CHOSEN]
    data = load(tmp_path, [*lists, {"labels": None}, {"labels": ["d"]}], classes=["a", "b", "c"])
    assert [fault.why for fault in data.faults] == ["no list of labels", "a label is not one of the 3 classes a, b, c"]
    flags = [{"a": 1, "b": 0}] * 30
    assert load(tmp_path, [*flags, {"a": 2, "b": 0}], label="a,b").faults[0].why.startswith("not 0 or 1")


def test_metrics_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(50, 4)).astype(np.float32), rng.random((50, 4)) < 0.4
    metrics = MultiLabelEvaluation(logits, labels, np.arange(50), MultiLabel(tuple("abcd"))).metrics()
    assert metrics["f1"] == pytest.approx(f1_score(labels, logits > 0, average="macro"))
    assert metrics["micro_f1"] == pytest.approx(f1_score(labels, logits > 0, average="micro"))
    assert metrics["exact_match"] == pytest.approx(((logits > 0) == labels).all(axis=1).mean())
    expected = np.log1p(np.exp(-np.where(labels, logits, -logits).astype(float))).mean()
    assert metrics["loss"] == pytest.approx(expected)
