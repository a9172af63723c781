import numpy as np
import pytest
from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

from fake_run import run_of, tensor_value
from lossboard.events.tensors import encode_array
from lossboard.kinds.meshes.decode import mesh_name, meshes
from lossboard.kinds.meshes.kind import KIND


def part(tag: str, kind: int, array: np.ndarray) -> bytes:
    content = MeshPluginData(name="cube", content_type=kind, json_config="{}").SerializeToString()
    return tensor_value(tag, "mesh", encode_array(array), content)


CORNERS = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], np.float32)
FACES = np.array([[[0, 1, 2]]], np.float32)
COLORS = np.array([[[255, 0, 128]] * 3], np.int64)


def test_parts_of_one_name_and_step_are_one_mesh() -> None:
    run = run_of(
        (0, part("cube_1", 1, CORNERS)),
        (0, part("cube_FACE", 2, FACES)),
        (0, part("cube_3", 3, COLORS)),
        (1, part("cube_1", 1, CORNERS)),
    )
    first, second = meshes(run, "cube")
    assert (first.wall_time, first.config) == (1000.0, "{}")
    assert [a.dtype.name for a in (first.vertices, first.faces, first.colors)] == ["float32", "int32", "uint8"]
    assert first.faces.tolist() == [[[0, 1, 2]]]
    assert (second.step, second.faces, second.colors) == (1, None, None)
    assert set(KIND.fields(second)) == {"name", "vertices"}


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("a/cube_VERTEX", "a/cube"),
        ("cube_3", "cube"),
        ("cube_4", "cube_4"),
        ("cube", "cube"),
        ("a_FACE_COLOR", "a_FACE"),
    ],
)
def test_mesh_name_is_the_tag_without_the_suffix(tag: str, name: str) -> None:
    assert mesh_name(tag) == name


def test_restart_supersedes_all_parts() -> None:
    run = run_of(*((step, part("cube_VERTEX", 1, CORNERS + step)) for step in (0, 1, 0)))
    assert [(m.step, m.hidden) for m in meshes(run, "cube")] == [(0, False)]
    assert [(m.step, m.hidden) for m in meshes(run, "cube", attempts=True)] == [(0, True), (1, True), (0, False)]


def test_tag_with_invalid_metadata_has_no_points() -> None:
    run = run_of((0, part("cube_1", 1, CORNERS)), (0, tensor_value("bad", "mesh", encode_array(CORNERS), b"\xff")))
    assert [len(meshes(run, name)) for name in ("cube", "bad")] == [1, 0]
