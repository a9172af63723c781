"""Run: how records become series."""

import struct
from pathlib import Path

import numpy as np
import pytest

from lossboard.errors import LogdirError
from lossboard.kinds import kinds
from lossboard.store.logdir import Logdir
from lossboard.store.run import Run
from tests.store.event_file_builder import (
    event,
    field,
    graph,
    metadata,
    record,
    scalar,
    session_start,
    session_stop,
    simple,
    summary,
    tensor,
    text_tensor,
    version,
    write,
)


def only_run(folder: Path) -> Run:
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    (run,) = logdir.runs.values()
    return run


def steps(run: Run, tag: str = "loss") -> list[int]:
    return run.column(tag).steps.tolist()


def test_scalar_series_has_three_columns(tmp_path: Path) -> None:
    write(tmp_path, version(), *(scalar("loss", s, s / 2, wall_time=1.7e9 + s) for s in (0, 1, 7, 2**63 - 1)))
    column = only_run(tmp_path).column("loss")
    assert column.steps.tolist() == [0, 1, 7, 2**63 - 1]
    assert column.wall_times.tolist() == [1.7e9, 1.7e9 + 1, 1.7e9 + 7, 1.7e9 + 2**63 - 1]
    assert column.values[:3].tolist() == [0, 0.5, 3.5]
    assert (column.steps.dtype, column.values.dtype) == (np.int64, np.float64)
    assert not column.values.flags.writeable


def test_non_finite_values_are_kept(tmp_path: Path) -> None:
    write(tmp_path, *(scalar("loss", s, v) for s, v in enumerate((float("nan"), float("inf"), -float("inf"), -0.0))))
    values = only_run(tmp_path).column("loss").values
    assert np.isnan(values[0])
    assert values[1:3].tolist() == [float("inf"), -float("inf")]
    assert np.signbit(values[3])


def test_negative_and_missing_steps_are_read(tmp_path: Path) -> None:
    write(tmp_path, scalar("loss", -5, 1), scalar("loss", 0, 2), scalar("loss", 3, 3))
    assert steps(only_run(tmp_path)) == [-5, 0, 3]


def test_restart_supersedes_points_and_attempts_include_them(tmp_path: Path) -> None:
    write(tmp_path, *(scalar("loss", s, i) for i, s in enumerate([0, 1, 2, 3, 2, 3, 1, 5, 5])))
    run = only_run(tmp_path)
    assert steps(run) == [0, 1, 5]
    assert run.column("loss").values.tolist() == [0, 6, 8]
    attempts = run.attempts("scalars", "loss")
    assert attempts.steps.tolist() == [0, 1, 2, 3, 2, 3, 1, 5, 5]
    assert attempts.hidden.tolist() == [False, True, True, True, True, True, False, True, False]
    (info,) = run.index()
    assert (info.count, info.hidden, info.first_step, info.last_step, info.last_value) == (3, 6, 0, 5, 8.0)


def test_second_start_supersedes_points_of_all_series(tmp_path: Path) -> None:
    points = [scalar(tag, s, s) for s in range(6) for tag in "ab"]
    write(tmp_path, session_start(3), *points, session_start(4), scalar("a", 9, 9))
    run = only_run(tmp_path)
    assert steps(run, "a") == [0, 1, 2, 3, 9]
    assert steps(run, "b") == [0, 1, 2, 3]
    assert run.attempts("scalars", "b").hidden.tolist() == [False] * 4 + [True] * 2


def test_files_are_one_stream_in_name_order(tmp_path: Path) -> None:
    write(tmp_path, *(scalar("loss", s, 2) for s in (3, 4)), name="b.tfevents")
    write(tmp_path, *(scalar("loss", s, 1) for s in (0, 1, 2, 3)), scalar("only_a", 7, 1), name="a.tfevents")
    run = only_run(tmp_path)
    assert steps(run) == [0, 1, 2, 3, 4]
    assert run.column("loss").values.tolist() == [1, 1, 1, 2, 2]
    assert run.attempts("scalars", "loss").steps.tolist() == [0, 1, 2, 3, 3, 4]
    assert steps(run, "only_a") == [7]


def test_start_in_a_later_file_supersedes_earlier_files(tmp_path: Path) -> None:
    write(tmp_path, session_start(0), *(scalar("loss", s, 1) for s in range(5)), name="a.tfevents")
    write(tmp_path, session_start(2), name="b.tfevents")
    assert steps(only_run(tmp_path)) == [0, 1]


def test_first_metadata_of_a_tag_sets_its_plugin_in_all_files(tmp_path: Path) -> None:
    first = tensor("note", text_tensor("one"), plugin="text")
    second = tensor("note", text_tensor("two"))
    third = tensor("note", text_tensor("three"), plugin="other")
    write(tmp_path, record(event(0, summary(first))), name="a.tfevents")
    write(tmp_path, record(event(1, summary(second))), record(event(2, summary(third))), name="b.tfevents")
    run = only_run(tmp_path)
    notes = run.references("text", "note")
    assert notes.steps.tolist() == [0, 1, 2]
    assert [notes.read(i) for i in range(3)] == [first, second, third]
    assert run.metadata("note") == field(1, field(1, b"text"))
    assert run.metadata("nothing") == b""


