"""Folding: what is drawn, what is hidden, and where hidden nodes lead to."""

import pytest

from graph_data import bert, graph_of, op
from lossboard.kinds.graphs.model import MAX_NODES, Graph


def drawn(graph: Graph) -> dict[str, list[str]]:
    sources: dict[str, list[str]] = {one.path: [] for one in graph.ops}
    for source, target in zip(graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True):
        sources[graph.ops[target].path].append(graph.ops[source].path)
    return sources


def test_bookkeeping_is_hidden_and_its_sources_stay_connected() -> None:
    graph = graph_of(
        op("x", "Placeholder", shape=(2, 3)), op("c", "Const"), op("i", "Identity", "x"), op("y", "AddV2", "i", "c")
    )
    assert drawn(graph) == {"x": [], "y": ["x"]}
    assert graph.shapes[graph.edges.shape[0]] == (2, 3)
    assert graph.root.hidden == 2


def test_more_detail_shows_reshapes_and_then_everything() -> None:
    nodes = [op("x", "Placeholder"), op("r", "Reshape", "x"), op("c", "Const"), op("y", "AddV2", "r", "c")]
    assert list(drawn(graph_of(*nodes))) == ["x", "y"]
    assert drawn(graph_of(*nodes, detail="reshape")) == {"x": [], "r": ["x"], "y": ["r"]}
    assert list(drawn(graph_of(*nodes, detail="all"))) == ["x", "r", "c", "y"]


def test_arithmetic_on_sizes_is_hidden() -> None:
    graph = graph_of(
        op("input/x", "IO Node"),
        op("Net/s", "aten::size", "input/x"),
        op("Net/a", "aten::arange", "Net/s"),
        op("Net/b", "aten::add", "Net/a", "Net/a"),
        op("Net/y", "aten::mul", "input/x", "Net/b"),
    )
    assert drawn(graph) == {"x": [], "y": ["x"]}


def test_parameters_are_lines_of_the_operations_that_use_them() -> None:
    graph = graph_of(
        op("x", "Placeholder"),
        op("dense/w", "VariableV2", shape=(3, 4)),
        op("dense/w/read", "Identity", "dense/w"),
        op("dense/y", "MatMul", "x", "dense/w/read"),
    )
    (dense,) = [one for one in graph.ops if one.op == "MatMul"]
    assert [(one.path, one.shape, one.count) for one in dense.parameters] == [("dense/w", (3, 4), 12)]


def test_a_shared_parameter_counts_once() -> None:
    graph = graph_of(
        op("w", "VariableV2", shape=(5,)), op("a", "Relu", "w"), op("b", "Relu", "w"), op("c", "AddV2", "a", "b")
    )
    assert graph.total_of("parameters", 0, len(graph.ops)) == 5


def test_control_inputs_and_ports_name_nodes() -> None:
    graph = graph_of(op("a", "Split1"), op("b", "Relu", "a:1", "^a"), op("c", "Relu", "gone:0"))
    assert drawn(graph) == {"a": [], "b": ["a"], "c": []}
    assert graph.folding.missing == 1


def test_a_cycle_of_hidden_nodes_ends() -> None:
    graph = graph_of(
        op("a", "Identity", "b"), op("b", "Identity", "a"), op("x", "Placeholder"), op("y", "AddV2", "a", "x")
    )
    assert drawn(graph) == {"x": [], "y": ["x"]}


def test_names_that_repeat_or_are_scopes_too_have_paths_of_their_own() -> None:
    graph = graph_of(op("a", "Relu"), op("a", "Relu"), op("a/b", "Relu", "a"))
    assert sorted(one.path for one in graph.ops) == ["a/(a)", "a/b", "a~2"]


def test_hostile_names_are_shortened() -> None:
    graph = graph_of(op("/".join("d" * 5000), "Relu"), op("n" * 10_000_000, "Relu"), op("", "Relu"))
    assert all(len(one.path) < 10_000 for one in graph.ops)
    assert len(graph.scopes) < 100


def test_a_large_graph_is_cut() -> None:
    nodes = [op(f"n{i}", "Relu", f"n{i - 1}") for i in range(MAX_NODES + 10)]
    graph = graph_of(*nodes)
    assert (graph.total, len(graph.ops)) == (MAX_NODES + 10, MAX_NODES)
    assert len(graph.root.children) <= 500


@pytest.mark.parametrize("writer", ["lossboard", "torch"])
def test_bert_has_the_paths_of_its_state_dict(writer: str) -> None:
    graph = Graph(bert(writer), "compute")
    query = next(one for one in graph.ops if one.scope.path == "bert/encoder/layer.3/attention/self/query")
    assert [one.path for one in query.parameters] == [f"{query.scope.path}/weight", f"{query.scope.path}/bias"]
    assert graph.root.label == "BertForSequenceClassification"
    assert len(graph.ops) < 200


def test_bert_has_the_parameters_that_transformers_counts() -> None:
    graph = Graph(bert(), "compute")
    assert graph.total_of("parameters", 0, len(graph.ops)) == 109_483_778
