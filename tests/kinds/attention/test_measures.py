"""Measures of heads against their formulas in numpy."""

from typing import Any

import numpy as np
import pytest

from lossboard.kinds.attention.measures import MEASURES, Layout, find_repetition, measure, measure_all
from lossboard.kinds.attention.packing import from_bytes, to_bytes
from lossboard.kinds.attention.weights import as_maps
from tests.kinds.attention.conftest import WORDS, softmax_maps


def measured(weights: Any, tokens: list[str], **arguments: Any) -> dict[str, np.ndarray]:
    table = measure_all(as_maps(weights, tokens, **arguments))
    return dict(zip(MEASURES, table.T, strict=True))


def test_measures_equal_numpy() -> None:
    weights = softmax_maps(3, 4, 6)
    found = measured(weights, WORDS)
    a = weights.reshape(12, 6, 6).astype(np.float64)
    i, j = np.indices((6, 6))
    expected = {
        "entropy": -(a * np.log(a)).sum(-1).mean(-1),
        "relative_entropy": -(a * np.log(a)).sum(-1).mean(-1) / np.log(6),
        "confidence": a.max(-1).mean(-1),
        "distance": (a * np.abs(i - j)).sum(-1).mean(-1),
        "offset": (a * (j - i)).sum(-1).mean(-1),
        "self": a[:, range(6), range(6)].mean(-1),
        "previous": a[:, range(1, 6), range(5)].mean(-1),
        "next": a[:, range(5), range(1, 6)].mean(-1),
        "first": a[:, :, 0].mean(-1),
        "cls": a[:, :, 0].mean(-1),
        "sep": a[:, :, 5].mean(-1),
        "punctuation": a[:, :, 4].mean(-1),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=2e-5, atol=1e-6, err_msg=name)
    assert np.isnan(found["induction"]).all()


def test_measures_of_stored_maps_are_within_the_promised_error() -> None:
    weights = softmax_maps(2, 6, 128)
    layout = Layout(128, tuple("abcd" * 32), "self", False, None)
    for layer in weights:
        exact, stored = measure(layer, layout), measure(from_bytes(to_bytes(layer)), layout)
        column = MEASURES.index("entropy")
        assert np.abs(exact[:, column] - stored[:, column]).max() < 0.05


def test_an_induction_head_is_found_on_a_repeated_sequence() -> None:
    tokens = ["<s>", *"abcde", *"abcde"]
    weights = np.zeros((1, 2, 11, 11), np.float32)
    weights[:, :, :6, 0] = 1
    for query in range(6, 11):
        weights[0, 0, query] = np.eye(11)[query - 4]
        weights[0, 1, query] = np.eye(11)[query - 5]
    found = measured(weights, tokens)
    assert found["induction"].tolist() == [1, 0]
    assert found["duplicate"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("tokens", "found"), [("abcdabcd", (4, 4)), ("_abcdabcd", (5, 4)), ("abab", None), ("abcdabce", None)]
)
def test_repetition(tokens: str, found: tuple[int, int] | None) -> None:
    assert find_repetition(tokens) == found


def test_relative_entropy_of_a_uniform_causal_head_is_one() -> None:
    causal = np.tril(np.ones((5, 5)))
    found = measured((causal / causal.sum(-1, keepdims=True))[None, None], list("abcde"))
    assert found["relative_entropy"] == pytest.approx(1)
    assert np.isnan(found["next"]).all()


def test_padding_and_fully_masked_rows_are_left_out() -> None:
    weights = np.full((1, 1, 4, 4), np.nan, np.float32)
    weights[0, 0, :2] = np.array([[0.5, 0.5, 0, 0], [0, 1, 0, 0]])
    found = measured(weights, ["a", "b", "c", "[PAD]"], mask=[1, 1, 1, 0])
    assert found["first"] == pytest.approx(0.25)
    assert found["self"] == pytest.approx(0.75)
    assert found["entropy"] == pytest.approx(np.log(2) / 2)


def test_with_a_cache_positions_count_from_the_end() -> None:
    weights = np.array([[[[0, 0, 1, 0]]]], np.float32)
    found = measured(weights, ["d"], keys=list("abcd"))
    assert [found[name].item() for name in ("previous", "distance", "self")] == [1, 1, 0]


def test_cross_attention_has_no_positions() -> None:
    found = measured(softmax_maps(1, 1, 2, 3), ["a", "b"], keys=["x", "y", "</s>"], kind="cross")
    assert np.isnan([found[name][0] for name in ("self", "previous", "next", "distance", "offset")]).all()
    assert found["sep"][0] > 0


def test_distance_on_a_grid_is_euclidean() -> None:
    weights = np.zeros((1, 1, 5, 5), np.float32)
    weights[0, 0, range(5), [0, 4, 1, 1, 0]] = 1  # the first token is no patch
    found = measured(weights, ["[CLS]", *"abcd"], grid=(2, 2))
    assert found["distance"] == pytest.approx((np.sqrt(2) + 1 + 1 + 0) / 4)
