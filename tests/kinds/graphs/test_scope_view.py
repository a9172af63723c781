"""The content of scopes: repeated blocks, merged scopes, bundles, ports, and what is open at first."""

import pytest

from graph_data import bert, graph_of, op
from lossboard.kinds.graphs.documents import GraphScope
from lossboard.kinds.graphs.encode import GraphNode
from lossboard.kinds.graphs.model import Graph
from lossboard.kinds.graphs.scope_view import describe_scope, first_opened


def content(graph: Graph, path: str = "", *, is_split: bool = False) -> GraphScope:
    return describe_scope(graph, graph.scopes[path], is_split=is_split)


def labels(scope: GraphScope) -> list[tuple[str, int]]:
    return [(item["label"], len(item.get("members", [1]))) for item in scope["items"]]


def edges(scope: GraphScope) -> list[tuple[str, str, int]]:
    items = scope["items"]
    return [(items[edge["source"]]["label"], items[edge["target"]]["label"], edge["count"]) for edge in scope["edges"]]


@pytest.mark.parametrize("writer", ["lossboard", "torch"])
def test_twelve_layers_of_bert_are_one_box(writer: str) -> None:
    graph = Graph(bert(writer), "compute")
    assert first_opened(graph) == ["bert", "bert/encoder/layer.0"]
    parts = content(graph, "bert")
    assert labels(parts) == [("embeddings", 1), ("index", 1), ("and", 1), ("encoder.layer", 12), ("pooler", 1)]
    assert ("embeddings", "encoder.layer", 4) in edges(parts)
    assert ("encoder.layer", "pooler", 1) in edges(parts)
    layer = content(graph, "bert/encoder/layer.0")
    assert [label for label, _ in labels(layer)] == ["attention", "intermediate", "output"]
    assert [port["label"] for port in layer["inputs"]] == ["layer_norm", "and"]


def test_equal_blocks_can_be_shown_one_by_one() -> None:
    graph = Graph(bert(), "compute")
    assert len(content(graph, "bert/encoder", is_split=True)["items"]) == 12
    assert ("encoder", 1) in labels(content(graph, "bert", is_split=True))


def block(i: int, *, width: int = 4, kind: str = "Relu") -> list[GraphNode]:
    before = f"block_{i - 1}/y" if i else "x"
    shape = (2, width)
    return [op(f"block_{i}/a", "MatMul", before, shape=shape), op(f"block_{i}/y", kind, f"block_{i}/a", shape=shape)]


def test_a_block_that_differs_is_not_hidden_among_the_others() -> None:
    nodes = [op("x", "Placeholder"), *block(0), *block(1), *block(2, kind="Tanh"), *block(3), *block(4)]
    assert labels(content(graph_of(*nodes))) == [("x", 1), ("block", 2), ("block_2", 1), ("block", 2)]


def test_blocks_of_another_width_are_not_equal() -> None:
    assert labels(content(graph_of(*block(0), *block(1, width=8)))) == [("block_0", 1), ("block_1", 1)]


def test_unlike_scopes_with_numbers_are_not_joined() -> None:
    nodes = [op("relu_1", "Relu", "x"), op("relu_2", "Tanh", "relu_1"), op("x", "Placeholder")]
    assert [label for label, _ in labels(content(graph_of(*nodes)))] == ["relu_1", "relu_2", "x"]


def test_a_scope_with_one_child_is_merged_with_it() -> None:
    graph = graph_of(op("x", "Placeholder"), op("net/body/dense/y", "MatMul", "x"), op("z", "Relu", "net/body/dense/y"))
    item = content(graph)["items"][1]
    assert (item["label"], item["kind"], item["outer"], item["path"]) == (
        "net/body/dense",
        "op",
        "net",
        "net/body/dense/y",
    )


def test_edges_between_scopes_are_bundled_with_their_largest_shape() -> None:
    graph = graph_of(
        op("a/x", "Relu", shape=(2, 2)),
        op("a/y", "Relu", "a/x", shape=(3, 3)),
        op("b/p", "Relu", "a/x"),
        op("b/q", "AddV2", "a/y", "b/p"),
    )
    (edge,) = content(graph)["edges"]
    assert (edge["count"], edge["shape"], edge["shapes"]) == (2, [3, 3], 2)
    inside = content(graph, "b")
    assert [(port["label"], port["items"]) for port in inside["inputs"]] == [("x", [0]), ("y", [1])]


def test_a_cycle_between_scopes_is_described() -> None:
    graph = graph_of(op("a/x", "Relu", "b/y"), op("b/y", "Relu", "a/x"), op("a/z", "Tanh"), op("b/z", "Tanh"))
    assert edges(content(graph)) == [("a", "b", 1), ("b", "a", 1)]


def test_a_very_wide_scope_is_divided() -> None:
    graph = graph_of(*[op(f"n{i}", ("Relu", "Tanh")[i % 2]) for i in range(1200)])
    assert [label for label, _ in labels(content(graph))] == [
        "nodes 1–200",
        "nodes 201–400",
        "nodes 401–600",
        "nodes 601–800",
        "nodes 801–1,000",
        "nodes 1,001–1,200",
    ]


def test_an_empty_graph_has_no_boxes() -> None:
    graph = graph_of()
    assert content(graph)["items"] == []
    assert first_opened(graph) == []
