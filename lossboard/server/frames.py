"""Answers as bytes: JSON that every browser can read, and frames of Arrow tables that none has to parse."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import nanoarrow as na
from nanoarrow.ipc import StreamWriter

from lossboard.kinds.json_numbers import number

MIME = "application/vnd.lossboard.frames"

_TYPES = {
    "float64": na.float64(),
    "float32": na.float32(),
    "int64": na.int64(),
    "int32": na.int32(),
    "uint32": na.uint32(),
    "uint16": na.uint16(),
    "uint8": na.uint8(),
}


def json_bytes(document: Any) -> bytes:
    """Compact JSON, with words for the numbers that JSON has none for."""
    try:
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError:  # a NaN or infinity somewhere; looking for it before would cost every answer a walk
        text = json.dumps(_in_words(document), separators=(",", ":"), ensure_ascii=False)
    # A file name that is no UTF-8 reaches us with lone surrogates.
    return text.encode("utf-8", "replace")


def _in_words(document: Any) -> Any:
    match document:
        case float():
            return number(document)
        case dict():
            return {key: _in_words(value) for key, value in document.items()}
        case list() | tuple():
            return [_in_words(item) for item in document]
    return document


def table_bytes(columns: Mapping[str, Any]) -> bytes:
    """One table as an Arrow IPC stream. Columns are numpy arrays, or lists of strings."""
    types = {name: na.string() if isinstance(a, list) else _TYPES[a.dtype.name] for name, a in columns.items()}
    length = len(next(iter(columns.values())))
    children = [na.c_array(column, types[name]) for name, column in columns.items()]
    batch = na.c_array_from_buffers(na.struct(types), length, [None], children=children)
    out = io.BytesIO()
    with StreamWriter.from_writable(out) as writer:
        writer.write_array(batch)
    return out.getvalue()


def frames(head: Any, tables: Sequence[Mapping[str, Any]]) -> bytes:
    """Parts one after the other, each with its length before it."""
    parts = [json_bytes(head), *map(table_bytes, tables)]
    return b"".join(piece for part in parts for piece in (struct.pack("<I", len(part)), part))
