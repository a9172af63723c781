"""Queries and groups over 10,000 runs, side by side: Lossboard, MLflow's own search, and DuckDB.

Every tool gets the same runs: 10 hyperparameters, 2 scalars of 10 steps. MLflow runs in an environment of its own in
`.cache/peers`, which the first run makes, so that its dependencies stay out of this one. Its database is kept too,
because logging 10,000 runs takes it minutes. DuckDB gets the facts as its own table, which is the best case for SQL.
CPU seconds, the least of several tries.

    python bench/query.py [--runs 10000] [--tries 7] [--no-mlflow]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

import lossboard
from lossboard.select.facts.fields import Field
from lossboard.select.facts.table import FactTable
from lossboard.select.groups import group_rows
from lossboard.select.query.run_query import run_query
from lossboard.select.select_fields import select_fields
from lossboard.series_math.group_curves import group_curve
from lossboard.series_math.points import Points

OUT = Path(__file__).parent.parent / ".cache" / "logdirs"
QUERY = "hp.lr < 1e-4 and hp.model = bert and last(train/loss) < 0.9"
SQL = """"hp.lr" < 1e-4 and "hp.model" = 'bert' and "last(train/loss)" < 0.9"""
WANTED_RATIO = 20

# MLflow's parameters are texts, so that a condition on lr is impossible. This query works in both.
MLFLOW_QUERY = "hp.model = bert and last(train/loss) < 0.9"
MLFLOW_PACKAGES = ("mlflow-skinny", "sqlalchemy", "alembic")
MLFLOW = """
import json, sys, time
from collections import Counter
from mlflow.entities import Metric, Param
from mlflow.tracking import MlflowClient
request = json.load(sys.stdin)
client = MlflowClient("sqlite:///" + request["database"])
if request["runs"] is not None:
    experiment = client.create_experiment("bench")
    for config, loss in request["runs"]:
        run = client.create_run(experiment)
        params = [Param(name, str(value)) for name, value in config.items()]
        client.log_batch(run.info.run_id, metrics=[Metric("loss", loss, 0, 9)], params=params)
experiment = client.get_experiment_by_name("bench").experiment_id
def search(query):
    return client.search_runs([experiment], query, max_results=50000)
def group():  # it cannot group, so its users count what a search returns
    return Counter((run.data.params["model"], run.data.params["seed"]) for run in search(""))
def least(work):
    best = float("inf")
    for _ in range(request["tries"]):
        begin = time.process_time()
        found = work()
        best = min(best, time.process_time() - begin)
    return best, len(found)
print(json.dumps([least(lambda: search("params.model = 'bert' and metrics.loss < 0.9")), least(group)]))
"""


def make_runs(folder: Path, count: int) -> None:
    if folder.exists():
        return
    rng = random.Random(0)
    for number in range(count):
        config = {
            "lr": 10 ** rng.uniform(-5, -2),
            "batch_size": rng.choice([16, 32, 64]),
            "model": rng.choice(["bert", "roberta", "cnn"]),
            "dropout": rng.choice([0.0, 0.1, 0.2]),
            "seed": number % 5,
            "amp": rng.random() < 0.5,
            "optim": {"name": "adamw", "wd": 0.01},
            "epochs": 3,
            "warmup": rng.random(),
        }
        with lossboard.SummaryWriter(folder / f"run_{number:05d}") as writer:
            writer.add_config(config)
            for step in range(10):
                writer.add_scalar("train/loss", 2 / (step + 1) + rng.random(), step)
                writer.add_scalar("eval/acc", step / 10 * rng.random(), step)


def least(work: Callable[[], Any], tries: int) -> float:
    """Returns the least CPU seconds of several tries."""
    best = float("inf")
    for _ in range(tries):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def report(name: str, ours: float, theirs: dict[str, float]) -> None:
    others = "   ".join(f"{peer} {secs * 1e3:8.2f} ms ({secs / ours:6.1f}×)" for peer, secs in theirs.items())
    print(f"{name:34} lossboard {ours * 1e3:8.2f} ms   {others}")


def random_points(runs: int, size: int, *, different_steps: bool = False) -> list[Points]:
    rng = np.random.default_rng(0)
    grids = [np.arange(size) * runs + number if different_steps else np.arange(size) for number in range(runs)]
    return [Points(steps, steps.astype(np.float64), rng.normal(size=size)) for steps in grids]


def peers_python() -> Path:
    """Returns a Python that has MLflow. Makes its environment the first time."""
    folder = OUT.parent / "peers"
    python = folder / "bin" / "python"
    if not (folder / "installed").exists():
        print("Installing MLflow into .cache/peers, once …")
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *MLFLOW_PACKAGES], check=True)
        (folder / "installed").touch()
    return python


def run_mlflow(table: FactTable, database: Path, tries: int) -> list[tuple[float, int]]:
    """Returns seconds and the number of results of MLflow's search, and of grouping what it finds."""
    request: dict[str, Any] = {"database": str(database), "tries": min(tries, 3), "runs": None}
    done_mark = database.with_suffix(".done")  # a database that was interrupted is made again
    if not done_mark.exists():
        print(f"Logging {len(table)} runs with MLflow, once …")
        database.unlink(missing_ok=True)
        losses = table.column(Field("metric", "train/loss", "last")).values()
        request["runs"] = [(dict(row), loss) for row, loss in zip(table.hyperparameters, losses, strict=True)]
    done = subprocess.run([peers_python(), "-c", MLFLOW], input=json.dumps(request), stdout=subprocess.PIPE, text=True)
    done.check_returncode()
    done_mark.touch()
    return [(secs, count) for secs, count in json.loads(done.stdout)]


