"""Budget of chart requests."""

import pytest

from lossboard.errors import UsageError
from lossboard.kinds.scalars.budget import check_budget, density_size
from lossboard.kinds.scalars.chart_query import parse_charts


def charts(number, **options):
    return parse_charts({"charts": [{"key": str(i), "tags": ["loss"], **options} for i in range(number)]})


@pytest.mark.parametrize(
    ("number", "options"),
    [
        (50, {"width": 600, "height": 300}),
        (50, {"width": 400, "height": 200, "max_lines": 500}),
        (1, {"width": 8192, "height": 8192}),
        (1, {"width": 3840, "height": 2160, "max_lines": 500, "attempts": True}),
    ],
)
def test_requests_of_pages_are_within_the_budget(number, options):
    check_budget(charts(number, **options), runs=100_000)


@pytest.mark.parametrize(
    ("number", "options"),
    [(20, {"width": 8192, "max_lines": 500}), (200, {"width": 8192, "height": 8192}), (200, {"width": 8192})],
)
def test_requests_for_huge_responses_are_rejected(number, options):
    with pytest.raises(UsageError, match="more than the limit of 134,217,728"):
        check_budget(charts(number, **options), runs=100_000)


def test_few_runs_need_no_budget():
    check_budget(charts(20, width=8192, max_lines=500), runs=2)


@pytest.mark.parametrize(
    ("lines", "size", "expected"),
    [
        (300, (400, 200), (200, 100)),
        (10_000, (400, 200), (200, 100)),
        (300, (8192, 8192), (1448, 1448)),
        (1_000_000, (8192, 8192), (4, 1448)),
        (10_000_000, (2, 2), (1, 1)),
    ],
)
def test_density_gets_smaller_with_many_lines_and_pixels(lines, size, expected):
    assert density_size(lines, *size) == expected
