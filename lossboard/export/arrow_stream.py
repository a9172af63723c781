"""Arrow streams whose batches are made one at a time, when the reader requests them.

nanoarrow only makes streams of arrays that all exist already, which for a large logdir is a second copy of it. This is
the C struct of the specification, with callbacks in Python: https://arrow.apache.org/docs/format/CStreamInterface.html.
"""

from __future__ import annotations

import ctypes
import errno
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from nanoarrow.c_array_stream import CArrayStream

_POINTER_BYTES = ctypes.sizeof(ctypes.c_void_p)
_SCHEMA_BYTES, _SCHEMA_RELEASE = 9 * 8, 7 * 8
_ARRAY_BYTES, _ARRAY_RELEASE = 10 * 8, 8 * 8
"""Sizes of the structs, and where each keeps its release callback. A struct without one was moved, or is the end."""

_GetStruct = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_GetError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Stream(ctypes.Structure):
    _fields_ = (
        ("get_schema", _GetStruct),
        ("get_next", _GetStruct),
        ("get_last_error", _GetError),
        ("release", _Release),
        ("private_data", ctypes.c_void_p),
    )


@dataclass
class _Source:
    """What the reader of a stream has not read yet, and why the last call failed."""

    schema: Any
    batches: Iterator[Any]
    error: ctypes.Array[ctypes.c_char] | None = None


_sources: dict[int, _Source] = {}
"""By the private data of the streams that are not released."""
_ids = itertools.count(1)


def lazy_stream(schema: Any, batches: Iterator[Any]) -> CArrayStream:
    """Returns a stream of nanoarrow arrays that takes a batch from the iterator when one is read."""
    stream = _Stream(*_CALLBACKS, next(_ids))
    _sources[stream.private_data] = _Source(schema, batches)
    owner = CArrayStream.allocate()
    ctypes.memmove(owner._addr(), ctypes.byref(stream), ctypes.sizeof(stream))
    return owner


def _source_of(stream: int) -> _Source:
    source: _Source = _sources[_Stream.from_address(stream).private_data]
    return source


def _get_schema(stream: int, out: int) -> int:
    source = _source_of(stream)
    return _report_error(source, lambda: _move(source.schema.modify(), out, _SCHEMA_BYTES, _SCHEMA_RELEASE))


def _get_next(stream: int, out: int) -> int:
    source = _source_of(stream)
    return _report_error(source, lambda: _move(next(source.batches, None), out, _ARRAY_BYTES, _ARRAY_RELEASE))


def _get_last_error(stream: int) -> int | None:
    error = _source_of(stream).error
    return None if error is None else ctypes.addressof(error)


def _release(stream: int) -> None:
    struct = _Stream.from_address(stream)
    del _sources[struct.private_data]
    ctypes.memset(stream + _Stream.release.offset, 0, _POINTER_BYTES)


def _move(owner: Any | None, out: int, size: int, release: int) -> None:
    """Moves the struct that `owner` holds to `out`. Without an owner, marks the end of the stream."""
    if owner is None:
        ctypes.memset(out, 0, size)
        return
    ctypes.memmove(out, owner._addr(), size)
    ctypes.memset(owner._addr() + release, 0, _POINTER_BYTES)


def _report_error(source: _Source, work: Callable[[], None]) -> int:
    """Returns 0, or the error code that tells C about an exception. C code cannot receive the exception itself."""
    try:
        work()
    except Exception as error:
        source.error = ctypes.create_string_buffer(f"{type(error).__name__}: {error}".encode())
        return errno.EIO
    return 0


_CALLBACKS = (_GetStruct(_get_schema), _GetStruct(_get_next), _GetError(_get_last_error), _Release(_release))
"""Shared by all streams, so that no callback is freed while it runs."""
