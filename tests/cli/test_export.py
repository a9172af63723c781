"""`lossboard export`: all formats, options and errors."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import duckdb
import polars
import pytest

from lossboard.cli.main import main
from lossboard.events.summary import TENSOR, encode_event, encode_metadata, encode_simple_value, encode_value
from reference import frame


def write(folder: Path, *events: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.out.tfevents.1").write_bytes(b"".join(map(frame, events)))


def scalar(step: int, value: float, tag: str = "loss") -> bytes:
    return encode_event(100.5 + step, step, values=[encode_simple_value(tag, value)])


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    logs = tmp_path / "logs"
    write(logs / "=run", scalar(0, 0.5), scalar(1, math.nan), scalar(2, -math.inf), scalar(1, -0.0))
    write(logs / "b", scalar(0, 1.0, 'a "tag", quoted'), scalar(0, 2.0))
    return logs


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_jsonl_is_the_default(logdir: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["export", str(logdir), "--runs", "^=", "--all-attempts"]) == 0
    out = capsysbinary.readouterr().out.decode()
    head = {"run": "=run", "tag": "loss", "kind": "scalars"}
    assert lines(out) == [
        {**head, "step": 0, "wall_time": 100.5, "value": 0.5},
        {**head, "step": 1, "wall_time": 101.5, "value": "NaN", "hidden": True},
        {**head, "step": 2, "wall_time": 102.5, "value": "-Infinity", "hidden": True},
        {**head, "step": 1, "wall_time": 101.5, "value": -0.0},
    ]
    assert '"value":-0.0' in out


def test_csv_cells_are_not_formulas(logdir: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert main(["export", str(logdir), "--format", "csv", "-o", str(out)]) == 0
    assert sorted(out.read_text().splitlines()) == [
        "'=run,loss,0,100.5,0.5",
        "'=run,loss,1,101.5,-0.0",
        'b,"a ""tag"", quoted",0,100.5,1.0',
        "b,loss,0,100.5,2.0",
        "run,tag,step,wall_time,value",
    ]


@pytest.mark.parametrize("format", ["csv", "arrow", "parquet"])
def test_all_table_formats_have_the_same_rows(logdir: Path, tmp_path: Path, format: str) -> None:
    out = tmp_path / f"out.{format}"
    assert main(["export", str(logdir), "--format", format, "--runs", "run", "--all-attempts", "-o", str(out)]) == 0
    rows = polars.read_ipc_stream(out).rows() if format == "arrow" else duckdb.sql(f"SELECT * FROM '{out}'").fetchall()
    run = "'=run" if format == "csv" else "=run"
    assert [row[:4] for row in rows] == [(run, "loss", step, 100.5 + step) for step in (0, 1, 2, 1)]
    assert [str(row[4]) for row in rows] == ["0.5", "nan", "-inf", "-0.0"]
    assert [row[5] for row in rows] == [False, True, True, False]


def test_tags_option_selects_tags(logdir: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["export", str(logdir), "--tags", "quoted$", "-o", str(out)]) == 0
    assert [(line["run"], line["tag"]) for line in lines(out.read_text())] == [("b", 'a "tag", quoted')]


def test_undecodable_point_is_omitted_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = encode_value("t", TENSOR, b"\x08\x07", metadata=encode_metadata("text"))
    write(tmp_path / "logs", encode_event(1.0, 1, values=[bad]), scalar(2, 1.0))
    out = tmp_path / "out.jsonl"
    assert main(["export", str(tmp_path / "logs"), "-o", str(out)]) == 0
    assert [line["kind"] for line in lines(out.read_text())] == ["scalars"]
    assert "omitted 1 point that cannot be decoded" in capsys.readouterr().err


def test_corrupt_record_is_skipped_and_reported(
    logdir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = logdir / "b" / "events.out.tfevents.1"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    assert main(["export", str(logdir), "-o", str(tmp_path / "out")]) == 0
    assert "skipped 1 corrupt record. lossboard inspect" in capsys.readouterr().err


def test_output_file_is_unchanged_after_an_error(logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("before")

    def fails(self: object, run: object) -> None:
        raise RuntimeError("in the middle")

    monkeypatch.setattr("lossboard.export.jsonl.JsonlExporter.of_run", fails)
    with pytest.raises(RuntimeError):
        main(["export", str(logdir), "-o", str(out)])
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["out.jsonl"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--format", "parquet"], "Set -o to a file"),
        (["--runs", "("], "not a valid regular expression"),
        (["-o", "/no/such/folder/out"], "Cannot write"),
    ],
)
def test_invalid_arguments_are_reported(
    logdir: Path, args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(logdir), *args]) == 1
    assert message in capsys.readouterr().err


def test_parquet_without_duckdb_names_the_extra_to_install(
    logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert main(["export", str(logdir), "--format", "parquet", "-o", str(tmp_path / "out")]) == 1
    assert "pip install 'lossboard[sql]'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_arrow_is_not_printed_in_a_terminal(
    logdir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["export", str(logdir), "--format", "arrow"]) == 1
    assert "cannot be printed in a terminal" in capsys.readouterr().err


def test_missing_logdir_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(tmp_path / "nowhere")]) == 1
    assert "No such logdir" in capsys.readouterr().err
