"""`lossboard graph`: models are shown without their weights."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lossboard.errors import LossboardError
from lossboard.kinds.graphs.decode import graph_def_nodes, graphs
from lossboard.kinds.graphs.details import describe_node
from lossboard.kinds.graphs.model import Graph
from lossboard.kinds.graphs.model_file import encoded_graph, write_graph
from lossboard.kinds.graphs.scope_view import describe_scope
from lossboard.store.logdir import Logdir

SCOPES = "pkg.torch.onnx.name_scopes"
STACK = "pkg.torch.onnx.stack_trace"


def write_onnx(path: Path, layers: int = 3) -> None:
    nodes, weights, before = [], [], "x"
    for i in range(layers):
        name = f"encoder.layer.{i}.weight"
        weights.append(numpy_helper.from_array(np.ones((8, 8), np.float32), name))
        for kind, inputs, output in (("MatMul", [before, name], f"h{i}"), ("Relu", [f"h{i}"], f"y{i}")):
            node = helper.make_node(kind, inputs, [output], name=f"{kind}_{i}")
            node.metadata_props.add(key=SCOPES, value=str(["", "encoder", f"encoder.layer.{i}", output]))
            node.metadata_props.add(key=STACK, value='File "/home/somebody/model.py", line 3')
            nodes.append(node)
        before = f"y{i}"
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 8]) for name in ("x", before))
    inner = [helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, [2, 8]) for node in nodes[:-1]]
    onnx.save(helper.make_model(helper.make_graph(nodes, "net", [x], [y], weights, value_info=inner)), str(path))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write_onnx(tmp_path / "net.onnx")
    return tmp_path / "net.onnx"


def test_an_onnx_file_has_scopes_parameters_and_equal_blocks(model: Path) -> None:
    graph = Graph(graph_def_nodes(encoded_graph(model)), "compute")
    assert [
        (item["label"], len(item.get("members", [])))
        for item in describe_scope(graph, graph.root, is_split=False)["items"]
    ] == [
        ("x", 0),
        ("encoder/layer", 3),
        ("output y2", 0),
    ]
    assert graph.total_of("parameters", 0, len(graph.ops)) == 3 * 64
    assert describe_node(graph, "encoder/layer.1")["type"] == "scope"


def test_nothing_of_the_author_s_machine_is_kept(model: Path) -> None:
    assert b"/home/somebody" in model.read_bytes()
    assert b"somebody" not in encoded_graph(model)


def test_the_graph_is_a_run_of_a_logdir(model: Path, tmp_path: Path) -> None:
    write_graph(tmp_path / "logs" / "net.onnx", encoded_graph(model))
    logdir = Logdir.parse(str(tmp_path / "logs"))
    logdir.poll()
    (run,) = logdir.runs.values()
    assert len(graphs(run)[0].nodes) == 3 + 1 + 6 + 1


def test_weights_that_are_not_there_are_not_missed(model: Path) -> None:
    """The data of a tensor may be in another file, or cut off at the end of this one."""
    loaded = onnx.load(str(model))
    for tensor in loaded.graph.initializer:
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="gone.data")
    model.write_bytes(loaded.SerializeToString())
    graph = Graph(graph_def_nodes(encoded_graph(model)), "compute")
    assert graph.total_of("parameters", 0, len(graph.ops)) == 3 * 64


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x3a\xff\xff\xff\xff\x0f"])
def test_a_file_that_is_no_model_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.onnx"
    path.write_bytes(content)
    with pytest.raises(LossboardError, match=r"bad\.onnx"):
        encoded_graph(path)


def test_a_folder_without_a_config_is_named(tmp_path: Path) -> None:
    with pytest.raises(LossboardError, match=r"no config\.json"):
        encoded_graph(tmp_path)
    with pytest.raises(LossboardError, match="does not exist"):
        encoded_graph(tmp_path / "gone")


def test_a_checkpoint_is_traced_from_its_config_alone(tmp_path: Path) -> None:
    config = '{"model_type": "bert", "architectures": ["BertForSequenceClassification"], "num_hidden_layers": 2}'
    (tmp_path / "config.json").write_text(config)
    (tmp_path / "model.safetensors").write_bytes(b"never read")
    graph = Graph(graph_def_nodes(encoded_graph(tmp_path)), "compute")
    assert graph.root.label == "BertForSequenceClassification"
    assert "bert/encoder/layer.1" in graph.scopes


def test_a_config_of_no_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(LossboardError, match="Could not trace the model"):
        encoded_graph(tmp_path)
