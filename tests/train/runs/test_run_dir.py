import json
import platform
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest

from lossboard.errors import UsageError
from lossboard.train import findings
from lossboard.train.config import Config
from lossboard.train.runs.run_dir import console_log, find_run, git_state, new_run

DAY = date(2026, 2, 10)


def test_ids_count_the_runs_of_a_day(tmp_path):
    config = Config(runs_dir=tmp_path)
    names = [new_run(config, today=DAY).id, new_run(config.replace(run_tag="lr-001"), today=DAY).id]
    names.append(new_run(config, today=date(2026, 2, 11)).id)
    assert names == ["2026-02-10_001", "2026-02-10_002_lr-001", "2026-02-11_001"]


def test_concurrent_runs_get_different_numbers(tmp_path):
    config = Config(runs_dir=tmp_path)
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda i: new_run(config.replace(run_tag=f"t{i}"), today=DAY), range(24)))
    assert sorted(run.id[:14] for run in runs) == [f"2026-02-10_{number:03d}" for number in range(1, 25)]


def test_new_run_records_config_and_environment(tmp_path):
    run = new_run(Config(runs_dir=tmp_path, model="m", epochs=7), today=DAY)
    assert run.config().epochs == 7
    assert (run.path / "logs" / "tensorboard").is_dir()
    facts = json.loads((run.path / "environment.json").read_text())
    assert facts["git"] == git_state() and facts["packages"]["torch"] and facts["host"] == platform.node()
    assert find_run(run.id, tmp_path) == find_run(str(run.path), tmp_path) == run


def test_console_output_is_saved(tmp_path, capsys):
    run = new_run(Config(runs_dir=tmp_path), today=DAY)
    with console_log(run):
        print("to the screen")
        print("to the screen too", file=sys.stderr)
    print("not kept")
    assert (run.path / "console.log").read_text() == "to the screen\nto the screen too\n"
    assert capsys.readouterr().out == "to the screen\nnot kept\n"


@pytest.mark.parametrize("tag", ["../up", "a b", "x/y"])
def test_tag_that_is_not_a_directory_name_is_refused(tmp_path, tag):
    with pytest.raises(UsageError, match="It names a directory"):
        new_run(Config(runs_dir=tmp_path, run_tag=tag))


def test_last_is_the_newest_unfinished_run(tmp_path):
    runs = [new_run(Config(runs_dir=tmp_path), today=DAY) for _ in range(3)]
    runs[2].write_json("result.json", {})
    assert find_run("last", tmp_path) == runs[1]
    for run in runs:
        run.write_json("result.json", {})
    with pytest.raises(UsageError, match="Nothing to resume"):
        find_run("last", tmp_path)


def test_last_skips_a_run_that_was_refused(tmp_path):
    runs = [new_run(Config(runs_dir=tmp_path), today=DAY) for _ in range(2)]
    runs[0].append_finding(findings.interrupted(5, run="x"))
    runs[1].append_finding(findings.refused("a label is missing"))
    assert find_run("last", tmp_path) == runs[0]


def test_run_from_before_split_seed_keeps_its_split(tmp_path):
    run = new_run(Config(runs_dir=tmp_path, seed=7), today=DAY)
    values = json.loads((run.path / "config.json").read_text())
    del values["split_seed"]
    run.write_json("config.json", values)
    assert run.config().split_seed == 7


def test_missing_run_is_reported(tmp_path):
    with pytest.raises(UsageError, match="Run '2026-02-10_001' not found"):
        find_run("2026-02-10_001", tmp_path)
