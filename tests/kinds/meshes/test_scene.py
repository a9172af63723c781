"""Logged cameras, lights and materials."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lossboard.kinds.meshes.scene import read_scene

NOTHING = read_scene("{}")


def used(config: Any) -> dict[str, Any]:
    """What a configuration changes."""
    scene = read_scene(config if isinstance(config, str) else json.dumps(config))
    return {name: value for name, value in scene.items() if value != NOTHING[name]}  # type: ignore[literal-required] # it is its own key


@pytest.mark.parametrize("config", ["{}", "null"])
def test_empty_configurations_change_nothing(config: str) -> None:
    assert used(config) == {}


def test_camera_lights_and_material_are_used() -> None:
    camera = {"cls": "OrthographicCamera", "fov": 60, "near": 0.5, "far": 100}
    lights = [{"cls": "AmbientLight", "color": "#ffffff", "intensity": 0.5}, {"cls": "DirectionalLight"}]
    material = {"cls": "MeshStandardMaterial", "color": 0xFF8000, "wireframe": True}
    assert used({"camera": camera, "lights": lights, "material": material}) == {
        "orthographic": True,
        "fov": 60,
        "near": 0.5,
        "far": 100,
        "lights": [{"intensity": 0.5, "position": None}, {"intensity": 1, "position": [0, 1, 0]}],
        "color": "#ff8000",
        "wireframe": True,
    }


@pytest.mark.parametrize(
    ("config", "ignored"),
    [
        ({"material": {"roughness": 0.5, "size": 0.01}}, ["material.roughness", "material.size"]),
        ({"lights": [{"cls": "PointLight"}]}, ["lights.0"]),
        ({"lights": [{"cls": "AmbientLight", "color": "#ff0000"}]}, ["lights.0.color"]),
        ({"camera": {"cls": "CubeCamera", "fov": "75", "near": -1, "aspect": 2}}, ["cls", "fov", "near", "aspect"]),
        ({"camera": 5, "scene": {}}, ["camera", "scene"]),
        ({"camera": {"cls": ["PerspectiveCamera"], "fov": 1e400}}, ["cls", "fov"]),
        ({"camera": {"fov": True, "far": 10**400}}, ["fov", "far"]),
        ({"lights": [{"cls": "DirectionalLight", "position": [0, 0, 0]}]}, ["lights.0.position"]),
        ({"lights": [[], {"cls": {}}]}, ["lights.0", "lights.1"]),
    ],
)
def test_settings_without_a_meaning_are_named(config: Any, ignored: list[str]) -> None:
    found = read_scene(json.dumps(config))["ignored"]
    assert [path.removeprefix("camera.") for path in found] == ignored


@pytest.mark.parametrize("config", ["{", "[" * 100_000, "[]", '"text"', "7", '{"a":' + " " * 100_000 + "1}"])
def test_text_that_is_not_a_configuration_gets_a_sentence(config: str) -> None:
    assert set(used(config)) == {"problem"}


def test_list_of_ignored_settings_is_bounded() -> None:
    ignored = read_scene(json.dumps({f"{'x' * 100}{i}": 0 for i in range(200)}))["ignored"]
    assert len(ignored) == 13
    assert max(map(len, ignored)) <= 61


@pytest.mark.parametrize(("color", "read"), [("#0F8", "#00ff88"), ("#00ff88", "#00ff88"), ("red", None), (-1, None)])
def test_colors_are_read_as_three_js_does(color: object, read: str | None) -> None:
    assert read_scene(json.dumps({"material": {"color": color}}))["color"] == read
