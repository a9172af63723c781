"""Logged values find the parts of a graph that they belong to."""

from pathlib import Path

import numpy as np
import pytest

from graph_data import bert
from lossboard import SummaryWriter
from lossboard.kinds.graphs.logged import MAX_STEPS, Places, logged_values
from lossboard.kinds.graphs.model import Graph
from lossboard.store.logdir import Logdir
from lossboard.store.run import Run

QUERY = "bert/encoder/layer.3/attention/self/query"


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph(bert(), "compute")


@pytest.mark.parametrize(
    ("tag", "path"),
    [
        ("bert.encoder.layer.3.attention.self.query.weight", f"{QUERY}/weight"),
        ("encoder.layer.3.attention.self.query.weight", f"{QUERY}/weight"),
        ("module.bert.encoder.layer.3.attention.self.query.weight", f"{QUERY}/weight"),
        ("gradients/bert.encoder.layer.3.attention.self.query.weight", f"{QUERY}/weight"),
        ("bert/encoder/layer.3/attention/self/query/weight/grad", f"{QUERY}/weight"),
        ("bert.encoder.layer.3.attention.self.query.weight.grad", f"{QUERY}/weight"),
        ("weights/bert/encoder/layer/3/attention/self/query/kernel_0", f"{QUERY}/weight"),
        ("grad_norm/bert.encoder.layer.3", "bert/encoder/layer.3"),
        ("classifier.bias", "classifier/bias"),
        ("LayerNorm.weight", None),  # many modules end like this
        ("weight", None),
        ("train/loss", None),
        ("", None),
    ],
)
def test_tags_find_their_place(graph: Graph, tag: str, path: str | None) -> None:
    assert Places(graph).find(tag) == path


def run_with(folder: Path) -> Run:
    with SummaryWriter(folder / "run") as log:
        for step in range(100):
            log.add_scalar("train/loss", 1.0, step)
            log.add_histogram("bert.pooler.dense.weight", np.full(16, 3.0), step)
            log.add_histogram("classifier.weight", np.full(4, 1.0 + step), step)
            if step >= 50:
                log.add_histogram("bert.pooler.dense.weight.grad", np.full(4, 0.5), step)
                log.add_histogram("classifier.weight.grad", np.full(4, 0.25), step)
        log.add_histogram("elsewhere.weight", np.ones(4), 0)
        log.add_scalar("grad_norm/all", 1.0, 0)
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    return next(iter(logdir.runs.values()))


def test_norms_are_those_of_the_histograms_at_the_common_steps(graph: Graph, tmp_path: Path) -> None:
    weights, gradients = sorted(logged_values(graph, run_with(tmp_path)), key=lambda one: one.quantity, reverse=True)
    assert (weights.quantity, gradients.quantity) == ("weight norm", "gradient norm")
    assert (len(weights.steps), weights.steps[0], weights.steps[-1]) == (MAX_STEPS, 0, 99)
    assert weights.unplaced == ["elsewhere.weight"]
    by_path = {place.path: place.values for place in weights.places}
    assert by_path["bert/pooler/dense/weight"][-1] == pytest.approx(12, rel=0.1)
    assert by_path["classifier/weight"][-1] == pytest.approx(200, rel=0.1)
    assert gradients.steps[0] == 50
