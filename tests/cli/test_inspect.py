"""`lossboard inspect`: the tables and the JSON document."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import lossboard
from lossboard.cli import inspect
from lossboard.cli.formatting import format_steps, format_table, strip_control_chars
from lossboard.cli.main import main
from lossboard.events.summary import encode_event, encode_simple_value
from lossboard.export.describe_fact import format_bytes, format_time
from reference import frame

CORPUS = Path(__file__).parent.parent / "data" / "corpus" / "logdirs"


def log(folder: Path, *points: tuple[str, int]) -> None:
    folder.mkdir(parents=True)
    events = (encode_event(-1e18, step, values=[encode_simple_value(tag, 1.0)]) for tag, step in points)
    (folder / "events.out.tfevents.1").write_bytes(b"".join(map(frame, events)))


def test_report_lists_runs_tags_and_corrupt_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(tmp_path / "a", ("loss", 0), ("loss", 1500), ("loss", 7), ("lr", 3))
    log(tmp_path / "b", ("loss", 5))
    with (tmp_path / "b" / "events.out.tfevents.1").open("ab") as out:
        out.write(bytes(40))
    assert main(["inspect", str(tmp_path)]) == 0
    report, why = capsys.readouterr().out.split("skipped: ")
    assert why
    assert report == (
        f"{tmp_path}: 2 runs, 3 series, 5 points, 0 blobs, 247 B\n"
        "\n"
        "run  tags  points  steps   size  corrupt\n"
        "a       2       3  0 … 7  165 B\n"
        "b       1       1  5       82 B  1 record, 40 B\n"
        "\n"
        "tag   kind     runs  points  superseded  steps\n"
        "loss  scalars     2       3           1  0 … 7\n"
        "lr    scalars     1       1              3\n"
        "\n"
        "b/events.out.tfevents.1: corrupt record at byte 42, 40 B "
    )


def test_long_tables_are_shortened_without_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(inspect.MAX_ROWS + 2):
        log(tmp_path / f"run{number:02}", ("loss", 0))
    main(["inspect", str(tmp_path)])
    assert "… and 2 more runs. Use --all to list them." in capsys.readouterr().out
    main(["inspect", str(tmp_path), "--all"])
    assert "run41" in capsys.readouterr().out


def test_json_contains_runs_tags_and_assets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(CORPUS / "tbx"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["stats"]["runs"] == len(document["runs"]) == 13
    (purge,) = (run for run in document["runs"] if run["name"] == "purge")
    assert purge["tags"] == [{"kind": "scalars", "tag": "x", "points": 8, "hidden": 3, "first_step": 0, "last_step": 7}]
    assert purge["damage"] == {"records": 0, "bytes": 0, "places": []}
    assert {found["tag"] for found in document["beside"]} == {"emb:00000", "emb:00005"}


def test_tags_are_those_of_the_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with lossboard.SummaryWriter(tmp_path / "run") as writer:
        for step in (1, 2):
            writer.add_mesh("bunny", np.zeros((1, 3, 3)), faces=np.zeros((1, 1, 3)), global_step=step)
        writer.add_hparams({"lr": 0.1}, {}, run_name=".")
    assert main(["inspect", str(tmp_path)]) == 0
    rows = {
        (cells[1], cells[0]): cells[2:4] for line in capsys.readouterr().out.splitlines() if (cells := line.split())
    }
    assert rows["meshes", "bunny"] == ["1", "2"]
    assert [tag for kind, tag in rows if kind in ("meshes", "hparams")] == ["_hparams_/session_start_info", "bunny"]
    assert main(["inspect", str(tmp_path), "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    mesh = {"kind": "meshes", "tag": "bunny", "points": 2, "hidden": 0, "first_step": 1, "last_step": 2}
    assert [tag for tag in run["tags"] if tag["kind"] == "meshes"] == [mesh]


def test_json_is_valid_for_any_name(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    log(tmp_path / os.fsdecode(b"r\xff"), ('a "tag"\n\u2028', 1), ("b", -(2**63)))
    assert main(["inspect", str(tmp_path), "--json"]) == 0
    (run,) = json.loads(capsysbinary.readouterr().out)["runs"]
    assert run["name"] == "r?"
    assert [(tag["tag"], tag["first_step"]) for tag in run["tags"]] == [('a "tag"\n\u2028', 1), ("b", -(2**63))]


def test_json_of_a_tag_without_visible_points_has_null_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    log(folder, ("loss", 5))
    events = [encode_event(1.0, step, session_start=True) for step in (5, 5)]
    (folder / "events.out.tfevents.2").write_bytes(b"".join(map(frame, events)))
    assert main(["inspect", str(tmp_path), "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (tag,) = run["tags"]
    assert tag == {"kind": "scalars", "tag": "loss", "points": 0, "hidden": 1, "first_step": None, "last_step": None}


def test_empty_logdir_prints_only_totals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}: 0 runs, 0 series, 0 points, 0 blobs, 0 B\n"


def test_control_characters_in_names_are_replaced() -> None:
    assert strip_control_chars("a\x1b[31mb\nc\udcff") == "a\ufffd[31mb\ufffdc\ufffd"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (52_000_000, "52.0 MB"), (10**16, "10000.0 TB")]
)
def test_format_bytes(number: int, text: str) -> None:
    assert format_bytes(number) == text


def test_format_steps_and_times() -> None:
    assert (format_steps(None, None), format_steps(3, 3), format_steps(-1, 2**63 - 1)) == (
        "",
        "3",
        "-1 … 9,223,372,036,854,775,807",
    )
    assert (format_time(None), format_time(1e300)) == ("", "")
    assert len(format_time(1.7e9)) == 19


def test_format_table_aligns_columns_and_omits_empty_ones() -> None:
    assert list(format_table(("run", "points", "corrupt"), [("漢字", "1", ""), ("a" * 70, "12,345", "")])) == [
        "run" + " " * 57 + "  points",
        "漢字" + " " * 56 + "       1",
        "a" * 30 + "…" + "a" * 29 + "  12,345",
    ]


def test_incomplete_and_foreign_files_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(tmp_path / "cut", ("loss", 0), ("loss", 1))
    (file,) = (tmp_path / "cut").iterdir()
    file.write_bytes(file.read_bytes()[:-3])
    (tmp_path / "cut" / f"{file.name}.meta").write_text("guid: a1b2\n" * 9)
    assert main(["inspect", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert f"cut/{file.name}: the file ends inside a record. The last " in printed
    assert f"cut/{file.name}.meta: not an event file.\n" in printed
    assert main(["inspect", str(tmp_path), "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert (run["damage"]["records"], len(run["notes"])) == (0, 2)
