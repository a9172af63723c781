"""Lazy Arrow streams: batches are made when they are read, and nothing is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import nanoarrow as na
import numpy as np
import pytest

from lossboard.export import arrow_stream

SCHEMA = na.c_schema(na.struct({"value": na.int64()}))


class Numbers:
    """A table of batches of two rows. Counts the batches that were made."""

    def __init__(self, batches: int, *, fails_at: int | None = None) -> None:
        self.made = 0
        self._batches = batches
        self._fails_at = fails_at

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return arrow_stream.lazy_stream(SCHEMA, self._read()).__arrow_c_stream__(requested_schema)

    def _read(self) -> Iterator[Any]:
        for number in range(self._batches):
            if number == self._fails_at:
                raise ValueError("the disk is gone")
            self.made += 1
            values = na.c_array_from_buffers(na.int64(), 2, [None, np.array([number, number])])
            yield na.c_array_from_buffers(SCHEMA, 2, [None], children=[values])


@pytest.fixture(autouse=True)
def check_that_streams_are_released() -> Iterator[None]:
    yield
    assert arrow_stream._sources == {}


def test_all_batches_arrive() -> None:
    assert na.Array(Numbers(3)).to_pylist() == [{"value": value} for value in (0, 0, 1, 1, 2, 2)]
    assert na.Array(Numbers(0)).to_pylist() == []


def test_batches_are_made_when_they_are_read() -> None:
    table = Numbers(100)
    stream = na.ArrayStream(table)
    assert table.made == 0
    assert len(stream.read_next()) == 2
    assert table.made == 1
    stream.close()


def test_stream_that_nobody_reads_is_released() -> None:
    Numbers(3).__arrow_c_stream__()


def test_duckdb_reads_a_table_twice() -> None:
    numbers = Numbers(1000)
    with duckdb.connect() as connection:
        connection.register("numbers", numbers)
        rows = connection.execute("SELECT count(*) FROM numbers a JOIN numbers b USING (value)").fetchall()
    assert rows == [(4000,)]


def test_exception_reaches_the_reader_as_a_message() -> None:
    with duckdb.connect() as connection:
        connection.register("numbers", Numbers(10, fails_at=5))
        with pytest.raises(duckdb.Error, match="ValueError: the disk is gone"):
            connection.execute("SELECT sum(value) FROM numbers").fetchall()
