"""docs/logging.md lists every method with its signature, and its examples run."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import matplotlib.figure
import numpy
import pytest
import torch

from lossboard import SummaryWriter

PAGE = (Path(__file__).parents[2] / "docs" / "logging.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
METHODS = [name for name in dir(SummaryWriter) if not name.startswith("_") and callable(getattr(SummaryWriter, name))]


def onnx_file() -> str:
    from onnx import TensorProto, helper, save

    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy")
    save(helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])), "model.onnx")
    return "model.onnx"


def openvino_file() -> str:
    layers = '<layers><layer id="0" name="x" type="Parameter"/><layer id="1" name="y" type="ReLU"/></layers>'
    Path("model.xml").write_text(f'<net>{layers}<edges><edge from-layer="0" to-layer="1"/></edges></net>')
    return "model.xml"


def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {
        "numpy": numpy,
        "torch": torch,
        "matplotlib": matplotlib,
        "onnx_file": onnx_file,
        "openvino_file": openvino_file,
        "step": 7,
    }
    assert len(EXAMPLES) > 25
    for example in EXAMPLES:
        exec(example, names)  # noqa: S102 our own page
    names["writer"].close()
    assert (tmp_path / "runs" / "first").is_dir()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_an_example(method: str) -> None:
    assert any(f".{method}(" in example for example in EXAMPLES)


@pytest.mark.parametrize("method", METHODS)
def test_signatures_on_the_page_are_the_real_ones(method: str) -> None:
    signature = inspect.signature(getattr(SummaryWriter, method))
    parts = []
    for parameter in list(signature.parameters.values())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}".replace("'", '"')
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        parts.append(stars + parameter.name + default)
    wanted = f"`{method}({', '.join(parts)})`"
    assert wanted in PAGE.replace("\n", " ")