DTYPES = [
    (1, struct.pack("<f", 1.5), field(5, struct.pack("<f", 1.5)), 1.5),
    (2, struct.pack("<d", 0.1), field(6, struct.pack("<d", 0.1)), 0.1),
    (3, struct.pack("<i", -7), field(7, b"\xf9" + b"\xff" * 8 + b"\x01"), -7),
    (4, b"\xc8", field(7, b"\xc8\x01"), 200),
    (5, struct.pack("<h", -300), b"\x38\xd4\xfd" + b"\xff" * 7 + b"\x01", -300),
    (6, b"\xff", field(7, b"\xff" * 9 + b"\x01"), -1),
    (9, struct.pack("<q", -(2**40)), field(10, b"\x80\x80\x80\x80\x80\xe0\xff\xff\xff\x01"), -(2**40)),
    (10, b"\x01", field(11, b"\x01"), 1),
    (14, b"\xc0\x3f", field(13, b"\xc0\x7f"), 1.5),
    (17, struct.pack("<H", 65535), field(7, b"\xff\xff\x03"), 65535),
    (19, b"\x00\x3e", field(13, b"\x80\x7c"), 1.5),
    (22, struct.pack("<I", 2**32 - 1), field(16, b"\xff\xff\xff\xff\x0f"), 2**32 - 1),
    (23, struct.pack("<Q", 2**63), field(17, b"\x80" * 9 + b"\x01"), 2**63),
]


@pytest.mark.parametrize(("dtype", "content", "values", "want"), DTYPES)
def test_scalar_tensor_of_any_dtype_is_read(
    tmp_path: Path, dtype: int, content: bytes, values: bytes, want: float
) -> None:
    as_content = bytes([8, dtype]) + field(2, field(2, b"\x08\x01")) + field(4, content)
    as_values = bytes([8, dtype]) + values
    write(
        tmp_path,
        record(event(0, summary(tensor("x", as_content, plugin="scalars")))),
        record(event(1, summary(tensor("x", as_values)))),
    )
    assert only_run(tmp_path).column("x").values.tolist() == [want, want]


def test_tensor_that_is_not_scalar_is_kept_as_a_tensor(tmp_path: Path) -> None:
    two = tensor("x", b"\x08\x01" + field(5, struct.pack("<2f", 1, 2)), plugin="scalars")
    write(tmp_path, record(event(0, summary(two))))
    run = only_run(tmp_path)
    assert not run.has("scalars", "x")
    assert run.references("", "x").read(0) == two


def test_old_values_and_graphs_have_their_own_plugins(tmp_path: Path) -> None:
    values = [field(1, b"t") + field(number, b"") for number in (5, 4, 6)]
    write(tmp_path, record(event(3, summary(*values))), graph(0, b"first"), graph(0, b"second"))
    run = only_run(tmp_path)
    assert [(info.plugin, info.tag) for info in run.index()] == [
        ("graphs", "__run_graph__"),
        ("audio", "t"),
        ("histograms", "t"),
        ("images", "t"),
    ]
    assert [run.references(p, "t").read(0) for p in ("histograms", "images", "audio")] == values
    assert list(run.references("graphs", "__run_graph__")) == [(0, 1.7e9, b"second")]


def test_values_without_data_are_read_for_hparams_only(tmp_path: Path) -> None:
    start = field(1, b"_hparams_/session_start_info") + metadata("hparams", b"content")
    empty = field(1, b"nothing") + metadata("text")
    write(tmp_path, record(event(0, summary(start, empty, field(1, b"bare")))))
    run = only_run(tmp_path)
    assert [(info.plugin, info.tag) for info in run.index()] == [("hparams", "_hparams_/session_start_info")]
    assert run.references("hparams", "_hparams_/session_start_info").read(0) == start


def test_tensor_without_a_tag_is_named_by_its_node(tmp_path: Path) -> None:
    value = field(7, b"node") + field(8, text_tensor("x"))
    write(tmp_path, record(event(0, summary(value, field(2, b"") + b"\x15\x00\x00\x80\x3f"))))
    assert {(info.plugin, info.tag) for info in only_run(tmp_path).index()} == {("", "node"), ("scalars", "")}


def test_last_value_of_a_tag_in_one_event_counts(tmp_path: Path) -> None:
    write(tmp_path, record(event(1, summary(simple("loss", 1), simple("loss", 2)))))
    assert only_run(tmp_path).column("loss").values.tolist() == [2]


def test_fields_may_have_any_order(tmp_path: Path) -> None:
    write(tmp_path, record(summary(b"\x15\x00\x00\x80\x3f" + field(1, b"loss")) + b"\x10\x05"))
    column = only_run(tmp_path).column("loss")
    assert (column.steps.tolist(), column.wall_times.tolist(), column.values.tolist()) == ([5], [0], [1])


