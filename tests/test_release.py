"""Packaging: the check of built packages, and the locked requirements."""

import importlib.util
import io
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]

_SPEC = importlib.util.spec_from_file_location("check_dist", PROJECT / "release/check_dist.py")
assert _SPEC is not None and _SPEC.loader is not None
check_dist = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(check_dist)

INFO = "lossboard-0.1.0.dist-info"
INDEX = '<script src="./assets/index-1.js"></script><a href="https://localhost/">'
COMPLETE = {
    "lossboard/__init__.py": "",
    "lossboard/_commit.txt": "gabc1234",
    "lossboard/_core.cpython-311-x86_64-linux-gnu.so": "",
    "lossboard/_core.pyi": "",
    "lossboard/py.typed": "",
    "lossboard/web/index.html": INDEX,
    "lossboard/web/assets/index-1.js": "",
    f"{INFO}/METADATA": "",
    f"{INFO}/RECORD": "",
    f"{INFO}/WHEEL": "",
    f"{INFO}/entry_points.txt": "",
    f"{INFO}/licenses/LICENSE": "",
    f"{INFO}/licenses/THIRD_PARTY_LICENSES": "",
}


def problems(folder: Path, files: dict[str, str], tag: str = "manylinux_2_28_x86_64") -> list[str]:
    """Returns the problems of a wheel with these files, for a source tree with one module."""
    (folder / "lossboard").mkdir()
    (folder / "lossboard/__init__.py").touch()
    wheel = folder / f"lossboard-0.1.0-cp311-cp311-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return list(check_dist.problems_of_wheel(wheel, source=folder))


def test_complete_wheel_has_no_problems(tmp_path: Path) -> None:
    assert problems(tmp_path, COMPLETE) == []


@pytest.mark.parametrize("name", [name for name in COMPLETE if name.startswith("lossboard/") or "licenses" in name])
def test_wheel_without_a_file_is_rejected(tmp_path: Path, name: str) -> None:
    (problem,) = problems(tmp_path, {other: content for other, content in COMPLETE.items() if other != name})
    assert "missing" in problem


@pytest.mark.parametrize(
    "name",
    [
        "lossboard/__pycache__/board.cpython-311.pyc",
        "lossboard/removed.py",
        "lossboard/web/assets/index-1.js.map",
        "tests/test_board.py",
        ".env",
    ],
)
def test_wheel_with_an_unexpected_file_is_rejected(tmp_path: Path, name: str) -> None:
    (problem,) = problems(tmp_path, {**COMPLETE, name: ""})
    assert problem.startswith(f"{name} is ")


def test_wheel_for_this_machine_only_is_rejected(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, COMPLETE, tag="linux_x86_64")
    assert "not manylinux" in problem


def test_wheel_above_the_size_limit_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_dist, "MAX_WHEEL_BYTES", 100)
    (problem,) = problems(tmp_path, COMPLETE)
    assert "more than the limit of 100" in problem


def test_sdist_without_the_ui_or_with_tests_is_rejected(tmp_path: Path) -> None:
    needed = "PKG-INFO LICENSE THIRD_PARTY_LICENSES README.md native/CMakeLists.txt lossboard/version.py"
    sdist = tmp_path / "lossboard-0.1.0.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        for name in [*needed.split(), "lossboard/_commit.txt", "tests/test_board.py"]:
            archive.addfile(tarfile.TarInfo(f"lossboard-0.1.0/{name}"), io.BytesIO())
    found = list(check_dist.problems_of_sdist(sdist))
    assert found == ["lossboard/web/index.html is missing", "tests/test_board.py is unexpected"]


@pytest.mark.parametrize("name", ["dev", "tf", "wheel"])
def test_locked_requirements_pin_every_package_and_name_no_index(name: str) -> None:
    locked = (PROJECT / f"requirements-{name}.txt").read_text("utf-8").splitlines()
    assert [line for line in locked if not re.fullmatch(r"#.*|[a-z0-9-]+==[\w.]+", line)] == []
    asked = (PROJECT / f"requirements-{name}.in").read_text("utf-8")
    wanted = {word.lower() for word in re.findall(r"^[A-Za-z][\w-]*", asked, re.MULTILINE)}
    assert wanted <= {line.partition("==")[0] for line in locked}
