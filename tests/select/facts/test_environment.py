"""The environment of a run: which files and names it is read from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lossboard.select.facts.environment import Environment, read_environment


def read(folder: Path, *files: str, root: Path | None = None) -> Environment:
    return read_environment(folder, files, root=root or folder)


def test_environment_of_the_kit_is_read(tmp_path: Path) -> None:
    logs = tmp_path / "run" / "logs" / "tensorboard"
    logs.mkdir(parents=True)
    written = {
        "command": ["lossboard", "finetune", "--run-tag", "two words"],
        "git": {"commit": "3f9c2e1", "branch": "main", "changed": True},
        "host": "node-04",
        "python": "3.12.7",
        "packages": {"torch": "2.13.0"},
    }
    (tmp_path / "run" / "environment.json").write_text(json.dumps(written))
    found = read(logs, root=tmp_path)
    assert found.command == "lossboard finetune --run-tag 'two words'"
    assert list(found.facts.items()) == [
        ("git commit", "3f9c2e1"),
        ("git branch", "main"),
        ("uncommitted changes", True),
        ("host", "node-04"),
        ("python", "3.12.7"),
        ("torch", "2.13.0"),
    ]


def test_metadata_of_wandb_is_read(tmp_path: Path) -> None:
    written = {"program": "train.py", "args": ["--lr", "3e-5"], "host": "h", "gpu": "A100", "os": "Linux"}
    (tmp_path / "wandb-metadata.json").write_text(json.dumps(written))
    found = read(tmp_path)
    assert found.command == "python train.py --lr 3e-5"
    assert found.facts == {"host": "h", "device": "A100", "platform": "Linux"}


@pytest.mark.parametrize(
    ("file", "host"),
    [
        ("events.out.tfevents.1763286120.node-04.cluster.local.4711.0", "node-04.cluster.local"),
        ("events.out.tfevents.1763286120.node-04.4711.0.v2", "node-04"),
        ("events.out.tfevents.1763286120.node-04.4711.0000090a5765ef31b147b8", "node-04"),
        ("events.out.tfevents.1763286120.node-04", "node-04"),
    ],
)
def test_host_is_taken_from_the_event_file(tmp_path: Path, file: str, host: str) -> None:
    assert read(tmp_path, file).facts == {"host": host}


@pytest.mark.parametrize("content", ["", "[]", "{", "nan", "[" * 100_000, '{"command": 3, "git": null, "host": []}'])
def test_other_content_is_ignored(tmp_path: Path, content: str) -> None:
    (tmp_path / "environment.json").write_text(content)
    assert read(tmp_path).command == ""


def test_links_out_of_the_logdir_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"host": "secret"}')
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    (run / "environment.json").symlink_to(tmp_path / "secret.json")
    assert read(run, root=tmp_path / "logs").facts == {}


@pytest.mark.parametrize("document", [{"program": "x", "args": 5}, {"program": "x", "args": {"a": 1}}, {"command": 5}])
def test_arguments_of_another_type_are_left_out(tmp_path: Path, document: dict[str, object]) -> None:
    (tmp_path / "wandb-metadata.json").write_text(json.dumps(document))
    assert read_environment(tmp_path, [], root=tmp_path).command in ("", "python x")
