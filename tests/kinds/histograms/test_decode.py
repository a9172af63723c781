import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
from tensorboard.plugins.distribution.compressor import compress_histogram

from fake_run import tensor_value
from lossboard.errors import DecodeError
from lossboard.events.tensors import encode_array
from lossboard.kinds.histograms.decode import HistogramStep, buckets, distribution


def old(limits: list[float], counts: list[float], least: float = -1.0, greatest: float = 9.0) -> bytes:
    histo = HistogramProto(min=least, max=greatest, bucket_limit=limits, bucket=counts)
    return Summary.Value(tag="t", histo=histo).SerializeToString()


@pytest.mark.parametrize(
    ("counts", "rows"),
    [
        ([1, 2, 3], [[-1, 1, 1], [1, 2, 2], [2, 9, 3]]),
        ([0, 2, 0], [[-1, 9, 2]]),
        ([0, 2, 3], [[-1, 2, 2], [2, 9, 3]]),
        ([1, 0, 3], [[-1, 1, 1], [1, 2, 0], [2, 9, 3]]),
        ([0.5, 0, 0], [[-1, 9, 0.5]]),
        ([0, 0, 0], []),
    ],
)
def test_empty_end_buckets_are_dropped(counts: list[float], rows: list[list[float]]) -> None:
    assert buckets(old([1.0, 2.0, 1.7e308], counts)).tolist() == rows


def test_histogram_without_buckets_is_decoded() -> None:
    assert buckets(old([], [])).shape == (0, 3)


def test_new_style_histogram_is_kept_as_stored() -> None:
    rows = [[0.0, 0.0, 0.0], [0.0, 1.0, 5.0], [1.0, 1.0, 0.0]]
    assert buckets(tensor_value("t", "histograms", encode_array(np.array(rows)))).tolist() == rows


@pytest.mark.parametrize("data", [old([1.0], []), tensor_value("t", "histograms", encode_array(np.zeros((3, 2))))])
def test_inconsistent_histogram_raises(data: bytes) -> None:
    with pytest.raises(DecodeError):
        buckets(data)


@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=2, max_size=8, unique=True),
    st.lists(st.integers(0, 50), min_size=7, max_size=7),
)
def test_distribution_equals_tensorboards(edges: list[float], counts: list[int]) -> None:
    edges.sort()
    rows = np.array([[a, b, n] for a, b, n in zip(edges, edges[1:], counts, strict=False)])
    theirs = [value for _, value in compress_histogram(rows)]
    np.testing.assert_allclose(distribution(rows), theirs, rtol=1e-12, atol=1e-9)


def test_distribution_of_empty_and_non_finite_histograms() -> None:
    assert distribution(np.empty((0, 3))).tolist() == [0.0] * 9
    assert distribution(np.array([[0.0, np.inf, 3.0]]))[-1] == np.inf


def test_histogram_has_the_stored_moments() -> None:
    histo = HistogramProto(min=-1, max=9, num=3, sum=4.5, bucket_limit=[1.0, 9.0], bucket=[1, 2])
    point = HistogramStep.parse(Summary.Value(tag="t", histo=histo).SerializeToString())
    assert (point.min, point.max, point.num, point.sum) == (-1, 9, 3, 4.5)


@pytest.mark.parametrize(
    ("rows", "moments"),
    [([[0, 1, 0], [1, 2, 5], [2, 4, 1], [4, 5, 0]], (1, 4, 6, None)), ([[0, 0, 0]], (0, 0, 0, None))],
)
def test_moments_of_a_new_style_histogram_follow_from_its_buckets(
    rows: list[list[float]], moments: tuple[float | None, ...]
) -> None:
    point = HistogramStep.parse(tensor_value("t", "histograms", encode_array(np.array(rows, np.float64))))
    assert (point.min, point.max, point.num, point.sum) == moments
