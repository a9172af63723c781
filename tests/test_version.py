"""Version: stated once, followed by the commit unless it is a release."""

import subprocess
import tomllib
from pathlib import Path

import pytest

import lossboard
from lossboard import version

PROJECT = Path(__file__).parent.parent


def git(checkout: Path, *words: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "tag.gpgSign=false"]
    command = ["git", *identity, "-c", "commit.gpgSign=false", *words]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def test_version_is_stated_once() -> None:
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    assert "version" in settings["project"]["dynamic"]
    assert settings["tool"]["scikit-build"]["metadata"]["version"]["input"] == "lossboard/version.py"
    assert lossboard.__version__ == version.VERSION


def test_commit_label_names_the_commit(checkout: Path) -> None:
    assert version.commit_label(checkout) == "g" + git(checkout, "rev-parse", "--short=7", "HEAD")


def test_commit_label_of_a_tagged_release_is_empty(checkout: Path) -> None:
    git(checkout, "tag", f"v{version.VERSION}")
    assert version.commit_label(checkout) == ""


@pytest.mark.parametrize("tag", ["v0.0.1", f"v{version.VERSION}"], ids=["another version", "an earlier commit"])
def test_commit_label_ignores_tags_of_something_else(checkout: Path, tag: str) -> None:
    git(checkout, "tag", tag)
    git(checkout, "commit", "-qm", "two", "--allow-empty")
    assert version.commit_label(checkout) == "g" + git(checkout, "rev-parse", "--short=7", "HEAD")


def test_commit_label_marks_changed_files_even_at_a_release(checkout: Path) -> None:
    git(checkout, "tag", f"v{version.VERSION}")
    (checkout / "file").write_text("two")
    assert version.commit_label(checkout) == "g" + git(checkout, "rev-parse", "--short=7", "HEAD") + ".dirty"


def test_commit_label_without_git_or_a_repository_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert version.commit_label(tmp_path) == ""
    monkeypatch.setenv("PATH", "")
    assert version.commit_label(tmp_path) == ""


def test_installed_package_has_the_commit_it_was_built_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "lossboard"
    package.mkdir()
    monkeypatch.setattr(version, "_PACKAGE", package)
    assert version.full_version() == version.VERSION
    (package / "_commit.txt").write_text("gabc1234\n")
    assert version.full_version() == f"{version.VERSION}+gabc1234"
