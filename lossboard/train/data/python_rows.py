"""Examples from Python objects, stored as a JSONL file that a run reads like any other.

Supported: lists and iterables of dicts or (text, label) tuples, dicts of columns, DataFrames of pandas and Polars,
Arrow tables, `datasets.Dataset`, torch `Dataset` and `DataLoader`, `tf.data.Dataset`. They are recognized by their
methods, so no library is imported here. A stored file outlives the process, so workers can read it and a run can be
resumed. Not supported: token ids, because a run tokenizes texts itself.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from lossboard.errors import DataError
from lossboard.train.config import Config

CHUNK_ROWS = 1024
# In the runs directory. Files are named by their content, so runs share them.
FOLDER = ".data"

Row = dict[str, Any]


@dataclass(frozen=True)
class PythonRows:
    """Rows of an object, and the class names of columns that have them, in id order."""

    rows: Iterable[Row]
    class_names: Mapping[str, Sequence[str]] = field(default_factory=dict)


def store_rows(data: Any, folder: Path, *, name: str) -> tuple[Path, Mapping[str, Sequence[str]]]:
    """Writes the rows to a file in `folder` and returns it with the class names. Equal rows give the same file.

    `name` is the argument that has the data, for messages.
    """
    found = rows_of(data, name=name)
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    descriptor, draft = tempfile.mkstemp(dir=folder, prefix=".part-", suffix=".jsonl")
    try:
        with os.fdopen(descriptor, "wb") as file:
            for row in found.rows:
                line = json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass") + b"\n"
                digest.update(line)
                file.write(line)
            if not file.tell():
                raise DataError(f"{name} has no rows. Pass at least one example.")
        target = folder / f"{digest.hexdigest()[:16]}.jsonl"
        Path(draft).replace(target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    return target, found.class_names


def stored_settings(settings: Mapping[str, Any], config: Config) -> dict[str, Any]:
    """Returns the settings of a run with Python data replaced by files in its runs directory.

    Classes that have an order in Python, as those of a ClassLabel, keep it.
    """
    stored = dict(settings)
    for name in ("data", "val_data"):
        data = settings.get(name)
        if data is None or isinstance(data, (str, Path)):
            continue
        stored[name], class_names = store_rows(data, config.runs_dir / FOLDER, name=name)
        if name == "data" and config.classes is None and (classes := _label_classes(class_names, config)):
            stored["classes"] = ",".join(classes)
    return stored


def _label_classes(class_names: Mapping[str, Sequence[str]], config: Config) -> Sequence[str]:
    """Returns the classes of the label column, if they are known and can be a setting."""
    columns = [config.label_column] if config.label_column else list(class_names)
    classes = class_names.get(columns[0], ()) if len(columns) == 1 else ()
    return () if any("," in name for name in classes) else classes


def rows_of(data: Any, *, name: str = "data") -> PythonRows:
    """Returns the rows of a supported object. They are read while they are used."""
    if hasattr(data, "element_spec") and hasattr(data, "as_numpy_iterator"):
        return PythonRows(_checked(_tf_rows(data), name))
    if hasattr(data, "features") and hasattr(data, "iter"):
        return _huggingface_rows(data, name)
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return _pandas_rows(data, name)
    if hasattr(data, "iter_slices"):  # Polars
        return PythonRows(_checked((row for part in data.iter_slices(CHUNK_ROWS) for row in part.to_dicts()), name))
    if hasattr(data, "to_batches"):  # pyarrow
        batches = data.to_batches(max_chunksize=CHUNK_ROWS)
        return PythonRows(_checked((row for batch in batches for row in batch.to_pylist()), name))
    if hasattr(data, "collate_fn") and hasattr(data, "dataset"):
        # The rows behind a torch DataLoader, which come neither shuffled nor as batches of tensors.
        return rows_of(data.dataset, name=name)
    if isinstance(data, Mapping) and any(
        hasattr(value, "columns") or hasattr(value, "features") for value in data.values()
    ):
        raise DataError(
            f"{name} has several splits: {', '.join(map(str, data))}. Pass the one to train on, "
            "as data=splits['train'], and the one to validate on as val_data."
        )
    if isinstance(data, Mapping):
        return PythonRows(_checked(_column_rows(data, name), name))
    return PythonRows(_checked(map(_as_row, _items(data, name)), name))


def _items(data: Any, name: str) -> Iterator[Any]:
    if isinstance(data, (str, bytes)) or not (hasattr(data, "__iter__") or hasattr(data, "__getitem__")):
        raise DataError(
            f"{name} is a {type(data).__name__}. Pass a path, a DataFrame, a list of dicts, a datasets.Dataset, "
            "a torch Dataset or DataLoader, or a tf.data.Dataset."
        )
    # A torch Dataset need not raise IndexError at its end, which Python's own iteration relies on.
    if hasattr(data, "__len__") and not hasattr(data, "__iter__"):
        return (data[index] for index in range(len(data)))
    return iter(data)


def _checked(rows: Iterable[Row], name: str) -> Iterator[Row]:
    for number, row in enumerate(rows):
        if number == 0 and "input_ids" in row:
            raise DataError(f"{name} has token ids (input_ids). Pass the texts instead: the run tokenizes them.")
        yield {str(key): _plain(value) for key, value in row.items()}


def _plain(value: Any) -> Any:
    """Returns a value without numpy, torch or TensorFlow types. NaN, which DataFrames use for missing, becomes None."""
    if hasattr(value, "numpy") and not hasattr(value, "tolist"):  # a TensorFlow tensor
        value = value.numpy()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _as_row(item: Any) -> Row:
    """Returns an item of an iterable as a row. Of a tuple with one text, the other value is the label."""
    if isinstance(item, Mapping):
        return dict(item)
    if hasattr(item, "_asdict"):
        return dict(item._asdict())
    if isinstance(item, (tuple, list)) and len(item) in (2, 3):
        values = [_plain(value) for value in item]
        texts = [value for value in values if isinstance(value, str)]
        if len(values) == 2 and len(texts) == 1:
            label = next(value for value in values if not isinstance(value, str))
            return {"text": texts[0], "label": label}
        if len(values) == 2 and len(texts) == 2:
            return {"text": texts[0], "label": texts[1]}
        if len(values) == 3 and len(texts) >= 2:
            return {"text1": values[0], "text2": values[1], "label": values[2]}
    raise DataError(
        f"An example is a {type(item).__name__} ({str(item)[:80]!r}). "
        "Pass examples as dicts with a text and a label, or as tuples (text, label) or (text, text, label)."
    )


def _column_rows(columns: Mapping[str, Any], name: str) -> Iterator[Row]:
    lists = {key: _plain(values) for key, values in columns.items()}
    sizes = {key: len(values) for key, values in lists.items()}
    if len(set(sizes.values())) > 1:
        raise DataError(f"{name} has columns of different lengths: {sizes}. Pass columns of equal length.")
    return (dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True))


def _pandas_rows(data: Any, name: str) -> PythonRows:
    class_names = {
        str(column): [str(value) for value in data[column].cat.categories]
        for column in data.columns
        if str(data[column].dtype) == "category"
    }
    parts = (data.iloc[start : start + CHUNK_ROWS] for start in range(0, len(data), CHUNK_ROWS))
    rows = chain.from_iterable(part.astype(object).where(part.notna(), None).to_dict("records") for part in parts)
    return PythonRows(_checked(rows, name), class_names)


def _huggingface_rows(data: Any, name: str) -> PythonRows:
    """Returns the rows of `datasets`. Class ids become their names."""
    features = data.features or {}
    named = {key: classes for key, feature in features.items() if (classes := _label_names(feature))}

    def rows() -> Iterator[Row]:
        for batch in data.iter(batch_size=CHUNK_ROWS):
            columns = {key: _named(values, named[key]) if key in named else values for key, values in batch.items()}
            yield from (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))

    # The classes of a list are those of tags, not those of a whole text.
    of_texts = {key: names for key, names in named.items() if hasattr(features[key], "names")}
    return PythonRows(_checked(rows(), name), of_texts)


def _label_names(feature: Any) -> Sequence[str] | None:
    """Returns the class names of a ClassLabel, or of a list of them."""
    inner = feature[0] if isinstance(feature, list) and feature else getattr(feature, "feature", feature)
    names: Sequence[str] | None = getattr(inner, "names", None)
    return names


def _named(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return [_named(each, names) for each in _plain(value)]
    # Data without labels has -1.
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else None if value == -1 else value


def _tf_rows(data: Any) -> Iterator[Row]:
    """Yields the rows of a tf.data.Dataset, of dicts or of (text, label). Batches are taken apart."""
    for element in data.as_numpy_iterator():
        values = {key: _plain(value) for key, value in _tf_columns(element).items()}
        if any(isinstance(value, str) for value in values.values()):
            yield values
        else:
            yield from _column_rows(values, "A batch of the dataset")


def _tf_columns(element: Any) -> Row:
    if isinstance(element, Mapping):
        return dict(element)
    first, *others = element if isinstance(element, tuple) else (element,)
    named = dict(first) if isinstance(first, Mapping) else {"text": first}
    return named | ({"label": others[0]} if others else {})
