import json

import pytest

from lossboard.cli.main import main
from lossboard.errors import UsageError
from lossboard.train import sweep as sweeping
from lossboard.train.sweep import combinations, parse_grid, sweep, table
from train.tiny_bert import tiny_config


def test_combinations_are_labeled_by_their_settings(tmp_path):
    configs = combinations(tiny_config(tmp_path, run_tag="first"), parse_grid(["learning-rate=1e-3,1e-2", "seed=0,1"]))
    assert [(c.learning_rate, c.seed) for c in configs.values()] == [(1e-3, 0), (1e-3, 1), (1e-2, 0), (1e-2, 1)]
    assert configs["learning-rate=1e-2_seed=1"].run_tag == "first_learning-rate=1e-2_seed=1"


@pytest.mark.parametrize("words", [["seed"], ["seed="], ["seed=1,,2"]])
def test_grid_without_values_is_refused(words):
    with pytest.raises(UsageError, match="is not SETTING=A,B"):
        parse_grid(words)


def test_unknown_setting_is_refused_before_anything_runs(tmp_path):
    with pytest.raises(UsageError, match="Unknown setting 'sede'"):
        sweep(tiny_config(tmp_path), parse_grid(["seed=0,1", "sede=1"]))
    assert not (tmp_path / "runs").exists()


def test_interrupted_sweep_continues(tmp_path, monkeypatch):
    config, grid = tiny_config(tmp_path, epochs=1), parse_grid(["seed=0,1,2"])
    real, calls = sweeping.train_run, []

    def interrupted(run, *, resume):
        calls.append(run.id)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(run, resume=resume)

    monkeypatch.setattr(sweeping, "train_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sweep(config, grid)
    entries = sweep(config, grid)
    assert len(calls) == 3, "finished runs are skipped, and the started one resumes in its directory"
    assert len({entry["run"] for entry in entries.values()}) == 3
    assert [entry["metrics"]["step"] for entry in entries.values()] == [8, 8, 8]
    assert table(entries).count("%") == 9


def test_table_is_ranked_by_the_metric():
    metrics = {
        "a": {"accuracy": 0.8, "f1": 0.5, "loss": 0.4},
        "b": {"accuracy": 0.7, "f1": 0.9, "loss": 0.6},
    }

    def order(metric):
        entries = {name: {"run": name, "metrics": {**m, "metric": metric, "last": m}} for name, m in metrics.items()}
        return [line.split()[-2] for line in table(entries).splitlines()[1:]]

    assert (order("accuracy"), order("f1"), order("loss")) == (["a", "b"], ["b", "a"], ["a", "b"])


def test_failed_combination_does_not_stop_the_others(tmp_path):
    entries = sweep(tiny_config(tmp_path, epochs=1), parse_grid(["max-length=20,99"]))
    assert entries["max-length=20"]["metrics"]["step"] == 8
    assert "but the model has 64 positions" in entries["max-length=99"]["failed"]


def test_command_prints_the_checkpoint_and_reports_errors(tmp_path, monkeypatch, capsys):
    config = tiny_config(tmp_path, epochs=1)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps(config.as_dict()))
    assert main(["finetune", "--config", "run.json", "--run-tag", "cli"]) == 0
    assert "_001_cli/checkpoints/best" in capsys.readouterr().out
    assert main(["finetune", "--config", "run.json", "--model", "nowhere/at/all"]) == 1
    assert "Model nowhere/at/all not found" in capsys.readouterr().err
    assert main(["finetune", "--config", "run.json", "--engine", "tensorflow"]) == 1
    assert "--engine tensorflow needs tensorflow and keras_hub: pip install" in capsys.readouterr().err
    assert main(["finetune", "--resume", "last", "--learning-rate", "1e-4"]) == 1
    assert "Remove --learning-rate" in capsys.readouterr().err


def test_sweep_under_torchrun_is_refused_before_a_run_is_created(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UsageError, match="--sweep does not work under torchrun"):
        sweep(tiny_config(tmp_path), parse_grid(["seed=0,1"]))
    assert not (tmp_path / "runs").exists()
