"""Graphs of real models, model watching and system metrics."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from lossboard import SummaryWriter
from lossboard.kinds.graphs.decode import graphs
from lossboard.kinds.histograms.decode import histograms
from lossboard.store.logdir import Logdir
from lossboard.store.run import Run
from writer.read_events import scalars


def read(folder: Path) -> Run:
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    return logdir.runs["."]


def small_bert() -> torch.nn.Module:
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)
    return BertModel(config)


@pytest.mark.parametrize("as_dict", [False, True])
def test_graph_of_a_bert_that_torch_cannot_trace(tmp_path: Path, as_dict: bool) -> None:
    model = small_bert().train()
    model.pooler.eval()
    ids = torch.randint(0, 50, (2, 7))
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(model, inputs if as_dict else tuple(inputs.values()))
    (graph,) = graphs(read(tmp_path))
    names = {node.name for node in graph.nodes}
    layer = "BertModel/BertEncoder[encoder]/BertLayer[1]/BertAttention[attention]/BertSelfAttention[self]"
    assert any(name.startswith(f"{layer}/Linear[query]/") for name in names)
    known = names | {name for node in graph.nodes for name in node.inputs if node.op == "prim::GetAttr"}
    assert {name for node in graph.nodes for name in node.inputs} <= known
    weight = next(n for n in graph.nodes if n.name.startswith("BertModel/BertPooler[pooler]/Linear[dense]/weight/"))
    assert [a.value for a in weight.attributes if a.name == "_output_shapes"] == [[[16, 16]]]
    assert model.encoder.training and not model.pooler.training, "the mode of every module is as before"


def test_untraceable_model_does_not_stop_training(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            raise ValueError("no such layer\nand more")

    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(Broken(), torch.zeros(1))
        writer.add_scalar("x", 1.0, 1)
    assert [record.getMessage() for record in caplog.records] == [
        "Could not log the graph of Broken: ValueError: no such layer"
    ]
    assert scalars(tmp_path) == {"x": [(1, 1.0)]}


def train(model: torch.nn.Module, passes: int) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(passes):
        optimizer.zero_grad()
        model(torch.ones(4, 3)).sum().backward()
        optimizer.step()


def test_watch_logs_every_n_passes(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
    model[2].bias.requires_grad_(False)
    with SummaryWriter(tmp_path) as writer:
        watch = writer.watch(model, every=3)
        train(model, 7)
        watch.remove()
        train(model, 7)
    found = scalars(tmp_path)
    names = [
        f"{what}_norm/{name}" for what in ("gradients", "parameters") for name in ("0.weight", "0.bias", "2.weight")
    ]
    assert sorted(found) == sorted(names)
    assert all([step for step, _ in points] == [0, 3, 6] for points in found.values())
    steps = histograms(read(tmp_path), "gradients/0.weight").steps
    assert steps.tolist() == [0, 3, 6]


def test_watch_logs_gradients_at_the_given_step(tmp_path: Path) -> None:
    model = torch.nn.Linear(3, 1)
    with SummaryWriter(tmp_path) as writer:
        writer.watch(model, every=1, histograms=False, step=lambda: 41)
        model(torch.full((1, 3), 2.0)).sum().backward()
    found = scalars(tmp_path)
    assert found["gradients_norm/weight"] == [(41, pytest.approx(np.sqrt(12)))]
    assert found["parameters_norm/weight"] == [(41, pytest.approx(model.weight.norm().item()))]


def test_system_metrics_are_logged_once_and_periodically(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    writer.add_system_metrics(5)
    found = scalars(tmp_path)
    assert {"system/process/cpu_percent", "system/process/memory_mb", "system/memory_percent"} <= set(found)
    assert found["system/process/memory_mb"][0][1] > 10
    assert 0 < found["system/memory_percent"][0][1] < 100
    writer.add_system_metrics(every_secs=0.01)
    while len(scalars(tmp_path, cut=True)["system/process/memory_mb"]) < 5:
        time.sleep(0.01)
    writer.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "lossboard-system-metrics"]


def test_collected_writer_stops_its_thread(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    writer.add_system_metrics(every_secs=0.01)
    del writer
    gc.collect()
    for _ in range(6000):
        if not [thread for thread in threading.enumerate() if thread.name == "lossboard-system-metrics"]:
            return
        time.sleep(0.01)
    raise AssertionError("the thread is still there")
