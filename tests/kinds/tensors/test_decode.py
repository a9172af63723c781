from logged import run_of, tensor_value
from lossboard.events.summary import TENSOR, encode_value
from lossboard.events.tensors import encode_array, encode_strings
from lossboard.kinds.tensors.decode import tensors


def test_the_tensor_of_a_plugin_that_nobody_knows() -> None:
    run = run_of(
        (1, tensor_value("t", "mine", encode_array([[1, 2]]))), (2, encode_value("t", TENSOR, encode_array([3])))
    )
    first, second = tensors(run, "t")
    assert (first.dtype, first.shape, first.array().tolist()) == ("int64", (1, 2), [[1, 2]])
    assert second.array().tolist() == [3]


def test_a_tensor_without_any_metadata() -> None:
    run = run_of((1, encode_value("t", TENSOR, encode_strings([b"x"]))))
    assert [point.dtype for point in tensors(run, "t")] == ["string"]
