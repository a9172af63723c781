"""Models of Keras 3 and 2, compared with TensorBoard's conversion if it can read them."""

import json
from typing import Any

import pytest
from tensorboard.plugins.graph.keras_util import keras_model_to_graph_def

from lossboard.errors import DecodeError
from lossboard.kinds.graphs.keras import keras_nodes

Layer = dict[str, Any]


def layer(cls: str, name: str, *inbound: Any) -> Layer:
    """A layer called once for each of `inbound`: a source, or a list of them."""
    return {"class_name": cls, "config": {"name": name}, "inbound_nodes": [{"args": [tensors(x)]} for x in inbound]}


def tensors(source: Any) -> Any:
    if isinstance(source, list):
        return [tensors(one) for one in source]
    name, _, index = source.partition("#")
    return {"class_name": "__keras_tensor__", "config": {"keras_history": [name, 0, int(index or 0)]}}


def functional(name: str, layers: list[Layer], ins: Any, outs: Any, *inbound: Any) -> Layer:
    model = layer("Functional", name, *inbound)
    model["config"] |= {"layers": layers, "input_layers": ins, "output_layers": outs}
    return model


def sequential(name: str, classes: list[Any], *inbound: Any) -> Layer:
    layers = [c if isinstance(c, dict) else {"class_name": c, "config": {"name": c.lower()}} for c in classes]
    return {**layer("Sequential", name, *inbound), "config": {"name": name, "layers": layers}}


def converted(model: Layer) -> dict[str, list[str]]:
    return {node.name: list(node.inputs) for node in keras_nodes(json.dumps(model).encode())}


BRANCHES = functional(
    "m",
    [layer("InputLayer", "a"), layer("Dense", "b", "a"), layer("Dense", "c", "a"), layer("Add", "d", ["b", "c"])],
    ["a", 0, 0],
    ["d", 0, 0],
)
ENCODER = functional("enc", [layer("InputLayer", "x"), layer("Dense", "y", "x")], ["x", 0, 0], ["y", 0, 0], "in")
NESTED = functional(
    "m", [layer("InputLayer", "in"), ENCODER, layer("Dense", "out", "enc")], ["in", 0, 0], ["out", 0, 0]
)
NESTED_SEQUENTIAL = functional(
    "m",
    [layer("InputLayer", "in"), sequential("seq", ["InputLayer", "Dense"], "in"), layer("Dense", "out", "seq")],
    ["in", 0, 0],
    ["out", 0, 0],
)
SHARED = functional(
    "m",
    [layer("InputLayer", "a"), layer("InputLayer", "b"), layer("Dense", "s", "a", "b"), layer("Add", "t", ["s", "s"])],
    [["a", 0, 0], ["b", 0, 0]],
    ["t", 0, 0],
)


@pytest.mark.parametrize(
    "model",
    [
        sequential("s", ["InputLayer", "Dense", "Flatten"]),
        sequential("s", ["InputLayer", sequential("t", ["Dense", "Flatten"]), "Softmax"]),
        BRANCHES,
        NESTED,
        NESTED_SEQUENTIAL,
        SHARED,
        {"class_name": "Mine", "config": {"name": "mine"}},
    ],
    ids=[
        "sequential",
        "sequential in sequential",
        "branches",
        "nested",
        "sequential in functional",
        "shared",
        "opaque",
    ],
)
def test_models_equal_tensorboards_conversion(model: Layer) -> None:
    theirs = {node.name: list(node.input) for node in keras_model_to_graph_def(model).node}
    assert converted(model) == theirs


def test_op_is_the_class() -> None:
    assert [node.op for node in keras_nodes(json.dumps(BRANCHES).encode())] == ["InputLayer", "Dense", "Dense", "Add"]


def test_nested_models_are_connected() -> None:
    decoder = functional("dec", [layer("InputLayer", "z"), layer("Dense", "w", "z")], ["z", 0, 0], ["w", 0, 0], "enc")
    model = functional("m", [layer("InputLayer", "in"), ENCODER, decoder], ["in", 0, 0], ["dec", 0, 0])
    assert converted(model)["m/dec/z"] == ["m/enc/y"]


def test_nested_model_may_have_several_inputs_and_outputs() -> None:
    inner = functional(
        "n",
        [layer("InputLayer", "p"), layer("InputLayer", "q"), layer("Dense", "u", "p"), layer("Dense", "v", "q")],
        [["p", 0, 0], ["q", 0, 0]],
        [["u", 0, 0], ["v", 0, 0]],
        ["a", "b"],
    )
    model = functional(
        "m",
        [layer("InputLayer", "a"), layer("InputLayer", "b"), inner, layer("Dense", "last", "n#1")],
        [["a", 0, 0], ["b", 0, 0]],
        ["last", 0, 0],
    )
    edges = converted(model)
    assert (edges["m/n/p"], edges["m/n/q"], edges["m/last"]) == (["m/a"], ["m/b"], ["m/n/v"])


def test_keras_2_models_are_read() -> None:
    dense = {"class_name": "Dense", "config": {"name": "d"}, "inbound_nodes": [[["a", 0, 0, {}]]]}
    model = functional("m", [layer("InputLayer", "a"), dense], [["a", 0, 0]], [["d", 0, 0]])
    assert converted(model) == {"m/a": [], "m/d": ["m/a"]}


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"3", b'{"config": {}}', b'{"config": {"name": "x", "layers": [1]}}', b"\xff"]
)
def test_invalid_model_raises(text: bytes) -> None:
    with pytest.raises(DecodeError):
        keras_nodes(text)
