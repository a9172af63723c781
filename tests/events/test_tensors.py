"""TensorProto compared with TensorBoard's conversion, reading and writing, and types that TensorBoard cannot read."""

import numpy as np
import pytest
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.util.tensor_util import make_ndarray, make_tensor_proto

from lossboard.errors import DecodeError
from lossboard.events.tensors import Tensor, encode_array, encode_strings

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NUMERIC = [*INTEGERS, "bool", "float16", "float32", "float64", "complex64", "complex128"]
UNKNOWN_TO_TENSORBOARD = {"uint32", "uint64"}


def parse(**fields: object) -> Tensor:
    shape = fields.pop("shape", None)
    if shape is not None:
        fields["tensor_shape"] = TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in shape])
    return Tensor.parse(TensorProto(**fields).SerializeToString())


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,), (2, 0, 3)])
def test_numbers_round_trip_with_tensorboard(dtype: str, shape: tuple[int, ...]) -> None:
    array = (np.arange(np.prod(shape)) - 2).reshape(shape).astype(dtype)
    np.testing.assert_array_equal(Tensor.parse(encode_array(array)).array(), array, strict=True)
    if array.size and dtype not in UNKNOWN_TO_TENSORBOARD:
        theirs = TensorProto.FromString(encode_array(array))
        np.testing.assert_array_equal(make_ndarray(theirs), array, strict=True)
        listed = Tensor.parse(make_tensor_proto(array).SerializeToString())
        np.testing.assert_array_equal(listed.array(), array, strict=True)


def test_strings_round_trip_with_tensorboard() -> None:
    data = encode_strings([b"a", b"\xff", b""], (3, 1))
    assert Tensor.parse(data).strings() == [b"a", b"\xff", b""]
    assert make_ndarray(TensorProto.FromString(data)).tolist() == [[b"a"], [b"\xff"], [b""]]
    assert Tensor.parse(encode_strings([b"x"], ())).shape == ()


def test_one_element_fills_the_shape() -> None:
    assert parse(dtype=1, shape=[2, 2], float_val=[0.5]).array().tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert parse(dtype=7, shape=[3], string_val=[b"x"]).strings() == [b"x"] * 3


def test_tensor_content_overrides_the_list() -> None:
    tensor = parse(dtype=1, shape=[], tensor_content=np.float32(2).tobytes(), float_val=[1.0])
    assert tensor.array() == 2


@pytest.mark.parametrize(("number", "name"), [(14, "bfloat16"), (19, "float16")])
def test_half_floats_of_tensorflow_and_torch_are_read(number: int, name: str) -> None:
    numbers = np.array([1.5, -2.0, 0.0], np.float32)
    wide = numbers.view(np.uint32)
    narrow = wide >> 16 if name == "bfloat16" else numbers.astype(np.float16).view(np.uint16)
    for bits in (narrow, wide.view(np.int32)):
        tensor = parse(dtype=number, shape=[3], half_val=bits.tolist())
        assert (tensor.dtype, tensor.array().tolist()) == (name, [1.5, -2.0, 0.0])


def test_cast_never_warns_and_rejects_complex_numbers() -> None:
    assert Tensor.parse(encode_array(np.array([1.5, np.nan, 1e30]))).cast(np.int32)[0] == 1
    with pytest.raises(DecodeError, match="complex64"):
        Tensor.parse(encode_array(np.array([1j], np.complex64))).cast(np.float64)


def test_uint8_of_torch_is_read() -> None:
    assert parse(dtype=4, shape=[2], uint32_val=[7, 255]).array().tolist() == [7, 255]


@pytest.mark.parametrize(
    ("number", "name"), [(0, "invalid"), (20, "resource"), (101, "float32_ref"), (24, "float8_e5m2")]
)
def test_types_that_cannot_be_decoded_have_a_name(number: int, name: str) -> None:
    tensor = parse(dtype=number, shape=[2])
    assert (tensor.dtype, tensor.shape) == (name, (2,))
    with pytest.raises(DecodeError, match=name):
        tensor.array()


@pytest.mark.parametrize(
    "fields",
    [
        {"dtype": 1, "shape": [3], "float_val": [1.0, 2.0]},
        {"dtype": 1, "shape": [2**40], "float_val": [1.0]},
        {"dtype": 1, "shape": [-1], "float_val": [1.0]},
        {"dtype": 1, "shape": [-1, -1], "float_val": [1.0]},
        {"dtype": 1, "shape": [-2, -1], "float_val": [1.0, 2.0]},
        {"dtype": 1, "shape": [1], "tensor_content": b"abc"},
        {"dtype": 8, "shape": [1], "scomplex_val": [1.0]},
    ],
    ids=["too few", "bomb", "negative", "negative, one", "negative, two", "odd bytes", "half a complex"],
)
def test_inconsistent_tensor_raises(fields: dict[str, object]) -> None:
    with pytest.raises(DecodeError):
        parse(**fields).array()


def test_string_that_claims_a_huge_shape_raises() -> None:
    with pytest.raises(DecodeError):
        parse(dtype=7, shape=[2**40], string_val=[b"x"]).strings()
