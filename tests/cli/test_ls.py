"""`lossboard ls`: every format, every option, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path

import duckdb
import pytest

from lossboard.cli.main import main
from sweep import write_run


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    logs = tmp_path / "logs"
    write_run(logs / "a_1", {"lr": 0.1, "model": "cnn", "seed": 1}, loss=[3, 1.0], acc=[0.5])
    write_run(logs / "a_2", {"lr": 0.1, "model": "cnn", "seed": 2}, loss=[3, 2.0], acc=[math.nan])
    write_run(logs / "=b", {"lr": 1e-5, "model": "x|y"}, loss=[3, 0.123456789])
    return logs


def ls(capsysbinary: pytest.CaptureFixture[bytes], *words: object) -> str:
    assert main(["ls", *map(str, words)]) == 0
    return capsysbinary.readouterr().out.decode()


def test_table_shows_hyperparameters_that_differ_and_metrics(
    logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    head, *rows = ls(capsysbinary, logdir, "--sort", "last(loss)").splitlines()
    assert head.split() == [
        "run", "state", "start", "duration", "last_step", "lr", "model", "seed", "last(acc)", "last(loss)",
    ]  # fmt: skip
    assert [row.split()[0] for row in rows] == ["=b", "a_1", "a_2"]
    assert rows[0].split()[-1] == "0.1235"


def test_query_columns_and_sort(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    out = ls(capsysbinary, logdir, "model = cnn", "--columns", "lr, min(loss)", "--sort", "seed desc")
    assert [line.split() for line in out.splitlines()] == [
        ["run", "lr", "min(loss)"],
        ["a_2", "0.1", "2"],
        ["a_1", "0.1", "1"],
    ]


def test_json_has_an_object_for_each_run(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    rows = json.loads(ls(capsysbinary, logdir, "--format", "json", "--columns", "lr, seed, acc", "--sort", "run"))
    assert rows == [
        {"run": "=b", "lr": 1e-5, "seed": None, "acc": None},
        {"run": "a_1", "lr": 0.1, "seed": 1, "acc": 0.5},
        {"run": "a_2", "lr": 0.1, "seed": 2, "acc": "NaN"},
    ]
    whole = json.loads(ls(capsysbinary, logdir, "--format", "json"))
    assert [row["run"] for row in whole] == ["a_1", "a_2", "=b"]
    assert whole[0].keys() >= {"run", "state", "start", "duration", "last_step", "lr", "model", "seed", "last(loss)"}
    assert json.loads(ls(capsysbinary, logdir, "nothing", "--format", "json")) == []


def test_csv_is_exact_and_safe_for_spreadsheets(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    out = ls(capsysbinary, logdir, "--format", "csv", "--columns", "run, lr, last(loss), seed", "--sort", "run")
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == ["run", "lr", "last(loss)", "seed"]
    assert rows[1][:2] == ["'=b", "1e-05"]
    assert rows[1][3] == ""
    assert rows[2] == ["a_1", "0.1", "1", "1"]


def test_markdown_and_latex_escape_their_own_characters(
    logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    columns = ("--columns", "run, model, lr", "--sort", "run")
    markdown = ls(capsysbinary, logdir, "--format", "markdown", *columns).splitlines()
    assert markdown[:3] == ["| run | model | lr |", "| --- | --- | ---: |", "| =b | x\\|y | 1e-05 |"]
    latex = ls(capsysbinary, logdir, "--format", "latex", *columns)
    assert latex.startswith("\\begin{tabular}{llr}\n\\toprule\nrun & model & lr \\\\\n\\midrule\n")
    assert "=b & x|y & $1 \\times 10^{-5}$ \\\\\n" in latex
    assert "a\\_1 & cnn & 0.1 \\\\\n" in latex


def test_groups_have_mean_and_standard_deviation(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    words = (logdir, "--group", "lr", "--columns", "last(loss), acc, model")
    groups = json.loads(ls(capsysbinary, *words, "--format", "json"))
    assert groups[1] == {
        "lr": 0.1,
        "runs": 2,
        "last(loss)": 1.5,
        "last(loss) std": pytest.approx(math.sqrt(0.5)),
        "acc": 0.5,
        "acc std": None,
    }
    table = ls(capsysbinary, *words).splitlines()
    assert table[0].split() == ["lr", "runs", "last(loss)", "acc"]
    assert "1.5 ± 0.7071" in table[2]


def test_best_values_are_bold(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    def bold(*words: str) -> list[str]:
        out = ls(capsysbinary, logdir, "--columns", "last(loss), acc, lr", "--sort", "run", *words)
        return re.findall(r"\*\*(.*?)\*\*", out)

    assert bold("--format", "markdown") == ["0.1235"]  # only one run has a finite accuracy
    assert bold("--format", "markdown", "--best", "loss desc, lr") == ["1e-05", "2"]
    assert bold("--format", "markdown", "--best", "") == []
    assert bold("--format", "table") == []
    assert bold("--format", "markdown", "--group", "loss", "--best", "loss, lr") == ["1e-05"]


def test_latex_has_bold_powers_and_deviations(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    for number, lr in enumerate((1e-5, 3e-5)):
        write_run(logdir / f"c_{number}", {"lr": lr, "model": "mlp"}, loss=[lr])
    out = ls(capsysbinary, logdir, "--group", "model", "--columns", "last(loss)", "--format", "latex")
    assert r"mlp & 2 & \textbf{$\mathbf{2 \times 10^{-5}}$ $\pm$ $\mathbf{1.414 \times 10^{-5}}$} \\" in out
    assert r"cnn & 2 & 1.5 $\pm$ 0.7071 \\" in out


def test_parquet_needs_a_file(logdir: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    out = tmp_path / "runs.parquet"
    ls(capsysbinary, logdir, "--format", "parquet", "--columns", "run, lr, seed", "-o", out)
    rows = duckdb.sql(f"select run, lr, seed from '{out}' order by run").fetchall()
    assert rows == [("=b", 1e-5, None), ("a_1", 0.1, 1.0), ("a_2", 0.1, 2.0)]
    assert main(["ls", str(logdir), "--format", "parquet"]) == 1
    assert b"Set -o to a file" in capsysbinary.readouterr().err


def test_output_file_is_written(logdir: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert ls(capsysbinary, logdir, "--format", "json", "-o", tmp_path / "runs.json") == ""
    assert len(json.loads((tmp_path / "runs.json").read_text("utf-8"))) == 3


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["modle = cnn"], "No run has a fact called modle. Did you mean model?\n  modle = cnn\n  ^^^^^\n"),
        (["--sort", "lr, los"], "\n  lr, los\n      ^^^\n"),
        (["--columns", "lr,"], "Expected a name, but the query ends here."),
        (["--group", "lr <"], "\n  lr <\n      ^\n"),
    ],
)
def test_errors_show_the_place(
    logdir: Path, capsysbinary: pytest.CaptureFixture[bytes], words: list[str], error: str
) -> None:
    assert main(["ls", str(logdir), *words]) == 1
    assert error in capsysbinary.readouterr().err.decode()
