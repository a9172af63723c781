"""Contract with torch: fails with the name of what a new release has changed."""

import warnings

import pytest
import torch
from torch import nn

from lossboard.kinds.graphs.torch_internals import GET_ATTRIBUTE, TracedGraph, class_name, inlined_graph

CHANGED = f"torch {torch.__version__} differs; adapt lossboard/kinds/graphs/torch_internals.py"


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 2), nn.ReLU())

    def forward(self, x: torch.Tensor, unused: torch.Tensor) -> torch.Tensor:
        return self.layers(x) + 1


@pytest.fixture(scope="module")
def traced() -> torch.jit.ScriptModule:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # TensorBoard's graphs need torch.jit.trace
        return torch.jit.trace(Net().eval(), (torch.ones(4, 3), torch.ones(1)), check_trace=False)


@pytest.fixture(scope="module")
def graph(traced: torch.jit.ScriptModule) -> TracedGraph:
    return inlined_graph(traced)


def test_inputs_and_outputs_have_shapes(graph: TracedGraph) -> None:
    module, x, unused = graph.inputs
    assert (module.is_module, x.is_module) == (True, False), f"ClassType: {CHANGED}"
    assert (x.shape, unused.shape, graph.outputs[0].shape) == ((4, 3), (1,), (4, 2)), f"sizes: {CHANGED}"
    assert (x.is_used, unused.is_used) == (True, False), f"uses: {CHANGED}"


def test_nodes_of_submodules_are_inlined_with_their_scope(graph: TracedGraph) -> None:
    scopes = {node.operation: node.scope for node in graph.nodes if node.operation.startswith("aten::")}
    assert scopes == {
        "aten::linear": "__module.layers/__module.layers.0",
        "aten::relu": "__module.layers/__module.layers.1",
        "aten::add": "",
    }, f"_jit_pass_inline, scopeName: {CHANGED}"


def test_parameters_are_attributes_with_names(graph: TracedGraph) -> None:
    names = {node.attributes["name"] for node in graph.nodes if node.operation == GET_ATTRIBUTE}
    assert {"layers", "0", "weight", "bias"} <= names, f"attributeNames, kindOf: {CHANGED}"
    values = {value.name for node in graph.nodes for value in node.outputs} | {value.name for value in graph.inputs}
    assert all(value.name in values for node in graph.nodes for value in node.inputs), f"debugName: {CHANGED}"


def test_class_names_are_those_of_the_traced_modules(traced: torch.jit.ScriptModule) -> None:
    assert [class_name(module) for _, module in traced.named_modules()] == ["Net", "Sequential", "Linear", "ReLU"], (
        f"original_name: {CHANGED}"
    )
