import argparse
import json
from pathlib import Path

import pytest

from lossboard.errors import UsageError
from lossboard.train.config import Config, add_flags, from_flags


def parse(*flags: str) -> Config:
    parser = argparse.ArgumentParser()
    add_flags(parser)
    return from_flags(parser.parse_args(flags))


def test_flags_are_converted_to_the_field_types(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = parse("--model", "m", "--data", "d.csv", "--learning-rate", "1e-4", "--no-group-by-length")
    assert config == Config(model="m", data=Path("d.csv"), learning_rate=1e-4, group_by_length=False)


def test_later_sources_override_earlier_ones(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs/tensorboard.json").write_text('{"runs_dir": "logs", "port": 6007, "histogram_interval": 50}')
    (tmp_path / "run.toml").write_text("histogram-interval = 20\nepochs = 5\nlearning_rate = 1")
    got = parse("--config", "run.toml", "--epochs", "7")
    assert got == Config(runs_dir=Path("logs"), histogram_interval=20, epochs=7, learning_rate=1.0)


def test_as_dict_round_trips_through_json():
    config = Config(model="m", data=Path("d"), val_data=Path("v"), micro_batch_size=4, dropout=0.0)
    assert Config.from_mapping(json.loads(json.dumps(config.as_dict()))) == config


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"learning_rat": 1}, "Unknown setting 'learning_rat'. Did you mean 'learning_rate'?"),
        ({"epochs": "two"}, "--epochs is 'two'. It must be a whole number."),
        ({"epochs": True}, "--epochs is True. It must be a whole number."),
        ({"epochs": 1.5}, "--epochs is 1.5. It must be a whole number."),
        ({"batch_size": 0}, "--batch-size is 0. It must be 1 or more."),
        ({"dropout": "high"}, "--dropout is 'high'. It must be a number, or none."),
        ({"learning_rate": float("nan")}, "--learning-rate is nan. It must be above 0."),
        ({"schedule": "cosin"}, "--schedule is 'cosin'. It must be one of linear, cosine, constant, exponential."),
    ],
)
def test_invalid_setting_is_reported(values, message):
    with pytest.raises(UsageError) as caught:
        Config.from_mapping(values)
    assert str(caught.value) == message


def test_invalid_config_file_is_reported(tmp_path):
    (tmp_path / "bad.toml").write_text("epochs = ")
    with pytest.raises(UsageError, match=r"bad\.toml is not valid TOML"):
        parse("--config", str(tmp_path / "bad.toml"))
