"""Series: undecodable points are skipped and counted, superseded points are optional."""

import pytest

from fake_run import run_of, tensor_value
from lossboard.errors import DecodeError
from lossboard.events.summary import TENSOR, encode_value
from lossboard.events.tensors import encode_strings
from lossboard.kinds.text.decode import text

HELLO, WORLD = (tensor_value("t", "text", encode_strings([word], ())) for word in (b"hello", b"world"))
BROKEN = encode_value("t", TENSOR, b"\xff\xff")


def test_undecodable_point_is_skipped_and_counted() -> None:
    series = text(run_of((1, HELLO), (2, BROKEN), (3, WORLD)), "t")
    assert [(point.step, point.texts) for point in series] == [(1, ("hello",)), (3, ("world",))]
    assert (len(series), series.skipped) == (3, 1)
    with pytest.raises(DecodeError):
        series[1]


def test_skipped_is_reset_by_each_iteration() -> None:
    series = text(run_of((1, HELLO), (2, BROKEN)), "t")
    assert [len(list(series)) for _ in range(2)] == [1, 1]
    assert series.skipped == 1


def test_points_are_found_by_index_and_by_step() -> None:
    series = text(run_of((1, HELLO), (5, WORLD)), "t")
    assert series[-1].texts == series.at(5).texts == ("world",)
    assert series.steps.tolist() == [1, 5]
    with pytest.raises(LookupError, match="step 2"):
        series.at(2)
    with pytest.raises(IndexError):
        series[2]


def test_attempts_include_superseded_points_in_file_order() -> None:
    run = run_of((1, HELLO), (2, HELLO), (1, WORLD))
    assert [(p.step, p.hidden) for p in text(run, "t")] == [(1, False)]
    assert [(p.step, p.hidden) for p in text(run, "t", attempts=True)] == [(1, True), (2, True), (1, False)]
    assert text(run, "t", attempts=True).at(1).texts == ("world",)
