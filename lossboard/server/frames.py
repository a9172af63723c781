"""Encoding of responses: JSON, and frames with a JSON head and Arrow tables."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import nanoarrow as na
from nanoarrow.ipc import StreamWriter

from lossboard.kinds.json_numbers import number

_MAX_ITEMS = 2000
"""Longer lists are encoded in parts, because Python cannot switch to another thread within one."""

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
    """Returns compact JSON. Non-finite numbers become strings."""
    match document:
        case dict() if any(map(_is_long, document.values())):
            pairs = (json_bytes(str(name)) + b":" + json_bytes(value) for name, value in document.items())
            return b"{" + b",".join(pairs) + b"}"
        case Sequence() if _is_long(document):
            parts = (document[start : start + _MAX_ITEMS] for start in range(0, len(document), _MAX_ITEMS))
            return b"[" + b",".join(json_bytes(part)[1:-1] for part in parts) + b"]"
    try:
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError:  # there is a NaN or infinity; looking for it first would slow down every response
        text = json.dumps(_without_non_finite(document), separators=(",", ":"), ensure_ascii=False)
    # A file name that is not valid UTF-8 has lone surrogates.
    return text.encode("utf-8", "replace")


def _is_long(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) > _MAX_ITEMS


def _without_non_finite(document: Any) -> Any:
    match document:
        case float():
            return number(document)
        case dict():
            return {key: _without_non_finite(value) for key, value in document.items()}
        case list() | tuple():
            return [_without_non_finite(item) for item in document]
    return document


def table_bytes(columns: Mapping[str, Any]) -> bytes:
    """Returns a table as an Arrow IPC stream. Columns are NumPy arrays or lists of strings."""
    types = {name: na.string() if isinstance(a, list) else _TYPES[a.dtype.name] for name, a in columns.items()}
    length = len(next(iter(columns.values())))
    children = [na.c_array(column, types[name]) for name, column in columns.items()]
    batch = na.c_array_from_buffers(na.struct(types), length, [None], children=children)
    out = io.BytesIO()
    with StreamWriter.from_writable(out) as writer:
        writer.write_array(batch)
    return out.getvalue()


def frames(head: Any, tables: Sequence[Mapping[str, Any]]) -> bytes:
    """Returns the head and the tables, each after its length."""
    parts = [json_bytes(head), *map(table_bytes, tables)]
    return b"".join(chunk for part in parts for chunk in (struct.pack("<I", len(part)), part))
