"""Search in a graph, and the details of its boxes."""

import pytest

from graph_data import bert, graph_of, op
from lossboard.kinds.graphs.details import describe_node, search
from lossboard.kinds.graphs.encode import GraphNode, text_attribute
from lossboard.kinds.graphs.model import Graph


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph(bert(), "compute")


@pytest.mark.parametrize(
    ("words", "total"),
    [
        ("layer.3 attention query", 1),
        ("bertlayer", 12),
        ("query$|key$", 0),
        ("nothing-like-this", 0),
        ("(", 0),
        ("", 0),
    ],
)
def test_search_finds_what_matches_all_words(graph: Graph, words: str, total: int) -> None:
    assert search(graph, words)["total"] >= total
    assert (search(graph, words)["total"] == 0) == (words in ("query$|key$", "nothing-like-this", "(", ""))


def test_a_module_has_the_details_of_its_only_operation(graph: Graph) -> None:
    node = describe_node(graph, "bert/encoder/layer.0/intermediate/dense")
    assert (node["type"], node.get("op"), node["shape"]) == ("Linear", "aten::linear", [2, 128, 3072])
    assert [(one["name"], one["shape"], one["count"]) for one in node["parameters"]] == [
        ("weight", [3072, 768], 2_359_296),
        ("bias", [3072], 3072),
    ]
    assert [one["label"] for one in node["inputs"]] == ["bert/encoder/layer.0/attention/output/LayerNorm"]
    assert [one["label"] for one in node["outputs"]] == ["bert/encoder/layer.0/intermediate/intermediate_act_fn"]
    assert node["flops"] == 2 * 2 * 128 * 768 * 3072


def test_a_scope_has_the_details_of_what_is_in_it(graph: Graph) -> None:
    node = describe_node(graph, "bert/encoder/layer.0")
    assert (node["type"], node["parameter_count"]) == ("BertLayer", 7_087_872)
    assert {one["name"] for one in node["parameters"]} >= {"attention/self/query/weight", "output/LayerNorm/bias"}


def test_paths_of_the_machine_that_made_the_graph_are_not_shown() -> None:
    attributes = {"pkg.torch.onnx.stack_trace": text_attribute("/home/me/model.py"), "alpha": text_attribute("0.5")}
    graph = graph_of(GraphNode("a", "Relu", attributes=attributes), op("b", "Relu"))
    assert [(one["name"], one["value"]) for one in describe_node(graph, "a")["attributes"]] == [("alpha", "0.5")]


def test_an_unknown_path_is_named(graph: Graph) -> None:
    with pytest.raises(LookupError, match="no node 'gone'"):
        describe_node(graph, "gone")
