"""Context of requests: bounded caches, and the names that the board shows."""

import threading

import numpy as np
import pytest

from board_client import ServedBoard
from lossboard.kinds.cancellation import Cancelled, run_cancellable
from lossboard.kinds.context import Caches
from lossboard.kinds.decoding_memory import DecodingMemory
from lossboard.kinds.scalars.api import _SMOOTHED_BYTES
from lossboard.store.run_ids import run_id


def test_cache_is_shared_by_name():
    caches = Caches()
    caches.get("a", max_size=10).put("key", 1, size=1)
    assert caches.get("a", max_size=10).get("key") == 1
    assert caches.get("b", max_size=10).get("key") is None


def test_smoothed_series_are_cached_within_the_limit(tmp_path):
    board = ServedBoard(tmp_path)
    board.write("a", {"loss": list(np.arange(300.0))})
    board.poll()
    cache = board.context.caches.get("smoothed scalars", max_size=_SMOOTHED_BYTES)
    cache.max_size = 8000  # two series of 300 points
    for weight in np.linspace(0.1, 0.9, 20):
        board.charts({"tags": ["loss"], "smoothing": {"method": "ema", "weight": weight}})
        assert 0 < cache.size <= 8000


def test_boards_share_no_cache(tmp_path):
    boards = [ServedBoard(tmp_path), ServedBoard(tmp_path)]
    boards[0].write("a", {"loss": [1.0, 2.0] * 200})
    for board in boards:
        board.poll()
    boards[0].charts({"tags": ["loss"], "smoothing": {"method": "ema", "weight": 0.5}})
    lengths = [len(board.context.caches.get("smoothed scalars", max_size=_SMOOTHED_BYTES)) for board in boards]
    assert lengths == [1, 0]


def test_display_names_are_aliases_or_labels(tmp_path):
    board = ServedBoard(tmp_path)
    for name in ("a/logs/tensorboard", "b"):
        board.write(name, {"loss": [1.0]})
    board.poll()
    board.post("/api/runs/edit", {"ids": [run_id("b")], "set": {"alias": "best"}})
    assert board.context.display_names() == {"a/logs/tensorboard": "a", "b": "best"}


def test_large_decoding_waits_for_other_one():
    memory = DecodingMemory(max_bytes=100)
    order = []
    waits = threading.Event()

    def decode_another() -> None:
        waits.set()
        with memory.reserve(60):
            order.append("second")

    with memory.reserve(60):
        with memory.reserve(40):
            order.append("small one beside it")
        other = threading.Thread(target=decode_another)
        other.start()
        waits.wait()
        order.append("first")
    other.join()
    assert order == ["small one beside it", "first", "second"]


def test_what_is_larger_than_the_memory_is_decoded_alone():
    memory = DecodingMemory(max_bytes=100)
    with memory.reserve(1000):
        pass
    with memory.reserve(100):
        pass


def test_cancelled_request_does_not_wait_for_memory():
    memory, cancelled = DecodingMemory(max_bytes=100), threading.Event()

    def decode() -> None:
        cancelled.set()
        with memory.reserve(1):
            raise AssertionError("not cancelled")

    with memory.reserve(100), pytest.raises(Cancelled):
        run_cancellable(decode, cancelled)
