"""Parquet files, and directories written by `save_to_disk` of `datasets`.

pyarrow or DuckDB reads Parquet, nanoarrow reads Arrow streams. The class names of a ClassLabel column are taken from
what `datasets` stores with the data. Not supported: datasets that were saved without flattening a selection of rows.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lossboard.errors import DataError
from lossboard.train.data.table import CHUNK_ROWS, Chunk, RowStream

# The key of the Parquet metadata in which `datasets` stores the features.
_METADATA_KEY = b"huggingface"


def saved_dataset_files(folder: Path) -> list[Path]:
    """Returns the files of one split saved by `datasets`: its Arrow streams, and the file with the class names."""
    info = folder / "dataset_info.json"
    return [*_streams(folder), info] if info.is_file() else _streams(folder)


def saved_dataset_stream(folder: Path) -> RowStream:
    info = folder / "dataset_info.json"
    class_names = _class_names(_json_object(info) if info.is_file() else {})
    return RowStream(_arrow_chunks(_streams(folder)), "row", class_names)


def _streams(folder: Path) -> list[Path]:
    """Returns the Arrow streams that `state.json` lists."""
    state = _json_object(folder / "state.json")
    files = [folder / str(entry["filename"]) for entry in state.get("_data_files", [])]
    if not files:
        raise DataError(f"{folder / 'state.json'}: lists no data files. Save the dataset again with save_to_disk.")
    if state.get("_indices_files"):
        raise DataError(f"{folder}: contains a selection of rows. Call flatten_indices() before save_to_disk.")
    for file in files:
        if not file.is_file():
            raise DataError(
                f"No such file: {file}. It is listed in the dataset's state.json. Copy the whole directory."
            )
    return files


def read_parquet(path: Path) -> RowStream:
    if importlib.util.find_spec("pyarrow"):
        return _parquet_by_pyarrow(path)
    if importlib.util.find_spec("duckdb"):
        return _parquet_by_duckdb(path)
    raise DataError(f"{path}: reading Parquet needs pyarrow or duckdb: pip install 'lossboard[sql]'")


def _parquet_by_pyarrow(path: Path) -> RowStream:
    import pyarrow
    from pyarrow import parquet

    def columns() -> Iterator[dict[str, list[Any]]]:
        with _valid_parquet(path, pyarrow.ArrowException):
            yield from (batch.to_pydict() for batch in file.iter_batches(CHUNK_ROWS))

    with _valid_parquet(path, pyarrow.ArrowException):
        file = parquet.ParquetFile(path)
    metadata = (file.schema_arrow.metadata or {}).get(_METADATA_KEY, b"{}")
    return RowStream(_numbered(columns()), "row", _parquet_class_names(metadata))


def _parquet_by_duckdb(path: Path) -> RowStream:
    import duckdb

    connection = duckdb.connect()

    def columns() -> Iterator[dict[str, list[Any]]]:
        with _valid_parquet(path, duckdb.Error):
            while rows := result.fetchmany(CHUNK_ROWS):
                yield {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}

    with _valid_parquet(path, duckdb.Error):
        facts = connection.execute("select key, value from parquet_kv_metadata($1)", [str(path)]).fetchall()
        result = connection.execute("select * from read_parquet($1)", [str(path)])
    names = [entry[0] for entry in result.description or ()]
    return RowStream(_numbered(columns()), "row", _parquet_class_names(dict(facts).get(_METADATA_KEY, b"{}")))


@contextmanager
def _valid_parquet(path: Path, *errors: type[Exception]) -> Iterator[None]:
    try:
        yield
    except errors as error:
        raise DataError(f"{path}: not a valid Parquet file ({error}). Export it again.") from error


def _parquet_class_names(metadata: bytes) -> dict[str, tuple[str, ...]]:
    return _class_names(json.loads(metadata).get("info", {}))


def read_arrow(files: list[Path]) -> RowStream:
    return RowStream(_arrow_chunks(files), "row")


def _arrow_chunks(files: list[Path]) -> Iterator[Chunk]:
    return _numbered(columns for file in files for columns in _arrow_columns(file))


def _arrow_columns(file: Path) -> Iterator[dict[str, list[Any]]]:
    import nanoarrow
    from nanoarrow.ipc import InputStream

    try:
        with InputStream.from_path(file) as source:
            stream = nanoarrow.ArrayStream(source)
            names = [entry.name for entry in stream.schema.fields]
            for batch in stream:
                yield {name: list(values) for name, values in zip(names, batch.to_columns_pysequence()[1], strict=True)}
    except Exception as error:  # nanoarrow's own errors have no common base below Exception
        raise DataError(
            f"{file}: not a valid Arrow stream ({error}). Save the dataset again with save_to_disk."
        ) from error


def _numbered(chunks: Iterable[dict[str, list[Any]]]) -> Iterator[Chunk]:
    """Yields the chunks with rows numbered from 1."""
    rows = 0
    for columns in chunks:
        size = len(next(iter(columns.values()), []))
        yield Chunk(columns, range(rows + 1, rows + size + 1))
        rows += size


def _class_names(info: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Returns the class names of columns of ClassLabel or of lists of it, in the order of their ids."""
    features: dict[str, Any] = info.get("features") or {}
    found = {name: _class_label(feature) for name, feature in features.items()}
    return {name: tuple(map(str, label["names"])) for name, label in found.items() if label and label.get("names")}


def _class_label(feature: Any) -> dict[str, Any] | None:
    if isinstance(feature, list):
        return _class_label(feature[0]) if feature else None
    if not isinstance(feature, dict):
        return None
    return feature if feature.get("_type") == "ClassLabel" else _class_label(feature.get("feature"))


def _json_object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read ({error}). Save the dataset again with save_to_disk.") from error
    if not isinstance(value, dict):
        raise DataError(
            f"{path}: expected an object, got a {type(value).__name__}. Save the dataset again with save_to_disk."
        )
    return value
