"""SQL over the runs of a logdir, run by DuckDB in a database that sees no files and no network.

The tables are Arrow streams that DuckDB reads batch by batch, so that a query over a large logdir does not copy it.
A query may come from anywhere, so only a single SELECT is accepted, and DuckDB itself is locked down as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lossboard.errors import UsageError
from lossboard.export.facts_table import FactsTable
from lossboard.export.scalar_table import Chunk, ScalarTable
from lossboard.select.facts.fields import RUN_FACTS, Field

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from lossboard.export.run_lists import Cell
    from lossboard.select.facts.table import FactTable

_ROWS_AT_ONCE = 10_000
_MAX_EXACT = 2**53
_KEPT_TYPES = {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"}
"""Types that a cell can have, unsigned ones too. Values of other types are written as DuckDB writes them."""
_LOCK = (
    "SET autoload_known_extensions = false",
    "SET autoinstall_known_extensions = false",
    "SET python_enable_replacements = false",  # otherwise a table name can find a Python variable
    "SET temp_directory = ''",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


class SqlQuery:
    """A SELECT over the tables `runs`, `hparams` and `scalars`. With `output`, DuckDB may write that one file."""

    def __init__(self, facts: FactTable, query: str, *, output: Path | None = None) -> None:
        self._connection = _connect(output)
        self._query = query.strip().rstrip(";")
        self._output = output
        with _explain_errors():
            _check_is_select(self._connection, query)
            for name in _mentioned_tables(query):
                self._connection.register(name, _TABLES[name](facts))
            described = self._connection.execute(f"SELECT * FROM (\n{self._query}\n) LIMIT 0").description
        self.columns = tuple(str(column[0]) for column in described)
        self._types = [str(column[1]).partition("(")[0].removeprefix("U") for column in described]

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """Runs the query and yields its rows, without holding all of them."""
        cells = ", ".join(
            f"#{place}" if type in _KEPT_TYPES else f"CAST(#{place} AS VARCHAR)"
            for place, type in enumerate(self._types, 1)
        )
        with _explain_errors():
            result = self._connection.execute(f"SELECT {cells} FROM (\n{self._query}\n)")
            while rows := result.fetchmany(_ROWS_AT_ONCE):
                yield from (tuple(map(_cell, row)) for row in rows)

    def write_parquet(self) -> None:
        """Runs the query and writes its rows to the output file."""
        with _explain_errors():
            # The draft is the only file that may be written, so DuckDB cannot write to a temporary file first.
            copy = f"COPY (SELECT * FROM (\n{self._query}\n)) TO {_quote(self._output)}"
            self._connection.execute(f"{copy} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)")


def _connect(output: Path | None) -> DuckDBPyConnection:
    try:
        import duckdb
    except ImportError:
        raise UsageError("lossboard sql needs DuckDB. Install it with: pip install 'lossboard[sql]'") from None
    connection = duckdb.connect()
    if output is not None:
        connection.execute(f"SET allowed_paths = [{_quote(output)}]")
    for setting in _LOCK:
        connection.execute(setting)
    return connection


def _quote(path: Path | None) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _check_is_select(connection: DuckDBPyConnection, query: str) -> None:
    kinds = [statement.type.name for statement in connection.extract_statements(query)]
    if kinds != ["SELECT"]:
        got = " and ".join(kinds) or "an empty query"
        raise UsageError(f"Expected one SELECT statement, got {got}. The tables are {', '.join(_TABLES)}.")


@contextmanager
def _explain_errors() -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise UsageError(f"{error}\nThe tables are {', '.join(_TABLES)}. Their columns: DESCRIBE runs") from None


def _mentioned_tables(query: str) -> list[str]:
    """Returns the tables whose names are in a query, or all, so that SHOW TABLES lists them. The rest is not built."""
    return [name for name in _TABLES if name in query.lower()] or list(_TABLES)


def _runs(facts: FactTable) -> FactsTable:
    return _facts_table(facts, {name: Field("run", name) for name in RUN_FACTS})


def _hparams(facts: FactTable) -> FactsTable:
    """A row for each run and a typed column for each hyperparameter. One called `run` is the column `hp.run`."""
    names = {"hp.run" if name.lower() == "run" else name: name for name in sorted(facts.hyperparameter_names)}
    columns = {column: Field("hp", name) for column, name in names.items()}
    return _facts_table(facts, {"run": Field("run", "run"), **columns})


def _facts_table(facts: FactTable, fields: dict[str, Field]) -> FactsTable:
    columns = {name: facts.column(field) for name, field in fields.items()}
    return FactsTable(columns, np.arange(len(facts)))


def _scalars(facts: FactTable) -> ScalarTable:
    chunks = [
        Chunk(run.name, tag, run.column(tag))
        for run in facts.runs
        for plugin, tag in run.series()
        if plugin == "scalars"
    ]
    return ScalarTable(chunks)


_TABLES = {"runs": _runs, "hparams": _hparams, "scalars": _scalars}


def _cell(value: object) -> Cell:
    """Returns a value of DuckDB as a cell. An integer that a float cannot hold stays exact as a text."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) > _MAX_EXACT:
        return str(value)
    return float(value)  # type: ignore[arg-type]
