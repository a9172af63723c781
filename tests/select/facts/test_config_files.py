"""Config files in run directories: what is read, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lossboard.errors import DecodeError
from lossboard.select.facts.config_files import MAX_BYTES, ConfigFiles, parse_config, read_config_files


def read(folder: Path, root: Path | None = None) -> dict[str, object]:
    return dict(read_config_files(folder, root=root or folder, known=ConfigFiles()).settings)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.json", '{"lr": 0.1, "optim": {"name": "adamw", "amp": true}}'),
        ("hparams.yaml", "lr: 0.1\noptim:\n  name: adamw\n  amp: true\n"),
        ("args.yml", "{lr: 1.0e-1, optim: {name: 'adamw', amp: True}}"),
        ("config.toml", 'lr = 0.1\n[optim]\nname = "adamw"\namp = true\n'),
    ],
)
def test_each_format_is_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert read(tmp_path) == {"lr": 0.1, "optim.name": "adamw", "optim.amp": True}


def test_later_files_override_earlier_ones(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"lr": 1}')
    (tmp_path / "hparams.yaml").write_text("lr: 2\nwd: 3\n")
    (tmp_path / "other.json").write_text('{"lr": 4}')
    assert read(tmp_path) == {"lr": 1.0, "wd": 3.0}


def test_config_above_the_log_directory_of_training_tools_is_read(tmp_path: Path) -> None:
    logs = tmp_path / "run" / "logs" / "tensorboard"
    logs.mkdir(parents=True)
    (tmp_path / "run" / "config.json").write_text('{"lr": 0.1}')
    assert read(logs, root=tmp_path) == {"lr": 0.1}
    assert read(logs, root=logs) == {}


def test_links_out_of_the_logdir_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"token": "x"}')
    logdir = tmp_path / "logs"
    logdir.mkdir()
    (logdir / "config.json").symlink_to("../secret.json")
    (logdir / "inside.json").write_text('{"lr": 1}')
    (logdir / "args.json").symlink_to("inside.json")
    assert read(logdir) == {"lr": 1.0}


def test_files_that_are_not_configs_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[1, 2]")
    (tmp_path / "args.json").write_text("{")
    (tmp_path / "hparams.json").write_bytes(b"\xff\xfe")
    (tmp_path / "config.toml").mkdir()
    (tmp_path / "hparams.toml").write_bytes(b"x" * (MAX_BYTES + 1))
    os.mkfifo(tmp_path / "args.yaml")
    assert read(tmp_path) == {}


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "9" * 5000])
def test_hostile_json_is_refused_or_empty(text: str) -> None:
    try:
        assert parse_config(text, suffix=".json") == {}
    except DecodeError:
        pass


def test_yaml_tags_construct_nothing() -> None:
    text = "a: !!python/object/apply:os.system ['echo hacked > hacked']\nb: !!python/tuple [1, 2]\nc: !x 5\n"
    assert parse_config(text, suffix=".yaml") == {"a": '["echo hacked > hacked"]', "b": "[1.0, 2.0]", "c": 5.0}


def test_yaml_bombs_stay_small() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 100)]
    settings = parse_config("\n".join(lines), suffix=".yaml")
    assert settings["a0"] == '["x", "x"]'
    assert settings["a99"] == "[null, null]"
    with pytest.raises(DecodeError, match="nested too deeply"):
        parse_config("[" * 1000 + "]" * 1000, suffix=".yaml")


def test_unchanged_files_are_not_read_again(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text('{"lr": 1}')
    first = read_config_files(tmp_path, root=tmp_path, known=ConfigFiles())
    assert read_config_files(tmp_path, root=tmp_path, known=first) is first
    file.write_text('{"lr": 12}')
    assert read_config_files(tmp_path, root=tmp_path, known=first).settings == {"lr": 12.0}


@pytest.mark.parametrize("text", ["x = 0x" + "f" * 5000, "x = [0x" + "f" * 5000 + "]", "x = " + "9" * 5000])
def test_number_that_cannot_become_text_makes_a_config_invalid(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    assert read(tmp_path) == {}
