"""Routes of meshes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

from fake_run import tensor_value
from lossboard.errors import DecodeError
from lossboard.events.summary import encode_event
from lossboard.events.tensors import encode_array, encode_strings
from lossboard.store.logdir import Logdir
from lossboard.store.run_ids import run_id
from lossboard.writer import SummaryWriter
from reference import frame
from tests.kinds.views import call_route, log_values, open_logdir

RUN = run_id("run")
CORNERS = np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32)
COLORS = np.arange(30).reshape(2, 5, 3)
FACES = np.array([[[0, 1, 2], [2, 3, 4]], [[0, 2, 4], [1, 2, 3]]])


def part(name: str, kind: int, tensor: bytes, config: str = "") -> bytes:
    content = MeshPluginData(name=name, content_type=kind, json_config=config).SerializeToString()
    suffix = {1: "VERTEX", 2: "FACE", 3: "COLOR"}[kind]
    return tensor_value(f"{name}_{suffix}", "mesh", tensor, content)


def get(logdir: Logdir, tag: str, step: int = 0, **more: Any) -> Any:
    return call_route(logdir, "meshes", "mesh", run=RUN, tag=tag, step=step, **more)


def logged(tmp_path: Path, *values: bytes) -> Logdir:
    log_values(tmp_path / "run", *((0, value) for value in values))
    return open_logdir(tmp_path)


@pytest.fixture
def logdir(tmp_path: Path) -> Logdir:
    with SummaryWriter(tmp_path / "run") as log:
        for step in (0, 10):
            log.add_mesh("shape", CORNERS + step, COLORS, FACES, {"camera": {"fov": 40}}, step)
        log.add_mesh("cloud", CORNERS[:1], global_step=3)
    return open_logdir(tmp_path)


def test_series_are_listed_by_mesh(logdir: Logdir) -> None:
    listed = call_route(logdir, "meshes", "series").document["series"]
    assert [(one["tag"], one["steps"]) for one in listed] == [("cloud", [3]), ("shape", [0, 10])]


@pytest.mark.parametrize("sample", [0, 1])
def test_mesh_has_the_parts_of_one_sample(logdir: Logdir, sample: int) -> None:
    response = get(logdir, "shape", 10, sample=sample)
    vertices, faces, colors = response.tables
    np.testing.assert_array_equal(np.stack([vertices[axis] for axis in "xyz"], 1), (CORNERS + 10)[sample])
    np.testing.assert_array_equal(np.stack([faces[corner] for corner in "abc"], 1), FACES[sample])
    np.testing.assert_array_equal(np.stack([colors[channel] for channel in "rgb"], 1), COLORS[sample])
    assert [column.dtype.name for column in (vertices["x"], faces["a"], colors["r"])] == ["float32", "int32", "uint8"]
    assert (response.head["samples"], response.head["sample"], response.head["problems"]) == (2, sample, [])
    assert response.head["shapes"] == {"vertices": [2, 5, 3], "faces": [2, 2, 3], "colors": [2, 5, 3]}
    assert response.head["scene"]["fov"] == 40


def test_cloud_has_neither_faces_nor_colors(logdir: Logdir) -> None:
    response = get(logdir, "cloud", 3)
    assert [len(table[name]) for table, name in zip(response.tables, "xar", strict=True)] == [5, 0, 0]


@pytest.mark.parametrize("change", [{"tag": "gone"}, {"step": 7}, {"sample": 2}, {"sample": -1}])
def test_missing_mesh_raises_lookup_error(logdir: Logdir, change: dict[str, Any]) -> None:
    with pytest.raises(LookupError):
        call_route(logdir, "meshes", "mesh", **({"run": RUN, "tag": "shape", "step": 0} | change))


VERTEX = part("m", 1, encode_array(CORNERS[:1]))


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (part("m", 2, encode_array([[[0, 1, 5], [0, 1, 2], [-1, 0, 1]]])), "2 faces with a vertex that does not exist"),
        (part("m", 2, encode_array([[[np.nan, 1, 2], [0, 1, np.inf], [0, 1, 2]]])), "2 faces with a vertex that"),
        (part("m", 2, encode_array([[0, 1, 2]])), "The faces are not shown: Expected faces of shape [batch, n, 3]"),
        (part("m", 2, encode_array(np.zeros((3, 1, 3)))), "Their batch has 3 samples, that of the vertices 1"),
        (part("m", 2, encode_strings([b"x"])), "The faces are not shown: Tensors of type string"),
        (part("m", 3, encode_array(np.zeros((1, 4, 3)))), "The colors are not shown: There are 4 for 5 vertices"),
    ],
)
def test_bad_part_gets_a_sentence_and_the_rest_is_shown(tmp_path: Path, bad: bytes, problem: str) -> None:
    response = get(logged(tmp_path, VERTEX, bad), "m")
    np.testing.assert_array_equal(response.tables[0]["x"], CORNERS[0, :, 0])
    (sentence,) = response.head["problems"]
    assert problem in sentence
    kept = response.tables[1]["a"].tolist()
    assert kept == ([0] if problem[0] == "2" else [])


def test_vertices_that_are_not_finite_are_counted_and_keep_their_place(tmp_path: Path) -> None:
    corners = CORNERS[:1].copy()
    corners[0, 1, 2], corners[0, 3, 0] = np.nan, np.inf
    response = get(logged(tmp_path, part("m", 1, encode_array(corners))), "m")
    assert response.head["problems"] == ["2 vertices with NaN or infinity cannot be drawn."]
    assert len(response.tables[0]["x"]) == 5


@pytest.mark.parametrize(
    ("tensor", "problem"),
    [
        (encode_array(np.zeros((5, 3))), "Expected vertices of shape"),
        (encode_array(np.zeros((1, 5, 4))), "Expected vertices of shape"),
        (encode_array(np.zeros((1, 0, 3))), "has 0 vertices"),
        (encode_array(np.zeros(3)), "Expected vertices of shape"),
        (encode_array(1j * np.zeros((1, 5, 3))), "real numbers"),
    ],
)
def test_vertices_that_cannot_be_shown_raise(tmp_path: Path, tensor: bytes, problem: str) -> None:
    with pytest.raises(DecodeError, match=problem):
        get(logged(tmp_path, part("m", 1, tensor)), "m")


def test_lying_batch_size_is_that_of_the_tensor(tmp_path: Path) -> None:
    content = MeshPluginData(name="m", content_type=1, shape=[10**9, 5, 3]).SerializeToString()
    value = tensor_value("m_VERTEX", "mesh", encode_array(CORNERS), content)
    assert get(logged(tmp_path, value), "m").head["samples"] == 2


def test_step_without_vertices_raises(tmp_path: Path) -> None:
    with pytest.raises(DecodeError, match="no vertices"):
        get(logged(tmp_path, part("m", 2, encode_array(FACES))), "m")


def test_tag_without_valid_metadata_is_listed_with_a_sentence(tmp_path: Path) -> None:
    logdir = logged(tmp_path, VERTEX, tensor_value("bad_1", "mesh", encode_array(CORNERS), b"\xff"))
    listed = {one["tag"]: one for one in call_route(logdir, "meshes", "series").document["series"]}
    assert "does not say which part" in listed["bad"]["broken"]
    assert "broken" not in listed["m"]


def test_point_above_the_limit_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lossboard.kinds.meshes.api.MAX_SHOWN_BYTES", 100)
    with pytest.raises(DecodeError, match="more than the limit"):
        get(logged(tmp_path, part("m", 1, encode_array(np.zeros((1, 100, 3))))), "m")


def test_ply_has_the_sample_and_says_what_it_lacks(tmp_path: Path) -> None:
    faces = part("m", 2, encode_array([[[0, 1, 2], [0, 1, 9]]]))
    logdir = logged(tmp_path, VERTEX, faces, part("m", 3, encode_array(COLORS[:1])))
    result = call_route(logdir, "meshes", "ply", run=RUN, tag="m", step="0", sample="0")
    head, body = b"".join(result.parts).split(b"end_header\n")
    assert b"comment 1 face with a vertex that does not exist cannot be drawn.\n" in head
    assert b"element vertex 5\n" in head
    assert b"element face 1\n" in head
    vertices = np.frombuffer(body[: 5 * 15], [("position", "<f4", 3), ("color", "u1", 3)])
    np.testing.assert_array_equal(vertices["position"], CORNERS[0])
    np.testing.assert_array_equal(vertices["color"], COLORS[0])
    assert body[5 * 15] == 3
    assert np.frombuffer(body[5 * 15 + 1 :], "<i4").tolist() == [0, 1, 2]
    assert result.filename == "m-0-0.ply"


def test_meshes_with_the_same_step_twice_show_the_last(tmp_path: Path) -> None:
    events = [encode_event(1.0, 0, values=[part("m", 1, encode_array(CORNERS[:1] * k))]) for k in (1, 2)]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "events.out.tfevents.1").write_bytes(b"".join(map(frame, events)))
    np.testing.assert_array_equal(get(open_logdir(tmp_path), "m").tables[0]["x"], CORNERS[0, :, 0] * 2)
