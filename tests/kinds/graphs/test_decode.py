import pytest
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef

from fake_run import run_of, tensor_value
from lossboard.errors import DecodeError
from lossboard.events.tensors import encode_strings
from lossboard.kinds.graphs.decode import graph_def_nodes, graphs, nodes, run_metadata_nodes


def graph() -> GraphDef:
    made = GraphDef()
    made.node.add(name="a", op="Const", device="/cpu")
    b = made.node.add(name="b", op="Add", input=["a", "a:1", "^c"])
    b.attr["text"].s = b"hello"
    b.attr["big"].s = b"x" * 5000
    b.attr["n"].i = -3
    b.attr["T"].type = 1
    b.attr["shape"].shape.dim.add(size=-1)
    b.attr["_output_shapes"].list.shape.add().dim.add(size=2)
    b.attr["ints"].list.i.extend([1, -1])
    b.attr["value"].tensor.dtype = 9
    made.library.function.add().node_def.add(name="hidden")
    return made


def test_nodes_have_inputs_as_written() -> None:
    a, b = graph_def_nodes(graph().SerializeToString())
    assert (a.name, a.op, a.inputs, a.device) == ("a", "Const", (), "/cpu")
    assert (b.name, b.op, b.inputs) == ("b", "Add", ("a", "a:1", "^c"))


def test_small_attributes_have_values() -> None:
    attributes = {a.name: a for a in graph_def_nodes(graph().SerializeToString())[1].attributes}
    assert {name: a.value for name, a in attributes.items()} == {
        "text": "hello",
        "big": None,
        "n": -3,
        "T": "float32",
        "shape": [-1],
        "_output_shapes": [[2]],
        "ints": [1, -1],
        "value": {"dtype": "int64", "shape": []},
    }
    assert attributes["big"].size > 5000


def test_traced_functions_each_have_a_scope() -> None:
    metadata = RunMetadata()
    for _ in range(2):
        metadata.function_graphs.add().pre_optimization_graph.CopyFrom(graph())
    metadata.partition_graphs.add().node.add(name="left out")
    found = run_metadata_nodes(metadata.SerializeToString())
    assert [node.name for node in found] == ["graph_1/a", "graph_1/b", "graph_2/a", "graph_2/b"]
    assert found[3].inputs == ("graph_2/a", "graph_2/a:1", "^graph_2/c")


def test_single_traced_function_has_no_scope() -> None:
    metadata = RunMetadata()
    metadata.function_graphs.add().pre_optimization_graph.CopyFrom(graph())
    assert [node.name for node in run_metadata_nodes(metadata.SerializeToString())] == ["a", "b"]


def test_summary_value_holds_the_graph() -> None:
    value = tensor_value("keras", "graph_run_metadata", encode_strings([RunMetadata().SerializeToString()], ()))
    run = run_of((0, value))
    assert [point.nodes for point in graphs(run, "keras")] == [()]
    with pytest.raises(DecodeError):
        nodes("graph_run_metadata", tensor_value("t", "graph_run_metadata", encode_strings([b"", b""])))


def test_missing_graph_raises() -> None:
    with pytest.raises(LookupError, match="__run_graph__"):
        graphs(run_of())
