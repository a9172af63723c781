"""The reading API compared with TensorBoard's EventAccumulator and EventMultiplexer, on real and on made files.

docs/api.md lists the deliberate differences. Each has a test here that shows what both do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
from tensorboard.backend.event_processing.plugin_event_accumulator import EventAccumulator as WebUiAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.meta_graph_pb2 import MetaGraphDef
from tensorboard.util.tensor_util import make_ndarray
from torch.utils.tensorboard import SummaryWriter as TorchWriter

import lossboard
from lossboard.events.summary import Metadata, encode_event, encode_simple_value
from reference import frame

CORPUS = Path(__file__).parent / "data" / "corpus" / "logdirs"
LOGDIRS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
CORRUPT = {"damaged_flip_data_crc", "damaged_flip_length_crc", "damaged_unparsable_payload"}
"""Logdirs that TensorBoard reads only up to the first corrupt record, see `test_reading_continues_…`."""
ALL_POINTS = dict.fromkeys(("scalars", "histograms", "images", "audio", "tensors", "graph", "meta_graph"), 0)


def accumulate(path: Path, *, purge: bool = True) -> EventAccumulator:
    accumulator = EventAccumulator(str(path), size_guidance=ALL_POINTS, purge_orphaned_data=purge)
    accumulator.Reload()
    return accumulator


def points(column: Any) -> list[tuple[int, float, str]]:
    return [(step, wall_time, repr(value)) for step, wall_time, value in column]  # as text, since NaN is not NaN


@pytest.mark.parametrize("logdir", LOGDIRS)
def test_multiplexer_finds_the_same_runs(logdir: str) -> None:
    multiplexer = EventMultiplexer()
    multiplexer.AddRunsFromDirectory(str(CORPUS / logdir))
    board = lossboard.open(CORPUS / logdir)
    assert set(multiplexer.Runs()) == {name for name in board if board[name].files}


@pytest.mark.parametrize("logdir", [name for name in LOGDIRS if name not in CORRUPT])
def test_runs_have_the_same_series(logdir: str) -> None:
    board = lossboard.open(CORPUS / logdir)
    for name in board:
        if board[name].files:
            assert_same_run(board[name], accumulate(board[name].path))


def assert_same_run(run: lossboard.Run, accumulator: EventAccumulator) -> None:
    tags = accumulator.Tags()
    assert run.files[0].writer == (accumulator.GetSourceWriter() or "")
    if tags["meta_graph"]:
        assert MetaGraphDef.FromString(run.meta_graph() or b"") == accumulator.MetaGraph()
    else:  # TensorBoard also takes a MetaGraph for the graph of a run
        assert tags["graph"] == ("__run_graph__" in run.tags)
    assert sorted(run.run_metadata()) == sorted(tags["run_metadata"])
    for tag in tags["scalars"]:
        theirs = points((event.step, event.wall_time, event.value) for event in accumulator.Scalars(tag))
        ours = points(run.scalars(tag, repeated_steps=True)), points(run.attempts(tag))
        if tag in tags["tensors"]:  # logged in both styles, which is one series here
            assert set(theirs) < set(ours[0]), (run, tag)
        else:
            assert theirs in ours, (run, tag)
    for tag in tags["histograms"]:
        for ours, event in zip(run.attempts(tag), accumulator.Histograms(tag), strict=True):
            stored = event.histogram_value
            assert (ours.step, ours.wall_time) == (event.step, event.wall_time)
            assert (ours.min, ours.max, ours.num, ours.sum) == (stored.min, stored.max, stored.num, stored.sum)
    for tag in tags["images"]:
        for ours, event in zip(run.attempts(tag), accumulator.Images(tag), strict=True):
            (sample,) = ours.samples
            assert (ours.step, sample.data) == (event.step, event.encoded_image_string)
            assert (sample.width, sample.height) == (event.width, event.height)
    for tag in tags["audio"]:
        for ours, event in zip(run.attempts(tag), accumulator.Audio(tag), strict=True):
            assert (ours.step, ours.samples[0].data) == (event.step, event.encoded_audio_string)
            assert ours.samples[0].sample_rate_hz == event.sample_rate
    for tag in tags["tensors"]:
        assert_same_tensors(run, tag, accumulator)


def assert_same_tensors(run: lossboard.Run, tag: str, accumulator: EventAccumulator) -> None:
    metadata = run.metadata(tag)
    try:
        theirs = accumulator.SummaryMetadata(tag)
    except KeyError:
        assert metadata == Metadata()
    else:
        assert (metadata.display_name, metadata.description) == (theirs.display_name, theirs.summary_description)
        assert (metadata.plugin, metadata.content) == (theirs.plugin_data.plugin_name, theirs.plugin_data.content)
    kind = run.tags.get(tag)
    if kind in (None, "hparams", "meshes") or tag in accumulator.Tags()["scalars"]:
        return  # not visible under this tag, or in both styles
    events = accumulator.Tensors(tag)
    assert run.attempts(tag).steps.tolist() == [event.step for event in events], (run, tag)
    if kind == "scalars":
        values = [float(make_ndarray(event.tensor_proto).item()) for event in events]
        np.testing.assert_array_equal(run.attempts(tag).values, values)


# ---- deliberate differences, as listed in docs/api.md ----------------------------------------------------------------
def log(folder: Path, *steps: int | str, name: str = "events.out.tfevents.1") -> None:
    """Writes a file of scalars at these steps, with the values 0, 1, 2 …; "START" is a SessionLog START at step 1."""
    events = [encode_event(1.0, file_version="brain.Event:2")]
    for value, step in enumerate(steps):
        if isinstance(step, str):
            events.append(encode_event(2.0, 1, session_start=True))
        else:
            events.append(encode_event(2.0, step, values=[encode_simple_value("a", value)]))
    (folder / name).write_bytes(b"".join(map(frame, events)))


def both(folder: Path, *, repeated_steps: bool = False) -> tuple[list[float], list[float]]:
    """Returns the values that Lossboard and TensorBoard read."""
    ours = lossboard.open(folder)["."].scalars("a", repeated_steps=repeated_steps).values.tolist()
    return ours, [event.value for event in accumulate(folder).Scalars("a")]


def test_purged_points_are_the_same_after_a_second_start(tmp_path: Path) -> None:
    log(tmp_path, "START", 0, 1, 2, "START", 1, 2)
    ours, theirs = both(tmp_path)
    assert ours == theirs == [1.0, 5.0, 6.0]


@pytest.mark.parametrize("purge_steps", [[3], [4, 2], [4, 6], [3, 9], [3, 0]], ids=str)
def test_purge_step_of_torch_supersedes_points_as_in_tensorboards_web_ui(
    tmp_path: Path, purge_steps: list[int]
) -> None:
    """Both ignore the mark of the first resume, because it is the first START of the run."""
    folder = tmp_path / "run"
    folder.mkdir()
    for attempt, purge_step in enumerate([None, *purge_steps]):
        with TorchWriter(str(tmp_path / "torch"), purge_step=purge_step) as writer:
            for step in range(purge_step or 0, 6):
                writer.add_scalar(f"attempt {attempt}", attempt, step)
        (file,) = (tmp_path / "torch").iterdir()
        file.rename(folder / f"events.out.tfevents.{attempt}")
    run, theirs = lossboard.open(folder)["."], WebUiAccumulator(str(folder)).Reload()
    ours = {tag: run.scalars(tag).steps.tolist() for tag in run.tags}
    assert ours == {tag: [event.step for event in theirs.Tensors(tag)] for tag in theirs.Tags()["tensors"]}


def test_last_point_of_a_step_counts_by_default(tmp_path: Path) -> None:
    log(tmp_path, 0, 1, 1, 2)
    assert both(tmp_path) == ([0.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0])
    ours, theirs = both(tmp_path, repeated_steps=True)
    assert ours == theirs


def test_step_that_goes_back_supersedes_without_a_start(tmp_path: Path) -> None:
    log(tmp_path, 0, 1, 2, 1)
    ours, theirs = both(tmp_path)
    assert (ours, theirs) == ([0.0, 3.0], [0.0, 1.0, 2.0, 3.0])
    assert lossboard.open(tmp_path)["."].attempts("a").values.tolist() == theirs


def test_first_start_supersedes_nothing(tmp_path: Path) -> None:
    log(tmp_path, 0, 1, 2, "START", 3)
    assert both(tmp_path) == ([0.0, 1.0, 2.0, 4.0], [0.0, 4.0])


def test_every_point_is_kept(tmp_path: Path) -> None:
    log(tmp_path, *range(10_500))
    accumulator = EventAccumulator(str(tmp_path))
    accumulator.Reload()
    assert (len(both(tmp_path)[0]), len(accumulator.Scalars("a"))) == (10_500, 10_000)


@pytest.mark.parametrize("logdir", sorted(CORRUPT - {"damaged_unparsable_payload"}))
def test_reading_continues_after_a_corrupt_record(logdir: str) -> None:
    run = lossboard.open(CORPUS / logdir)["bad"]
    theirs = [event.step for event in accumulate(run.path).Scalars("loss")]
    ours = run.scalars("loss").steps.tolist()
    assert (ours[: len(theirs)], len(ours) > len(theirs)) == (theirs, True)


def test_single_file_is_read_alone_by_both(tmp_path: Path) -> None:
    log(tmp_path, 0, 1)
    log(tmp_path, 5, name="events.out.tfevents.2")
    file = tmp_path / "events.out.tfevents.1"
    assert both(file) == ([0.0, 1.0], [0.0, 1.0])


def test_old_and_new_style_scalars_of_one_tag_are_one_series(tmp_path: Path) -> None:
    with TorchWriter(str(tmp_path)) as writer:
        for step in range(4):
            writer.add_scalar("a", step, step, new_style=step % 2 == 1)
    ours, theirs = both(tmp_path)
    assert (ours, theirs) == ([0.0, 1.0, 2.0, 3.0], [0.0, 2.0])
    assert [event.step for event in accumulate(tmp_path).Tensors("a")] == [1, 3]


def test_meta_graph_without_a_graph_is_not_the_graph_of_the_run(tmp_path: Path) -> None:
    meta_graph = MetaGraphDef(graph_def={"node": [{"name": "x"}]})
    event = Event(wall_time=1.0, meta_graph_def=meta_graph.SerializeToString())
    (tmp_path / "events.out.tfevents.1").write_bytes(frame(event.SerializeToString()))
    run, theirs = lossboard.open(tmp_path)["."], accumulate(tmp_path)
    assert (theirs.Tags()["graph"], theirs.Tags()["meta_graph"]) == (True, True)
    assert run.meta_graph() == meta_graph.SerializeToString()
    assert "__run_graph__" not in run.tags


# ---- growing logdirs -------------------------------------------------------------------------------------------------
def scalars_of(reader: EventAccumulator | lossboard.Run) -> dict[str, list[tuple[int, float]]]:
    """Returns tag → (step, value) of every scalar."""
    if isinstance(reader, lossboard.Run):
        return {tag: [(point.step, point.value) for point in reader.scalars(tag)] for tag in reader.tags}
    return {tag: [(event.step, event.value) for event in reader.Scalars(tag)] for tag in reader.Tags()["scalars"]}


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_reload_reads_the_records_that_have_become_complete(tmp_path: Path, cut: int) -> None:
    """A file grows by a part of a record, and then by the rest."""
    log(tmp_path, 0, 1, 2)
    file = tmp_path / "events.out.tfevents.1"
    whole = file.read_bytes()
    file.write_bytes(whole[:-cut])
    theirs, board = EventAccumulator(str(tmp_path)), lossboard.open(tmp_path)
    for content in (whole[:-cut], whole):
        file.write_bytes(content)
        theirs.Reload()
        board.poll()
        assert scalars_of(board["."]) == scalars_of(theirs)


def test_reload_continues_with_a_new_file(tmp_path: Path) -> None:
    log(tmp_path, 0, 1)
    theirs, board = accumulate(tmp_path), lossboard.open(tmp_path)
    log(tmp_path, 2, 3, name="events.out.tfevents.2")
    theirs.Reload()
    board.poll()
    assert scalars_of(board["."]) == scalars_of(theirs) == {"a": [(0, 0.0), (1, 1.0), (2, 0.0), (3, 1.0)]}


def test_reload_finds_new_runs_and_new_tags(tmp_path: Path) -> None:
    theirs, board = EventMultiplexer(), None
    for run, tag in (("first", "a"), ("second/deeper", "b"), ("first", "c")):
        with TorchWriter(str(tmp_path / run)) as writer:
            writer.add_scalar(tag, 1.0, 1)
        theirs.AddRunsFromDirectory(str(tmp_path))
        theirs.Reload()
        board = board or lossboard.open(tmp_path)
        board.poll()
        assert {name: scalars_of(board[name]) for name in board} == {
            name: scalars_of(theirs.GetAccumulator(name)) for name in theirs.Runs()
        }


def test_empty_and_unrelated_files_are_no_runs(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "notes.txt").write_text("events")
    theirs = EventMultiplexer()
    theirs.AddRunsFromDirectory(str(tmp_path))
    assert set(lossboard.open(tmp_path)) == set(theirs.Runs()) == set()


def test_unknown_tags_and_runs_raise_a_lookup_error(tmp_path: Path) -> None:
    log(tmp_path, 0)
    board = lossboard.open(tmp_path)
    for read in (
        lambda: accumulate(tmp_path).Scalars("none"),
        lambda: EventMultiplexer({"r": str(tmp_path)}).Scalars("none", "a"),
    ):
        with pytest.raises(KeyError):
            read()
    for read in (lambda: board["."].scalars("none"), lambda: board["none"]):
        with pytest.raises(LookupError, match="none"):
            read()


def test_raw_events_are_the_same_as_those_of_tensorboards_loader(tmp_path: Path) -> None:
    with TorchWriter(str(tmp_path), purge_step=2) as writer:
        writer.add_scalar("a", 1.5, 1, walltime=5.0)
        writer.add_text("t", "text", 2, walltime=6.0)
    (file,) = tmp_path.iterdir()
    theirs = [Event.FromString(data) for data in RawEventFileLoader(str(file)).Load()]
    ours = list(lossboard.events.read(file))
    assert [(event.step, event.wall_time) for event in ours] == [(event.step, event.wall_time) for event in theirs]
    assert [len(list(event.values)) for event in ours] == [len(event.summary.value) for event in theirs]
