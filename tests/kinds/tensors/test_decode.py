import pytest

from fake_run import run_of, tensor_value
from lossboard.errors import DecodeError
from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_array, encode_strings
from lossboard.kinds.tensors.decode import tensors


def test_tensor_of_an_unknown_plugin_is_decoded() -> None:
    run = run_of(
        (1, tensor_value("t", "mine", encode_array([[1, 2]]))), (2, encode_value("t", TENSOR, encode_array([3])))
    )
    first, second = tensors(run, "t")
    assert (first.dtype, first.shape, first.array().tolist()) == ("int64", (1, 2), [[1, 2]])
    assert second.array().tolist() == [3]


def test_value_with_only_metadata_is_listed_and_not_decoded() -> None:
    run = run_of((1, encode_value("t", None, metadata=encode_metadata("mine", b"content"))))
    series = tensors(run, "t")
    with pytest.raises(DecodeError, match="has no tensor"):
        series[0]
    assert (len(series), list(series), series.skipped) == (1, [], 1)


def test_tensor_without_metadata_is_decoded() -> None:
    run = run_of((1, encode_value("t", TENSOR, encode_strings([b"x"]))))
    assert [point.dtype for point in tensors(run, "t")] == ["string"]


def test_plugin_named_after_the_first_points_joins_both_series() -> None:
    bare, named = encode_value("t", TENSOR, encode_array([1])), tensor_value("t", "mine", encode_array([2, 3]))
    run = run_of((1, bare), (2, bare), (5, bare), (3, named), (4, named))
    assert [(p.step, p.shape) for p in tensors(run, "t")] == [(1, (1,)), (2, (1,)), (3, (2,)), (4, (2,))]
    assert [(p.step, p.hidden) for p in tensors(run, "t", attempts=True)] == [
        (1, False),
        (2, False),
        (5, True),
        (3, False),
        (4, False),
    ]
