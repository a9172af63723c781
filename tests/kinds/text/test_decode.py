import pytest

from fake_run import tensor_value
from lossboard.errors import DecodeError
from lossboard.events.tensors import encode_array, encode_strings
from lossboard.kinds.text.decode import TextStep


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_the_rank_is_kept(shape: tuple[int, ...]) -> None:
    step = TextStep.parse(tensor_value("t", "text", encode_strings(["grün".encode()], shape)))
    assert (step.texts, step.shape) == (("grün",), shape)


def test_bytes_that_are_no_utf8_are_shown_as_such() -> None:
    assert TextStep.parse(tensor_value("t", "text", encode_strings([b"a\xffb"]))).texts == ("a\ufffdb",)


def test_an_empty_vector() -> None:
    assert TextStep.parse(tensor_value("t", "text", encode_strings([]))).texts == ()


def test_numbers_are_no_text() -> None:
    with pytest.raises(DecodeError, match="float64"):
        TextStep.parse(tensor_value("t", "text", encode_array([1.0])))
