"""Several files that grow by arbitrary amounts: each poll gives the same result as a first read."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lossboard.store.column import Column
from lossboard.store.logdir import Logdir
from lossboard.store.run import Run
from tests.store.event_file_builder import (
    event,
    field,
    graph,
    header,
    record,
    scalar,
    session_start,
    summary,
    tensor,
    text_tensor,
    version,
)
from tests.store.oracle import Oracle, Series, seen

STEPS = st.one_of(st.integers(-2, 8), st.sampled_from([2**63 - 1, -(2**63)]))
TAGS = st.sampled_from(["a", "b", "c/ü"])
PLUGINS = st.sampled_from([None, "text", "other", ""])


def noted(tag: str, step: int, text: str, plugin: str | None) -> bytes:
    return record(event(step, summary(tensor(tag, text_tensor(text), plugin=plugin))))


def histogram(tag: str, step: int) -> bytes:
    return record(event(step, summary(field(1, tag.encode()) + field(5, b"\x09" + bytes(8)))))


GOOD = st.one_of(
    st.builds(scalar, TAGS, STEPS, st.floats(width=32)),
    st.builds(scalar, TAGS, st.integers(0, 8), st.floats(width=32)),
    st.builds(noted, TAGS, STEPS, st.text(max_size=3), PLUGINS),
    st.builds(histogram, TAGS, STEPS),
    st.builds(session_start, STEPS),
    st.builds(graph, STEPS, st.binary(max_size=4)),
    st.builds(version),
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    whole = bytearray(draw(GOOD))
    whole[draw(st.integers(0, len(whole) - 1))] ^= 1 << draw(st.integers(0, 7))
    return bytes(whole)


@st.composite
def cut_off(draw: st.DrawFn) -> bytes:
    whole = draw(GOOD)
    return whole[: draw(st.integers(0, len(whole)))]


BOMBS = st.sampled_from([100, 2**31 - 1, 2**31, 2**40, 2**63 + 5]).map(header)
GARBAGE = st.binary(min_size=1, max_size=30)


FILES = st.lists(
    st.lists(st.one_of(GOOD, GOOD, GOOD, GOOD, damaged(), cut_off(), BOMBS, GARBAGE), max_size=14).map(b"".join),
    min_size=1,
    max_size=3,
)


def only(logdir: Logdir) -> Run | None:
    return logdir.runs.get(".")


@settings(max_examples=60)
@given(FILES)
def test_first_read_equals_the_oracle(contents: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for i, content in enumerate(contents):
            (folder / f"{i}.tfevents").write_bytes(content)
        logdir = Logdir.parse(name)
        logdir.poll()
        assert_same(seen(only(logdir)), Oracle(folder).seen())


@settings(max_examples=60)
@given(FILES, st.data())
def test_each_poll_equals_a_first_read(contents: list[bytes], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        logdir = Logdir.parse(name)
        left = dict(enumerate(contents))
        views: list[tuple[Column, list[int]]] = []
        while left:
            i = data.draw(st.sampled_from(sorted(left)))
            size = data.draw(st.integers(min(20, len(left[i])), len(left[i])) | st.integers(0, 20))
            with (folder / f"{i}.tfevents").open("ab") as file:
                file.write(left[i][:size])
            left[i] = left[i][size:]
            if not left[i]:
                del left[i]
            logdir.poll()
            run = only(logdir)
            assert_same(seen(run), Oracle(folder).seen())
            assert_views_unchanged(views)
            views += [(column := run.column(tag), column.steps.tolist()) for tag in "ab" if run.has("scalars", tag)]
        cold = Logdir.parse(name)
        cold.poll()
        assert logdir.stats() == cold.stats()
        assert [run.health for run in logdir.runs.values()] == [run.health for run in cold.runs.values()]


def assert_views_unchanged(views: list[tuple[Column, list[int]]]) -> None:
    """The arrays that a caller holds do not change."""
    assert all(column.steps.tolist() == steps for column, steps in views)


def assert_same(ours: Series, theirs: Series) -> None:
    assert repr(sorted(ours.items())) == repr(sorted(theirs.items()))  # as text, since NaN is not NaN
