"""Parquet files, and directories written by `save_to_disk` of `datasets`.

pyarrow or DuckDB reads Parquet, nanoarrow reads Arrow streams. The class names of a ClassLabel column are taken from
what `datasets` stores with the data. Not supported: datasets that were saved without flattening a selection of rows.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from lossboard.errors import DataError
from lossboard.train.data.table import Table, numbered_table

# The key of the Parquet metadata in which `datasets` stores the features.
_METADATA_KEY = b"huggingface"


def read_saved_dataset(folder: Path) -> Table:
    """Reads one split saved by `datasets`. `state.json` lists Arrow streams, `dataset_info.json` the class names."""
    state = _json_object(folder / "state.json")
    files = [folder / str(entry["filename"]) for entry in state.get("_data_files", [])]
    if not files:
        raise DataError(f"{folder / 'state.json'}: lists no data files. Save the dataset again with save_to_disk.")
    if state.get("_indices_files"):
        raise DataError(f"{folder}: contains a selection of rows. Call flatten_indices() before save_to_disk.")
    table = read_arrow(files)
    info = folder / "dataset_info.json"
    class_names = _class_names(_json_object(info) if info.is_file() else {})
    return Table(folder, table.columns, table.lines, "row", class_names)


def read_parquet(path: Path) -> Table:
    if importlib.util.find_spec("pyarrow"):
        columns, metadata = _parquet_by_pyarrow(path)
    elif importlib.util.find_spec("duckdb"):
        columns, metadata = _parquet_by_duckdb(path)
    else:
        raise DataError(f"{path}: reading Parquet needs pyarrow or duckdb: pip install 'lossboard[sql]'")
    return numbered_table(path, columns, class_names=_class_names(json.loads(metadata).get("info", {})))


def _parquet_by_pyarrow(path: Path) -> tuple[dict[str, list[Any]], bytes]:
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.read_table(path)
    except pyarrow.ArrowException as error:
        raise DataError(f"{path}: not a valid Parquet file ({error}). Export it again.") from error
    return table.to_pydict(), (table.schema.metadata or {}).get(_METADATA_KEY, b"{}")


def _parquet_by_duckdb(path: Path) -> tuple[dict[str, list[Any]], bytes]:
    import duckdb

    try:
        result = duckdb.execute("select * from read_parquet($1)", [str(path)])
    except duckdb.Error as error:
        raise DataError(f"{path}: not a valid Parquet file ({error}). Export it again.") from error
    names = [entry[0] for entry in result.description or ()]
    rows = result.fetchall()
    metadata = dict(duckdb.execute("select key, value from parquet_kv_metadata($1)", [str(path)]).fetchall())
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}, metadata.get(_METADATA_KEY, b"{}")


def read_arrow(files: list[Path]) -> Table:
    import nanoarrow
    from nanoarrow.ipc import InputStream

    columns: dict[str, list[Any]] = {}
    for file in files:
        if not file.is_file():
            raise DataError(
                f"No such file: {file}. It is listed in the dataset's state.json. Copy the whole directory."
            )
        try:
            with InputStream.from_path(file) as source:
                stream = nanoarrow.ArrayStream(source)
                names = [entry.name for entry in stream.schema.fields]
                batches = [batch.to_columns_pysequence()[1] for batch in stream]
        except Exception as error:  # nanoarrow's own errors have no common base below Exception
            raise DataError(
                f"{file}: not a valid Arrow stream ({error}). Save the dataset again with save_to_disk."
            ) from error
        for index, name in enumerate(names):
            columns.setdefault(name, []).extend(value for batch in batches for value in batch[index])
    return numbered_table(files[0], columns)


def _class_names(info: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Returns the class names of ClassLabel columns, in the order of their ids."""
    features: dict[str, Any] = info.get("features") or {}
    return {
        name: tuple(map(str, feature["names"]))
        for name, feature in features.items()
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" and feature.get("names")
    }


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
