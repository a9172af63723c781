import pytest

from fake_run import tensor_value
from lossboard.errors import DecodeError
from lossboard.events.tensors import encode_array, encode_strings
from lossboard.kinds.text.decode import TextStep


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_shape_is_kept(shape: tuple[int, ...]) -> None:
    step = TextStep.parse(tensor_value("t", "text", encode_strings(["grün".encode()], shape)))
    assert (step.texts, step.shape) == (("grün",), shape)


def test_invalid_utf8_is_replaced() -> None:
    assert TextStep.parse(tensor_value("t", "text", encode_strings([b"a\xffb"]))).texts == ("a\ufffdb",)


def test_empty_vector_is_decoded() -> None:
    assert TextStep.parse(tensor_value("t", "text", encode_strings([]))).texts == ()


def test_tensor_of_numbers_raises() -> None:
    with pytest.raises(DecodeError, match="float64"):
        TextStep.parse(tensor_value("t", "text", encode_array([1.0])))
