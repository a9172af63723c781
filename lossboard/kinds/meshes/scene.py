"""The configuration that a mesh is logged with: JSON for three.js, which TensorBoard draws with.

    camera    cls (PerspectiveCamera, OrthographicCamera) · fov (degrees, vertical) · near · far
    lights    a list of cls (AmbientLight, DirectionalLight) · intensity · position
    material  color · wireframe

Everything else has no meaning here, and is listed as ignored: colors of lights, textures, the sizes of points, which
are a setting of the view, and how much a material shines.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from lossboard.kinds.meshes.documents import MeshLight, MeshScene

_MAX_CHARS = 100_000
_MAX_IGNORED = 12
_MAX_NAME_CHARS = 60
_MAX_LIGHTS = 8

_CAMERAS = {"PerspectiveCamera": False, "OrthographicCamera": True}
_LIGHTS = {"AmbientLight": False, "DirectionalLight": True}
_MATERIALS = {"MeshStandardMaterial", "MeshLambertMaterial", "MeshPhongMaterial", "MeshBasicMaterial", "PointsMaterial"}


def read_scene(config: str) -> MeshScene:
    """Returns what is used of a configuration. Any text is accepted."""
    scene: MeshScene = {
        "orthographic": False,
        "fov": None,
        "near": None,
        "far": None,
        "lights": [],
        "color": None,
        "wireframe": False,
        "ignored": [],
        "problem": None,
    }
    try:
        given = json.loads(config) if len(config) <= _MAX_CHARS else None
    except (ValueError, RecursionError):
        scene["problem"] = "The logged camera and material are not used, because they are not valid JSON."
        return scene
    if len(config) > _MAX_CHARS or not isinstance(given, dict | None):
        scene["problem"] = "The logged camera and material are not used, because they are not a short JSON object."
        return scene
    _Reader(scene).read(given or {})
    return scene


class _Reader:
    """Copies what is used, and lists the rest."""

    def __init__(self, scene: MeshScene) -> None:
        self.scene = scene

    def read(self, given: dict[str, Any]) -> None:
        for name, value in given.items():
            if name == "camera" and isinstance(value, dict):
                self._camera(value)
            elif name == "material" and isinstance(value, dict):
                self._material(value)
            elif name == "lights" and isinstance(value, list):
                self._lights(value)
            else:
                self._ignore(name)

    def _camera(self, given: dict[str, Any]) -> None:
        for name, value in given.items():
            if name == "cls" and isinstance(value, str) and value in _CAMERAS:
                self.scene["orthographic"] = _CAMERAS[value]
            elif name == "fov" and _is_number(value) and 1 <= value <= 170:
                self.scene["fov"] = float(value)
            elif name == "near" and _is_number(value) and value >= 0:
                self.scene["near"] = float(value)
            elif name == "far" and _is_number(value) and value > 0:
                self.scene["far"] = float(value)
            else:
                self._ignore(f"camera.{name}")

    def _material(self, given: dict[str, Any]) -> None:
        for name, value in given.items():
            if name == "color" and (color := _color(value)):
                self.scene["color"] = color
            elif name == "wireframe" and isinstance(value, bool):
                self.scene["wireframe"] = value
            elif not (name == "cls" and isinstance(value, str) and value in _MATERIALS):
                self._ignore(f"material.{name}")

    def _lights(self, given: list[Any]) -> None:
        for index, light in enumerate(given):
            if index >= _MAX_LIGHTS or not isinstance(light, dict) or str(light.get("cls")) not in _LIGHTS:
                self._ignore(f"lights.{index}")
                continue
            self.scene["lights"].append(self._light(f"lights.{index}", light))

    def _light(self, path: str, given: dict[str, Any]) -> MeshLight:
        light: MeshLight = {"intensity": 1.0, "position": [0.0, 1.0, 0.0] if _LIGHTS[given["cls"]] else None}
        for name, value in given.items():
            if name == "intensity" and _is_number(value) and value >= 0:
                light["intensity"] = float(value)
            elif name == "position" and light["position"] is not None and _is_position(value):
                light["position"] = [float(one) for one in value]
            elif name != "cls" and not (name == "color" and _color(value) == "#ffffff"):
                self._ignore(f"{path}.{name}")
        return light

    def _ignore(self, path: str) -> None:
        ignored = self.scene["ignored"]
        if len(ignored) < _MAX_IGNORED:
            ignored.append(path if len(path) <= _MAX_NAME_CHARS else f"{path[:_MAX_NAME_CHARS]}…")
        elif ignored[-1] != "…":
            ignored.append("…")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e30 and math.isfinite(value)


def _is_position(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(_is_number, value)) and any(value)


def _color(value: object) -> str | None:
    """Returns a color as #rrggbb. three.js also accepts it as a number."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 0xFFFFFF:
        return f"#{value:06x}"
    if isinstance(value, str) and re.fullmatch(r"#(?:[0-9a-fA-F]{3}){1,2}", value):
        digits = value[1:].lower()
        return f"#{digits if len(digits) == 6 else ''.join(2 * digit for digit in digits)}"
    return None
