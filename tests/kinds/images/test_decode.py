import io

import numpy as np
import PIL.Image
import pytest
from tensorboard.compat.proto.summary_pb2 import Summary

from fake_run import tensor_value
from lossboard.errors import DecodeError
from lossboard.events.tensors import encode_array, encode_strings
from lossboard.kinds.images.decode import Image, ImageStep, samples

PNG = b"\x89PNG\r\n\x1a\n..."


def test_old_style_image_is_decoded() -> None:
    image = Summary.Image(height=2, width=3, encoded_image_string=PNG)
    data = Summary.Value(tag="t", image=image).SerializeToString()
    assert samples(data) == (Image(PNG, 3, 2),)
    assert samples(data)[0].mime == "image/png"


def test_batch_is_a_string_tensor_with_size_first() -> None:
    data = tensor_value("t", "images", encode_strings([b"3", b"2", PNG, b"other"]))
    assert ImageStep.parse(data, 7, 1.5).samples == (Image(PNG, 3, 2), Image(b"other", 3, 2))


def test_empty_batch_is_decoded() -> None:
    assert samples(tensor_value("t", "images", encode_strings([b"3", b"2"]))) == ()


@pytest.mark.parametrize(
    "tensor",
    [encode_strings([]), encode_strings([b"3"]), encode_strings([b"x", b"y", PNG]), encode_array([1.0, 2.0])],
    ids=["empty", "no height", "no numbers", "not strings"],
)
def test_tensor_without_size_raises(tensor: bytes) -> None:
    with pytest.raises(DecodeError):
        samples(tensor_value("t", "images", tensor))


def test_value_of_another_kind_raises() -> None:
    with pytest.raises(DecodeError):
        samples(Summary.Value(tag="t", simple_value=1.0).SerializeToString())


@pytest.mark.parametrize(
    "pixels",
    [
        np.arange(12, dtype=np.uint8).reshape(2, 2, 3),
        np.arange(16, dtype=np.uint8).reshape(2, 2, 4),
        np.arange(4, dtype=np.uint8).reshape(2, 2, 1),
        np.array([[[0], [65535]]], np.uint16),
    ],
    ids=["rgb", "rgba", "gray", "16 bits"],
)
def test_array_has_the_logged_pixels(pixels: np.ndarray) -> None:
    out = io.BytesIO()
    PIL.Image.fromarray(pixels.squeeze(-1) if pixels.shape[-1] == 1 else pixels).save(out, "PNG")
    decoded = Image(out.getvalue(), 2, 2).array()
    assert (decoded.dtype, decoded.tolist()) == (pixels.dtype, pixels.tolist())


def test_array_of_an_invalid_image_raises() -> None:
    with pytest.raises(DecodeError, match="not a valid PNG"):
        Image(b"nothing", 2, 2).array()
