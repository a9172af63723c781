"""Classification: metrics from logits, and predictions."""

import numpy as np
import pytest
import torch

from lossboard.train.tasks import saved_task
from lossboard.train.tasks.classification import Classification, ClassificationEvaluation, entropy
from lossboard.train.tasks.task import Outputs

LOGITS = np.array([[2.0, 0, 0], [0, 2, 0], [2, 0, 0], [0, 0, 2]], np.float32)
CLASSES = ("a", "b", "c")


def test_metrics_match_hand_computed_values():
    evaluation = ClassificationEvaluation(LOGITS, np.array([0, 1, 1, 1]), np.arange(4), CLASSES)
    metrics = evaluation.metrics()
    assert metrics["accuracy"] == 0.5
    assert evaluation.confusion().tolist() == [[1, 0, 0], [1, 1, 1], [0, 0, 0]]
    assert [evaluation.class_metrics()[f"precision/{name}"] for name in CLASSES] == [0.5, 1, 0]
    assert [evaluation.class_metrics()[f"recall/{name}"] for name in CLASSES] == pytest.approx([1, 1 / 3, 0])
    assert metrics["f1"] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert metrics["balanced_accuracy"] == pytest.approx((1 + 1 / 3) / 2), "c has no examples"
    # Multiclass MCC: (hits·n − Σ predicted·true) / √((n² − Σ predicted²)(n² − Σ true²))
    assert metrics["mcc"] == pytest.approx((2 * 4 - (2 * 1 + 1 * 3)) / np.sqrt((16 - 6) * (16 - 10)))
    expected = torch.nn.functional.cross_entropy(torch.tensor(LOGITS), torch.tensor([0, 1, 1, 1]))
    assert metrics["loss"] == pytest.approx(float(expected))
    assert entropy(np.array([0, 1, 1, 1])) == pytest.approx(0.5623, abs=1e-4)


def test_predictions_have_a_label_and_all_probabilities():
    outputs = Outputs(LOGITS, np.arange(1, 5), np.zeros((4, 1), np.float32))
    first, *_ = Classification(CLASSES).predictions(outputs, None, np.arange(4))
    assert first["label"] == "a"
    assert first["probability"] == first["probabilities"]["a"] == pytest.approx(np.exp(2) / (np.exp(2) + 2))
    assert sum(first["probabilities"].values()) == pytest.approx(1)


def test_part_of_outputs_has_the_rows_of_its_inputs():
    logits = np.arange(12, dtype=np.float32).reshape(6, 2)
    outputs = Outputs(logits, np.array([1, 3, 6]), np.eye(3, dtype=np.float32))
    part = outputs.part(np.array([2, 0]))
    assert part.logits.tolist() == [[6, 7], [8, 9], [10, 11], [0, 1]] and part.ends.tolist() == [3, 4]
    assert part.of(1).tolist() == [[0, 1]] and part.features.tolist() == [[0, 0, 1], [1, 0, 0]]
    logits[4] = np.nan
    assert outputs.finite().tolist() == [True, True, False]


def test_task_of_a_checkpoint_is_read_from_its_config(tmp_path):
    names = '{"0": "bad", "10": "new", "2": "good"}'
    head = '"architectures": ["BertForSequenceClassification"], "problem_type": "single_label_classification"'
    (tmp_path / "config.json").write_text(f'{{{head}, "id2label": {names}}}')
    assert saved_task(tmp_path) == Classification(("bad", "good", "new"))