def compare_with_mlflow(table: FactTable, by: list[Field], rows: NDArray[np.int64], tries: int) -> None:
    (search_secs, selected), (group_secs, groups) = run_mlflow(table, OUT / f"mlflow-{len(table)}.db", tries)
    assert selected == len(run_query(table, MLFLOW_QUERY).rows), "Lossboard and MLflow select different runs"
    assert groups == len(group_rows(table, rows, by)), "Lossboard and MLflow make different groups"
    ours = least(lambda: run_query(table, MLFLOW_QUERY), tries)
    report("filter by hparam and metric", ours, {"MLflow": search_secs})
    report("group by two hparams", least(lambda: group_rows(table, rows, by), tries), {"MLflow": group_secs})
    print(f"Wanted: at least {WANTED_RATIO}×.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--tries", type=int, default=7)
    parser.add_argument("--no-mlflow", action="store_true", help="compare with DuckDB only")
    options = parser.parse_args()
    folder = OUT / f"sweep-{options.runs}"
    make_runs(folder, options.runs)
    board = lossboard.open(folder)
    begin = time.process_time()
    table = board._table()
    print(f"{options.runs} runs; first table of facts {time.process_time() - begin:.2f} s")
    begin = time.process_time()
    board.hparams()
    print(f"board.hparams() {time.process_time() - begin:.2f} s")

    by, rows = list(select_fields(table, "model, seed").values()), np.arange(len(table))
    if not options.no_mlflow:
        compare_with_mlflow(table, by, rows, options.tries)
    facts = board.facts()
    with duckdb.connect() as connection:
        connection.register("facts", facts)
        connection.execute("create table runs as select * from facts")
        connection.execute("set threads = 1")
        ours = {run.name for run in run_query(table, QUERY).runs}
        theirs = {row[0] for row in connection.execute(f"select run from runs where {SQL}").fetchall()}
        assert ours == theirs, "Lossboard and DuckDB select different runs"
        peers = {
            "DuckDB": least(lambda: connection.execute(f"select run from runs where {SQL}").fetchall(), options.tries)
        }
        report("filter by hparams and metric", least(lambda: run_query(table, QUERY), options.tries), peers)
        count = least(
            lambda: connection.execute('select "hp.model", "hp.seed", count(*) from runs group by all').fetchall(),
            options.tries,
        )
        report("group by two hparams", least(lambda: group_rows(table, rows, by), options.tries), {"DuckDB": count})

        points = random_points(100, 10_000)
        connection.register("one", {"step": points[0].steps, "value": points[0].values})
        connection.execute("create table scalars as select step, value from one")
        for run in points[1:]:
            connection.register("one", {"step": run.steps, "value": run.values})
            connection.execute("insert into scalars select step, value from one")
        mean = "select step, avg(value), stddev_samp(value) from scalars group by step order by step"
        theirs_secs = least(lambda: connection.execute(mean).fetchnumpy(), options.tries)
        report(
            "mean and band, 100 × 10,000 points",
            least(lambda: group_curve(points), options.tries),
            {"DuckDB": theirs_secs},
        )
        ragged = random_points(100, 1000, different_steps=True)
        report("mean and band, 100 × 1000, own steps", least(lambda: group_curve(ragged), options.tries), {})
    print("Wanted: at most 30 ms for the mean and band.")


if __name__ == "__main__":
    main()
