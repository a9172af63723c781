"""Meshes compared with the responses of TensorBoard's mesh plugin, on files of torch, TensorFlow and our writers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.plugins.base_plugin import TBContext
from tensorboard.plugins.mesh.mesh_plugin import MeshPlugin
from werkzeug.test import Client
from werkzeug.wrappers import Response

from lossboard.kinds.meshes.scene import read_scene
from lossboard.store.logdir import Logdir
from lossboard.store.run_ids import run_id
from lossboard.tensorboardX import SummaryWriter as TensorboardXWriter
from lossboard.writer import SummaryWriter
from tests.kinds.views import call_route, open_logdir

CORPUS = Path(__file__).parents[2] / "data" / "corpus" / "logdirs"
PARTS = {"vertices": ("VERTEX", "<f4", "xyz"), "faces": ("FACE", "<i4", "abc"), "colors": ("COLOR", "u1", "rgb")}


class Plugin:
    """TensorBoard's mesh plugin on a logdir."""

    def __init__(self, folder: Path) -> None:
        multiplexer = EventMultiplexer(tensor_size_guidance={"mesh": 0})
        multiplexer.AddRunsFromDirectory(str(folder))
        multiplexer.Reload()
        provider = MultiplexerDataProvider(multiplexer, str(folder))
        self._apps = MeshPlugin(TBContext(data_provider=provider)).get_plugin_apps()

    def get(self, path: str, **query: str) -> bytes:
        response = Client(self._apps[path], Response).get(path, query_string=query)
        assert response.status_code == 200
        return response.data


def assert_equal(plugin: Plugin, logdir: Logdir) -> int:
    """Compares every sample of every mesh, and returns their number."""
    listed = call_route(logdir, "meshes", "series").document["series"]
    by_run = {run_id(run): (run, tags) for run, tags in json.loads(plugin.get("/tags")).items()}
    assert {(one["run"], one["tag"]) for one in listed} == {
        (id, tag) for id, (_, tags) in by_run.items() for tag in tags
    }
    compared = 0
    for one in listed:
        run, tags = by_run[one["run"]]
        metadata = json.loads(plugin.get("/meshes", run=run, tag=one["tag"]))
        assert one["steps"] == sorted({each["step"] for each in metadata})
        for step in one["steps"]:
            for sample in range(tags[one["tag"]]["samples"]):
                assert_equal_sample(plugin, logdir, (run, one["tag"], step, sample), metadata)
                compared += 1
    return compared


def assert_equal_sample(
    plugin: Plugin, logdir: Logdir, place: tuple[str, str, int, int], metadata: list[dict[str, Any]]
) -> None:
    run, tag, step, sample = place
    response = call_route(logdir, "meshes", "mesh", run=run_id(run), tag=tag, step=step, sample=sample)
    assert response.head["problems"] == []
    logged = {each["content_type"]: each for each in metadata if each["step"] == step}
    for number, (name, part) in enumerate(PARTS.items()):
        content, dtype, columns = part
        table = response.tables[number]
        got = np.stack([table[column] for column in columns], 1)
        theirs = plugin.get("/data", run=run, tag=tag, step=str(step), sample=str(sample), content_type=content)
        np.testing.assert_array_equal(got, np.frombuffer(theirs, dtype).reshape(-1, 3))
        if len(got):
            each = logged[number + 1]
            assert response.head["shapes"][name] == each["data_shape"]
            assert response.head["scene"] == read_scene(each["config"])


@pytest.mark.parametrize("name", ["torch_dist", "tf2"])
def test_corpus_equals_tensorboard(name: str) -> None:
    assert assert_equal(Plugin(CORPUS / name), open_logdir(CORPUS / name)) > 0


def test_own_files_equal_tensorboard(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    with SummaryWriter(tmp_path / "a" / "b") as log:
        for step in (0, 5):
            colors, faces = rng.integers(0, 256, (3, 50, 3)), rng.integers(0, 50, (3, 20, 3))
            log.add_mesh("group/mesh", rng.normal(size=(3, 50, 3)), colors, faces, {"camera": {"fov": 40}}, step)
        log.add_mesh("cloud", rng.normal(size=(1, 9, 3)), global_step=1)
    assert assert_equal(Plugin(tmp_path), open_logdir(tmp_path)) == 7


def test_files_of_tensorboardX_equal_tensorboard(tmp_path: Path) -> None:
    with TensorboardXWriter(str(tmp_path)) as log:
        log.add_mesh("cube", np.ones((2, 4, 3)), np.zeros((2, 4, 3)), np.zeros((2, 1, 3)), global_step=1)
    assert assert_equal(Plugin(tmp_path), open_logdir(tmp_path)) == 2
