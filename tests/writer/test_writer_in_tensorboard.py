"""A real TensorBoard shows the same for our files as for torch's files from the same calls."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from lossboard import SummaryWriter
from writer.real_tensorboard import TensorBoard, serve

Log = Callable[[Any], None]
CALLS: dict[str, Log] = {}
LOADERS = {"slow": False, "fast": True}


def case(log: Log) -> Log:
    CALLS[log.__name__] = log
    return log


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).random(shape, np.float32)


@case
def add_scalar(w: Any) -> None:
    for step, value in enumerate([0.1, -0.0, 1e300, float("nan"), float("inf"), float("-inf"), 1e-45]):
        w.add_scalar("loss/train", value, step, walltime=1e9 + step)
    w.add_scalar("no step", 3)
    w.add_scalar("ünïcode ✓ <b>&amp;", torch.tensor(1.5, requires_grad=True), 2**62)
    w.add_scalar("negative step", np.float64(2), -5)
    w.add_scalar("torch/bf16", torch.tensor([[2.5]], dtype=torch.bfloat16), torch.tensor(3))


@case
def add_scalar_new_style(w: Any) -> None:
    w.add_scalar("float", 0.1, 1, new_style=True)
    w.add_scalar("double", 0.1, 1, new_style=True, double_precision=True)
    w.add_scalar("old style ignores it", 0.1, 1, double_precision=True)


@case
def add_scalars(w: Any) -> None:
    for step in range(3):
        w.add_scalars("loss/both", {"train": step, "val": np.float32(step) / 2}, step)


@case
def add_histogram(w: Any) -> None:
    values = np.random.default_rng(1).normal(size=10_000)
    w.add_histogram("default", values, 1)
    w.add_histogram("default", torch.tensor(values[:100] * 1e-6, dtype=torch.float16), 2)
    w.add_histogram("edges", np.array([0.0, -0.0, 1e-12, -1e-12, 1.1e-12, 5.0, 5.0, 1e30]), 0)
    w.add_histogram("nan", np.array([1.0, np.nan, 2.0]), 0)
    w.add_histogram("integers", torch.arange(100), 0)
    w.add_histogram("max_bins", values, 0, max_bins=20)
    for bins in ("auto", "fd", "doane", "scott", "rice", "sturges", "sqrt"):
        w.add_histogram(bins, values[:500], 3, bins=bins)
    w.add_histogram("own edges", values, 3, bins=[-1.0, 0.0, 0.25, 2.0])


@case
def add_histogram_raw(w: Any) -> None:
    w.add_histogram_raw("raw", 0.5, 3.5, 7, 14.0, 30.0, [1.0, 2.0, 3.0, 4.0], [1, 2.5, 0, 3], 4)


@case
def add_image(w: Any) -> None:
    w.add_image("float", random(3, 20, 31) * 1.5 - 0.2, 1)
    w.add_image("bytes", (random(3, 20, 31) * 255).astype(np.uint8), 2)
    w.add_image("gray", torch.tensor(random(1, 5, 6)), 0)
    w.add_image("plane", random(9, 4), 0, dataformats="HW")
    w.add_image("turned", random(9, 4), 0, dataformats="WH")
    w.add_image("last", random(9, 4, 3), 0, dataformats="HWC")
    w.add_image("alpha", np.concatenate([random(3, 8, 8), np.ones((1, 8, 8), np.float32)]), 0)


@case
def add_images(w: Any) -> None:
    w.add_images("batch", random(11, 3, 4, 5), 1)
    w.add_images("gray", random(2, 4, 5, 1), 1, dataformats="NHWC")


@case
def add_image_with_boxes(w: Any) -> None:
    boxes = np.array([[2, 3, 20, 30], [5.5, 1, 38, 12]])
    w.add_image_with_boxes("boxes", random(3, 40, 50), boxes, 1, labels=["cat", "dog"])
    w.add_image_with_boxes("one label", random(3, 40, 50), torch.tensor(boxes), 1, labels="cat", rescale=2)


@case
def add_figure(w: Any) -> None:
    import matplotlib.figure

    def draw() -> Any:
        figure = matplotlib.figure.Figure(figsize=(2, 1))
        figure.add_subplot().plot([1, 3, 2])
        return figure

    w.add_figure("figure", draw(), 1, close=False)
    w.add_figure("figures", [draw(), draw()], 1, close=False)


@case
def add_audio(w: Any) -> None:
    wave = np.sin(np.arange(1000) / 7).astype(np.float32)
    w.add_audio("sine", wave, 1, sample_rate=8000)
    w.add_audio("loud", torch.tensor(wave * 2).reshape(1, -1), 2)


@case
def add_text(w: Any) -> None:
    w.add_text("notes", "# Title\n\n* one\n* two <script>alert(1)</script>", 0)
    w.add_text("notes", "second ✓", 1)


@case
def add_mesh(w: Any) -> None:
    faces = np.array([[[0, 2, 3], [0, 3, 1]]])
    w.add_mesh("full", random(1, 4, 3), colors=(random(1, 4, 3) * 255).astype(np.uint8), faces=faces, global_step=2)
    w.add_mesh("cloud", torch.tensor(random(1, 7, 3)), config_dict={"camera": {"cls": "PerspectiveCamera"}})


@case
def add_pr_curve(w: Any) -> None:
    rng = np.random.default_rng(3)
    labels, scores = rng.integers(0, 2, 200), rng.random(200)
    w.add_pr_curve("curve", labels, scores, 1)
    w.add_pr_curve("curve", torch.tensor(labels), torch.tensor(scores), 2, num_thresholds=500)
    w.add_pr_curve("weights", labels, scores, 1, num_thresholds=10, weights=rng.random(200))
    w.add_pr_curve_raw("raw", [8, 4, 0], [5, 1, 0], [0, 4, 5], [0, 4, 8], [0.6, 0.8, 1.0], [1.0, 0.5, 0.0], 3)


@case
def add_embedding(w: Any) -> None:
    w.add_embedding(random(7, 3), metadata=list("abcdefg"), label_img=torch.tensor(random(7, 3, 6, 6)), global_step=1)
    w.add_embedding(random(5, 2), metadata=[[i, f"n{i}"] for i in range(5)], metadata_header=["id", "name"], tag="a/b")
    w.add_embedding(torch.tensor(random(4, 2)), tag="bare", global_step=12)


@case
def add_tensor(w: Any) -> None:
    w.add_tensor("numbers", torch.arange(6).reshape(2, 3), 1)
    w.add_scalar("beside it", 1.0, 1)


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.BatchNorm2d(4))
        self.head = torch.nn.Linear(144, 10)
        self.bias = torch.nn.Parameter(torch.zeros(10))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(x).flatten(1)) + self.bias


@case
def add_graph(w: Any) -> None:
    torch.manual_seed(0)
    w.add_graph(Net(), torch.zeros(2, 1, 8, 8))


@case
def add_onnx_graph(w: Any) -> None:
    from onnx import TensorProto, helper, save

    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy")
    nodes = [
        helper.make_node("LeakyRelu", ["x"], ["h"], alpha=0.5),
        helper.make_node("Softmax", ["h"], ["out"], axis=1),
    ]
    path = f"{w.get_logdir()}/model.onnx"
    save(helper.make_model(helper.make_graph(nodes, "g", [x], [y])), path)
    w.add_onnx_graph(path)


@case
def add_hparams(w: Any) -> None:
    metrics = {"hparam/accuracy": 0.5, "hparam/loss": torch.tensor([0.25])}
    w.add_hparams({"lr": 0.1, "opt": "adam", "n": 3, "no": None}, metrics, {"opt": ["adam", "sgd"]}, "trial", 2)


@case
def add_custom_scalars(w: Any) -> None:
    who = Path(w.get_logdir()).parent.name  # TensorBoard responds for all runs at once
    w.add_custom_scalars({who: {"both": ["Multiline", ["a", "b/.*"]], "band": ["Margin", ["v", "lo", "hi"]]}})


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare") / "logs"
    for name, log in CALLS.items():
        for who, writer in (("torch", TorchWriter), ("ours", SummaryWriter)):
            with writer(str(folder / who / name)) as w, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                log(w)
    with SummaryWriter(folder / "ours" / "add_video") as w:
        w.add_video("video", random(1, 3, 3, 8, 8), 1)
    return folder


@pytest.fixture(scope="module")
def servers(logdir: Path) -> Iterator[dict[str, TensorBoard]]:
    runs = {f"{who}/{name}" for who in ("torch", "ours") for name in CALLS} | {"ours/add_video"}
    with ExitStack() as stack:
        started = {name: stack.enter_context(serve(logdir, fast=fast)) for name, fast in LOADERS.items()}
        for server in started.values():
            server.wait_for(runs)
        yield started


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("name", [name for name in CALLS if name != "add_custom_scalars"])
def test_tensorboard_shows_the_same_as_for_torch(servers: dict[str, TensorBoard], name: str, loader: str) -> None:
    theirs = servers[loader].everything(f"torch/{name}")
    ours = servers[loader].everything(f"ours/{name}")
    assert ours.keys() == theirs.keys()
    assert any(theirs.values()), "TensorBoard shows nothing of it"
    if name == "add_graph":
        # torch omits the shapes of parameters. The writer keeps them.
        assert ours["graph"][""][1].count("_output_shapes") - theirs["graph"][""][1].count("_output_shapes") == 9
        for answers in (ours, theirs):
            answers["graph"] = without_parameter_shapes(answers["graph"][""][1])
    for key, answer in theirs.items():
        assert ours[key] == answer, key


def without_parameter_shapes(graph: str) -> list[str]:
    nodes = graph.split("node {")
    cut = r'  attr \{\n    key: "_output_shapes".*?\n  \}\n'
    return [re.sub(cut, "", node, flags=re.DOTALL) if "prim::GetAttr" in node else node for node in nodes]


@pytest.mark.parametrize("loader", LOADERS)
def test_tensorboard_shows_the_same_hparams(servers: dict[str, TensorBoard], loader: str) -> None:
    columns = [{"metric": {"group": "", "tag": tag}} for tag in ("hparam/accuracy", "hparam/loss")]
    question = {"experimentName": "", "startIndex": 0, "sliceSize": 100, "colParams": columns}
    question["allowedStatuses"] = ["STATUS_SUCCESS", "STATUS_UNKNOWN"]
    answer = servers[loader].http.post("/data/plugin/hparams/session_groups", json=question).json()
    groups = {group["name"]: group for group in answer["sessionGroups"]}
    ours, theirs = groups["ours/add_hparams/trial"], groups["torch/add_hparams/trial"]
    assert ours["hparams"] == theirs["hparams"] == {"lr": 0.1, "opt": "adam", "n": 3.0}
    assert [value["value"] for value in ours["metricValues"]] == [value["value"] for value in theirs["metricValues"]]


@pytest.mark.parametrize("loader", LOADERS)
def test_tensorboard_shows_the_same_layout(servers: dict[str, TensorBoard], loader: str) -> None:
    layout = servers[loader].get("custom_scalars/layout")
    charts = {category["title"]: category["chart"] for category in layout["category"]}
    assert charts["ours"] == charts["torch"]
    assert [chart["title"] for chart in charts["ours"]] == ["both", "band"]


@pytest.mark.parametrize("loader", LOADERS)
def test_tensorboard_shows_a_video_without_moviepy(servers: dict[str, TensorBoard], loader: str) -> None:
    _, ((step, kind, frames),) = servers[loader].everything("ours/add_video")["images", "", "video"]
    assert (step, kind, len(frames)) == (1, "GIF", 3)
