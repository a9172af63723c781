import pytest
from google.protobuf import text_format
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

from lossboard.errors import DecodeError
from lossboard.kinds.embeddings.pbtxt import parse

NAME = "a\"b'\\\n\t é 漢 \x01"


@pytest.mark.parametrize("as_utf8", [True, False])
def test_output_of_protobuf_is_parsed(as_utf8: bool) -> None:
    config = ProjectorConfig(model_checkpoint_path="m")
    embedding = config.embeddings.add(tensor_name=NAME, tensor_shape=[2, 3])
    embedding.sprite.image_path = "s.png"
    embedding.sprite.single_image_dim.extend([4, 5])
    printed = text_format.MessageToString(config, as_utf8=as_utf8)
    assert parse(printed) == {
        "model_checkpoint_path": ["m"],
        "embeddings": [
            {
                "tensor_name": [NAME],
                "tensor_shape": ["2", "3"],
                "sprite": [{"image_path": ["s.png"], "single_image_dim": ["4", "5"]}],
            }
        ],
    }


@pytest.mark.parametrize(
    "text",
    [
        "a { b: 1 }",
        "a: { b: 1 }",
        "a < b: 1 >",
        "a{b:1}",
        "# comment\na {\n  b: 1, # another\n}",
        "a { b: 1; }",
        "a { b: [1] }",
    ],
)
def test_all_notations_give_the_same_result(text: str) -> None:
    assert parse(text) == {"a": [{"b": ["1"]}]}


def test_adjacent_strings_are_joined() -> None:
    assert parse("a: \"x\" 'y'\nb: []") == {"a": ["xy"], "b": []}


@pytest.mark.parametrize(
    "text", ["a {", "a }", "a:", "a: [1", "1: 2", 'a: "x', "a < b: 1 }", "a: \x00", "a {" * 100, ":"]
)
def test_invalid_text_format_raises(text: str) -> None:
    with pytest.raises(DecodeError):
        parse(text)
