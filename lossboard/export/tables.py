"""Export of scalars as CSV, Arrow IPC stream or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lossboard.errors import UsageError
from lossboard.export.scalar_table import Chunk, ScalarTable
from lossboard.export.text import utf8_writer
from lossboard.kinds.cells import csv_cell
from lossboard.kinds.json_numbers import number_texts
from lossboard.kinds.scalars.decode import scalars

if TYPE_CHECKING:
    from lossboard.export.facts_table import FactsTable
    from lossboard.select.series import SeriesSelection
    from lossboard.store.logdir import Logdir


def scalar_table(logdir: Logdir, selection: SeriesSelection) -> ScalarTable:
    """Returns the selected scalars of the selected runs."""
    chunks = [
        Chunk(run.name, tag, scalars(run, tag, attempts=selection.attempts))
        for run in selection.select_runs(logdir)
        for kind, tag in selection.series(run)
        if kind.name == "scalars"
    ]
    return ScalarTable(chunks, hidden=selection.attempts)


def write_csv(table: ScalarTable, out: BinaryIO) -> None:
    with utf8_writer(out) as text:
        text.write(",".join(table.columns) + "\n")
        for run, tag, column in table.chunks:
            names = f"{csv_cell(run)},{csv_cell(tag)}"
            columns = column.steps.tolist(), number_texts(column.wall_times), number_texts(column.values)
            rows = (f"{names},{step},{wall_time},{value}" for step, wall_time, value in zip(*columns, strict=True))
            if "hidden" in table.columns:
                rows = (
                    f"{row},{str(hidden).lower()}" for row, hidden in zip(rows, column.hidden.tolist(), strict=True)
                )
            text.writelines(f"{row}\n" for row in rows)


def write_arrow(table: ScalarTable, out: BinaryIO) -> None:
    from nanoarrow.ipc import StreamWriter

    with StreamWriter.from_writable(out) as writer:
        writer.write_stream(table)


def write_parquet(table: ScalarTable | FactsTable, path: Path) -> None:
    try:
        import duckdb
    except ImportError:
        raise UsageError("Parquet export needs DuckDB. Install it with: pip install 'lossboard[sql]'") from None
    with duckdb.connect() as connection:
        connection.register("exported", table)
        target = str(path).replace("'", "''")
        connection.execute(f"COPY (SELECT * FROM exported) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
