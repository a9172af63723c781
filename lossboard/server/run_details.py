"""Details of single runs, for their pages and for comparing them: config, environment, metrics, files, console."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lossboard.errors import UsageError
from lossboard.kinds.json_numbers import JsonNumber, number
from lossboard.kinds.params import parse_strings
from lossboard.kinds.routes import StreamResult
from lossboard.kinds.text.render_process import render_all
from lossboard.select.facts.columns import Column
from lossboard.select.facts.direction import Direction, direction_of
from lossboard.select.facts.environment import read_environment
from lossboard.select.facts.fields import Field
from lossboard.server.documents import ConsoleOutput, RunDetails, RunDetailsList, RunFileList, RunMetric
from lossboard.store.console_files import console_files, read_chunks, read_tail
from lossboard.store.run_files import list_run_files
from lossboard.store.run_folder import run_folders

if TYPE_CHECKING:
    from typing import Any

    from lossboard.select.facts.table import FactTable
    from lossboard.select.facts.values import FactValue
    from lossboard.server.board import BoardState
    from lossboard.store.run import Run

_MAX_RUNS = 50
_MAX_METRICS = 200
_MAX_CONSOLE_BYTES = 4 << 20


def describe_runs(board: BoardState, params: Mapping[str, Any]) -> RunDetailsList:
    ids = parse_strings(params.get("runs"), "runs")
    if len(ids) > _MAX_RUNS:
        raise UsageError(f'Expected "runs" to have at most {_MAX_RUNS} runs.')
    cursor, table = board.context.logdir.cursor, board.facts.table()
    rows = {run.id: row for row, run in enumerate(table.runs)}
    known = [id for id in ids if id in rows]
    notes = [str(board.context.annotations.of(table.runs[rows[id]]).get("note") or "") for id in known]
    rendered = render_all([((note,), (1,)) for note in notes])
    runs = [_describe(board, table, rows[id], rendered.get(place)) for place, id in enumerate(known)]
    return {"cursor": cursor, "runs": runs, "missing": [id for id in ids if id not in rows]}


def _describe(board: BoardState, table: FactTable, row: int, note_html: str | None) -> RunDetails:
    run = table.runs[row]
    root = board.context.logdir.root_of(run).folder
    environment = read_environment(run.path, [file.name for file in run.files], root=root)
    tags = [info.tag for info in board.facts.scalar_series([run])[0]]
    directions = {tag: direction_of(Field("metric", tag, "last")) for tag in tags}
    tags.sort(key=lambda tag: (directions[tag] is None, tag))
    return {
        "id": run.id,
        "config": {name: _json(value) for name, value in table.hyperparameters[row].items()},
        "command": environment.command,
        "environment": {name: _json(value) for name, value in environment.facts.items()},
        "metrics": [_metric(table, row, tag, directions[tag]) for tag in tags[:_MAX_METRICS]],
        "metric_count": len(tags),
        "note_html": note_html,
    }


def _metric(table: FactTable, row: int, tag: str, direction: Direction | None) -> RunMetric:
    names = ("first", "last", "min", "argmin", "max", "argmax")
    first, last, low, low_at, high, high_at = (
        _number(table.column(Field("metric", tag, name)).value(row)) for name in names
    )
    metric: RunMetric = {
        "tag": tag,
        "count": int(table.column(Field("metric", tag, "count")).value(row) or 0),
        "first": first,
        "last": last,
        "min": low,
        "min_step": low_at,
        "max": high,
        "max_step": high_at,
        "direction": direction,
    }
    if direction and (ranked := _rank(table, row, Field("metric", tag, direction), direction)):
        metric["rank"], metric["ranked"] = ranked
    return metric


def _rank(table: FactTable, row: int, field: Field, direction: Direction) -> tuple[int, int] | None:
    """Returns the place of a run among all runs with the metric, and how many those are."""
    column = table.column(field)
    if not isinstance(column, Column):
        return None
    values = column.numbers if direction == "min" else -column.numbers
    finite = values[np.isfinite(values)]
    if len(finite) < 2 or not math.isfinite(values[row]):
        return None
    return int((finite < values[row]).sum()) + 1, len(finite)


def _number(value: FactValue | None) -> JsonNumber | None:
    return number(value) if isinstance(value, float) else None


def _json(value: FactValue) -> bool | JsonNumber | str:
    return number(value) if isinstance(value, float) else value


def describe_files(board: BoardState, id: str) -> RunFileList:
    folder, _ = _folder(board, id)
    found = list_run_files(folder)
    return {
        "folder": str(folder.absolute()),
        "files": [
            {"name": file.name, "type": file.type, "bytes": file.bytes, "modified": file.modified, "files": file.files}
            for file in found.files
        ],
        "is_complete": found.is_complete,
        "console": console_files(folder),
    }


def describe_console(board: BoardState, params: Mapping[str, str]) -> ConsoleOutput:
    folder, root = _folder(board, params.get("run", ""))
    wanted = params.get("bytes", "65536")
    if not wanted.isdecimal() or not 0 < int(wanted) <= _MAX_CONSOLE_BYTES:
        raise UsageError(f'Expected "bytes" to be a number from 1 to {_MAX_CONSOLE_BYTES}.')
    tail = read_tail(folder, params.get("file", ""), root=root, max_bytes=int(wanted))
    return {"bytes": tail.bytes, "text": tail.text, "is_cut": tail.is_cut}


def download_console(board: BoardState, params: Mapping[str, str]) -> StreamResult:
    folder, root = _folder(board, params.get("run", ""))
    name = params.get("file", "")
    return StreamResult(read_chunks(folder, name, root=root), "text/plain", name.replace("/", "-"))


def _folder(board: BoardState, id: str) -> tuple[Path, Path]:
    """Returns the folder of a run, and the logdir that it belongs to."""
    run: Run = board.context.find_run(id)
    root = board.context.logdir.root_of(run).folder
    return run_folders(run.path, root=root)[0], root
