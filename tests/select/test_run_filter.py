"""Filter of the sidebar. The browser's tests read the same table."""

import json
from pathlib import Path

import pytest

from lossboard.errors import UsageError
from lossboard.select.run_filter import RunFilter

TABLE = json.loads((Path(__file__).parent.parent / "golden" / "run_filter.json").read_text("utf-8"))


@pytest.mark.parametrize("case", [case for case in TABLE if "names" in case], ids=lambda case: case["filter"])
def test_filter_matches_the_names_of_the_table(case):
    filter = RunFilter.parse(case["filter"])
    assert [name for name in case["names"] if filter.matches(name)] == case["matches"]


@pytest.mark.parametrize("text", [case["filter"] for case in TABLE if "error" in case])
def test_invalid_filter_raises(text):
    with pytest.raises(UsageError, match="not a valid regular expression"):
        RunFilter.parse(text)


def test_long_filter_is_rejected():
    with pytest.raises(UsageError, match="at most 1000 characters, got 1001"):
        RunFilter.parse("a" * 1001)