def test_missing_series_raises(tmp_path: Path) -> None:
    path = write(tmp_path, record(event(0, summary(field(1, b"h") + field(5, b"\x09" + bytes(8))))))
    run = only_run(tmp_path)
    for ask in (lambda: run.column("h"), lambda: run.references("scalars", "h"), lambda: run.attempts("text", "h")):
        with pytest.raises(LookupError, match=r"No \w+ series 'h' in run '\.'"):
            ask()
    histograms = run.references("histograms", "h")
    path.unlink()
    with pytest.raises(LogdirError, match="Cannot read point 0"):
        histograms.read(0)


def test_growing_file_keeps_all_points_and_earlier_views(tmp_path: Path) -> None:
    # Large enough that the first read takes its memory in large pieces, which the growth then leaves.
    length, later, tags = 27_000, 3_000, ("a", "b")
    records = [scalar(tag, step, float(step)) for step in range(length + later) for tag in tags]
    cut = length * len(tags)
    file = write(tmp_path, version(), *records[:cut])
    assert file.stat().st_size > 2 << 20
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    run = logdir.runs["."]
    before = [run.column(tag) for tag in tags]
    with file.open("ab") as out:
        out.write(b"".join([*records[cut:], scalar("b", 10, -1.0)]))
    logdir.poll()
    assert all(np.array_equal(column.values, np.arange(length)) for column in before)
    assert np.array_equal(run.column("a").values, np.arange(length + later))
    assert np.array_equal(run.column("b").values, [*range(10), -1])
    assert len(run.attempts("scalars", "b")) == length + later + 1


class TestTheEnd:
    """A run is over when every file that may still be written to ends with a SessionLog STOP."""

    def test_stop_finishes_the_run(self, tmp_path: Path) -> None:
        write(tmp_path, version(), scalar("loss", 1, 1.0), session_stop())
        assert only_run(tmp_path).is_finished

    def test_run_without_stop_is_not_finished(self, tmp_path: Path) -> None:
        write(tmp_path, version(), session_start(0), scalar("loss", 1, 1.0))
        assert not only_run(tmp_path).is_finished

    def test_later_event_cancels_stop(self, tmp_path: Path) -> None:
        path = write(tmp_path, version(), scalar("loss", 1, 1.0), session_stop())
        logdir = Logdir.parse(str(tmp_path))
        logdir.poll()
        (run,) = logdir.runs.values()
        for more, finished in ((scalar("loss", 2, 1.0), False), (session_stop(), True), (session_start(9), False)):
            with path.open("ab") as file:
                file.write(more)
            logdir.poll()
            assert run.is_finished == finished

    def test_other_file_without_stop_is_not_finished(self, tmp_path: Path) -> None:
        write(tmp_path, scalar("loss", 1, 1.0, wall_time=100), session_stop(), name="1.tfevents")
        write(tmp_path, scalar("loss", 2, 1.0, wall_time=101), name="2.tfevents")
        assert not only_run(tmp_path).is_finished

    def test_earlier_crashed_attempt_is_ignored(self, tmp_path: Path) -> None:
        write(tmp_path, scalar("loss", 1, 1.0, wall_time=100), name="1.tfevents")
        write(tmp_path, scalar("loss", 2, 1.0, wall_time=101), session_stop(), name="2.tfevents")
        assert only_run(tmp_path).is_finished

    def test_header_does_not_change_the_last_wall_time(self, tmp_path: Path) -> None:
        write(tmp_path, version(), scalar("loss", 1, 1.0, wall_time=100), scalar("loss", 2, 1.0, wall_time=200))
        run = only_run(tmp_path)
        assert (run.start, run.last, run.last_event) == (100, 200, 1.7e9)

    def test_stop_does_not_change_the_last_wall_time(self, tmp_path: Path) -> None:
        write(tmp_path, scalar("loss", 1, 1.0, wall_time=100), session_stop(wall_time=1.7e9))
        assert only_run(tmp_path).last == 100


def test_session_start_does_not_hide_the_graph(tmp_path: Path) -> None:
    """TF1 slim writes the graph of a run just before it writes a START at step 0."""
    write(tmp_path, session_start(0), graph(0, b"a"), scalar("loss", 0, 1), session_start(0), name="a.tfevents")
    write(tmp_path, session_start(0), name="b.tfevents")
    run = only_run(tmp_path)
    assert run.references("graphs", "__run_graph__").steps.tolist() == [0]
    assert steps(run) == []


def metadata_only(tag: str, plugin: str) -> bytes:
    return record(event(1, summary(field(1, tag.encode()) + metadata(plugin, b"content"))))


def test_values_with_only_metadata_of_an_unknown_plugin_are_listed(tmp_path: Path) -> None:
    write(tmp_path, metadata_only("t", "mine"), metadata_only("nameless", ""))
    run = only_run(tmp_path)
    assert [(info.plugin, info.tag, info.count) for info in run.index()] == [("mine", "t", 1)]


KNOWN_PLUGINS = {plugin for kind in kinds().values() for plugin in kind.plugins}


@pytest.mark.parametrize("plugin", sorted(KNOWN_PLUGINS - {"hparams"}))
def test_values_with_only_metadata_of_a_known_plugin_are_not_listed(tmp_path: Path, plugin: str) -> None:
    write(tmp_path, metadata_only("t", plugin))
    assert only_run(tmp_path).index() == []
