"""`lossboard sql`: tables, formats, and everything that a query must not do."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import duckdb
import pytest

from lossboard.cli.main import main
from sweep import write_run


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    logs = tmp_path / "logs"
    write_run(logs / "a", {"lr": 0.1, "model": "cnn", "run": "x"}, train__loss=[3, 1.0], acc=[0.5])
    write_run(logs / "b", {"lr": 0.01, "model": "cnn"}, train__loss=[3, math.nan])
    return logs


def rows_of(capsysbinary: pytest.CaptureFixture[bytes], logdir: Path, query: str) -> list[dict[str, object]]:
    assert main(["sql", str(logdir), query, "--format", "json"]) == 0
    found: list[dict[str, object]] = json.loads(capsysbinary.readouterr().out)
    return found


def test_tables_join_by_run(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    query = "SELECT run, lr, state, count(*) AS points FROM runs JOIN hparams USING (run) JOIN scalars USING (run)"
    assert rows_of(capsysbinary, logdir, f"{query} GROUP BY ALL ORDER BY run") == [
        {"run": "a", "lr": 0.1, "state": "finished", "points": 3},
        {"run": "b", "lr": 0.01, "state": "finished", "points": 2},
    ]


def test_scalars_can_be_read_twice_in_one_query(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    query = "SELECT count(*) AS pairs FROM scalars x JOIN scalars y USING (run, tag, step);"
    assert rows_of(capsysbinary, logdir, query) == [{"pairs": 5}]


def test_values_of_any_type_become_cells(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    query = """
        SELECT 'NaN'::DOUBLE AS nan, 1.5 AS decimal, 2::UTINYINT AS small, 9007199254740993 AS large,
               true AS yes, NULL AS no, [1, 2] AS list, to_timestamp(2e7) AS time, 1 AS twice, 2 AS twice  -- end
    """
    (row,) = rows_of(capsysbinary, logdir, query)
    assert str(row.pop("time")).startswith("1970-08-20 ")  # in local time
    assert row == {
        "nan": "NaN",
        "decimal": 1.5,
        "small": 2,
        "large": "9007199254740993",
        "yes": True,
        "no": None,
        "list": "[1, 2]",
        "twice": 1,
        "twice_1": 2,
    }


def test_hyperparameter_called_run_keeps_its_value(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    rows = rows_of(capsysbinary, logdir, 'SELECT run, "hp.run" FROM hparams ORDER BY run')
    assert rows == [{"run": "a", "hp.run": "x"}, {"run": "b", "hp.run": None}]


def test_show_tables_lists_all(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert {row["name"] for row in rows_of(capsysbinary, logdir, "SHOW TABLES")} == {"hparams", "runs", "scalars"}
    described = rows_of(capsysbinary, logdir, "DESCRIBE scalars")
    assert [row["column_name"] for row in described] == ["run", "tag", "step", "wall_time", "value"]


def test_table_csv_markdown_and_latex(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    def output(format: str) -> list[str]:
        query = "SELECT run, lr FROM hparams ORDER BY lr"
        assert main(["sql", str(logdir), query, "--format", format]) == 0
        return capsysbinary.readouterr().out.decode().splitlines()

    assert output("table") == ["run    lr", "b    0.01", "a     0.1"]
    assert output("csv") == ["run,lr", "b,0.01", "a,0.1"]
    assert output("markdown") == ["| run | lr |", "| --- | ---: |", "| b | 0.01 |", "| a | 0.1 |"]
    assert output("latex")[:3] == [r"\begin{tabular}{lr}", r"\toprule", r"run & lr \\"]


def test_parquet_is_written_to_the_output_only(
    logdir: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    out = tmp_path / "it's.parquet"
    assert main(["sql", str(logdir), "SELECT run, lr FROM hparams", "--format", "parquet", "-o", str(out)]) == 0
    assert duckdb.read_parquet(str(out)).order("run").fetchall() == [("a", 0.1), ("b", 0.01)]
    before = out.read_bytes()
    query = f"SELECT * FROM read_parquet('{tmp_path}/*.parquet')"
    assert main(["sql", str(logdir), query, "--format", "parquet", "-o", str(out)]) == 1
    assert out.read_bytes() == before
    assert main(["sql", str(logdir), "SELECT 1", "--format", "parquet"]) == 1
    assert b"Set -o to a file" in capsysbinary.readouterr().err


@pytest.mark.parametrize(
    "query",
    [
        "COPY runs TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/out.db'",
        "INSTALL httpfs",
        "LOAD icu",
        "PRAGMA database_list",
        "SET threads = 1",
        "SET enable_external_access = true",
        "RESET lock_configuration",
        "CREATE TABLE copied AS SELECT * FROM runs",
        "CALL pragma_version()",
        "SELECT 1; SELECT 2",
        "",
    ],
)
def test_statements_other_than_select_are_refused(
    logdir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], query: str
) -> None:
    assert main(["sql", str(logdir), query.format(folder=tmp_path)]) == 1
    assert "Expected one SELECT statement" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]


@pytest.mark.parametrize(
    "source",
    [
        "'{file}'",
        "read_csv('{file}')",
        "read_text('{file}')",
        "read_blob('{file}')",
        "read_json('{file}')",
        "read_parquet('{file}')",
        "sniff_csv('{file}')",
        "glob('{file}')",
        "query('FROM read_text(''{file}'')')",
        "read_csv('https://localhost:1/secret.csv')",
    ],
)
def test_files_and_network_are_out_of_reach(
    logdir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("password\nhunter2\n", "utf-8")
    assert main(["sql", str(logdir), f"SELECT * FROM {source.format(file=secret)}"]) == 1
    output = capsys.readouterr()
    assert "disabled by configuration" in output.err
    assert "hunter2" not in output.out + output.err


def test_python_variables_are_unknown_tables(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", str(logdir), "SELECT * FROM facts"]) == 1
    assert "facts does not exist" in capsys.readouterr().err


def test_error_shows_the_place_and_the_tables(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", str(logdir), "SELECT rn FROM runs"]) == 1
    error = capsys.readouterr().err
    assert "SELECT rn FROM runs" in error
    assert "The tables are runs, hparams, scalars." in error


def test_missing_duckdb_names_the_extra_to_install(
    logdir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert main(["sql", str(logdir), "SELECT 1"]) == 1
    assert "pip install 'lossboard[sql]'" in capsys.readouterr().err
