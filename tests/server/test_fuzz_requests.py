"""Malformed requests never return 5xx."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board_client import ServedBoard
from lossboard.store.run_ids import run_id

odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.sampled_from(["loss", "accuracy", run_id("a"), "step", "wall", "relative", "ema", "none", "csv", "json"]),
)
anything = st.recursive(odd, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))
names = ["runs", "since", "x", "range", "width", "height", "smoothing", "attempts", "emphasised", "max_lines", "y"]
chart = st.fixed_dictionaries(
    {"key": st.just("0"), "tags": st.just(["loss"]) | anything}, optional=dict.fromkeys(names, anything)
)
question = st.fixed_dictionaries(
    {"charts": st.lists(chart, max_size=2) | anything},
    optional=dict.fromkeys(
        ("runs", "since", "x", "run", "tag", "format", "range", "smoothing", "ids", "set"), anything
    ),
)
paths = st.sampled_from(["scalars/charts", "scalars/at", "scalars/points", "runs/edit", "views/save", "runs/undelete"])


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    served = ServedBoard(tmp_path_factory.mktemp("logs"))
    served.write("a", {"loss": [1.0, float("nan"), 3.0], "accuracy": [0.0]})
    served.poll()
    return served


@settings(max_examples=60)
@given(path=paths, asked=question)
def test_any_request_never_returns_5xx(board, path, asked):
    assert board.post(f"/api/{path}", asked).status < 500
