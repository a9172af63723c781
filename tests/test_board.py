"""Python API: reading a real logdir, and a small one that grows."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import numpy as np
import polars
import pytest

import lossboard
from lossboard.errors import LogdirError
from lossboard.events.summary import encode_event, encode_simple_value
from reference import frame

CORPUS = Path(__file__).parent / "data" / "corpus" / "logdirs"


def log(folder: Path, *points: tuple[int, float], tag: str = "loss", start: float = 1000.0) -> None:
    """Appends scalars to the event file of a run."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "events.out.tfevents.1").open("ab") as out:
        for step, value in points:
            out.write(frame(encode_event(start + step, step, values=[encode_simple_value(tag, value)])))


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    log(tmp_path / "late", (0, 1.0), (1, 0.5), start=2000.0)
    log(tmp_path / "early", (0, 4.0), (1, 3.0), (2, 2.0), (1, 2.5))
    log(tmp_path, (0, 9.0), tag="other", start=3000.0)
    return tmp_path


def test_runs_have_tensorboards_order(logdir: Path) -> None:
    board = lossboard.open(logdir)
    assert board.runs == list(board) == ["early", "late", "."]
    assert (len(board), "late" in board, "none" in board) == (3, True, False)
    assert board.tags == {"loss": "scalars", "other": "scalars"}
    assert board["early"].start == 1000.0


def test_scalars_have_three_columns(logdir: Path) -> None:
    loss = lossboard.open(logdir)["early"].scalars("loss")
    assert (loss.steps.tolist(), loss.values.tolist()) == ([0, 1], [4.0, 2.5])
    assert loss.wall_times.tolist() == [1000.0, 1001.0]
    with pytest.raises(ValueError, match="read-only"):
        loss.values[0] = 0.0


def test_attempts_include_superseded_points(logdir: Path) -> None:
    every = lossboard.open(logdir)["early"].attempts("loss")
    assert every.values.tolist() == [4.0, 3.0, 2.0, 2.5]
    assert every.hidden.tolist() == [False, True, True, False]


def test_missing_names_raise(logdir: Path, tmp_path: Path) -> None:
    board = lossboard.open(logdir)
    with pytest.raises(KeyError, match="No run 'nobody'"):
        board["nobody"]
    with pytest.raises(LookupError, match="'nothing'"):
        board["early"].scalars("nothing")
    with pytest.raises(LookupError, match="'nothing'"):
        board["early"].attempts("nothing")
    with pytest.raises(LogdirError, match="No such logdir"):
        lossboard.open(tmp_path / "nowhere")


def test_scalars_of_all_runs_are_a_table(logdir: Path) -> None:
    losses = lossboard.open(logdir).scalars("loss")
    rows = [
        ("early", "loss", 0, 1000.0, 4.0),
        ("early", "loss", 1, 1001.0, 2.5),
        ("late", "loss", 0, 2000.0, 1.0),
        ("late", "loss", 1, 2001.0, 0.5),
    ]
    assert len(losses) == 4
    assert polars.DataFrame(losses).rows() == rows
    assert duckdb.sql("SELECT * FROM losses").fetchall() == rows
    assert list(losses.to_pandas().itertuples(index=False, name=None)) == rows
    assert losses["value"].tolist() == [4.0, 2.5, 1.0, 0.5]
    with pytest.raises(KeyError, match="The columns are run, tag"):
        losses["nothing"]


def test_unknown_tags_raise_with_similar_names(logdir: Path) -> None:
    board = lossboard.open(logdir)
    with pytest.raises(
        LookupError, match=r"No scalars 'los' in any run. Did you mean 'loss'\? board.tags lists the tags."
    ):
        board.scalars(["other", "los"])
    with pytest.raises(LookupError, match=r"No scalars 'LOSS' in run 'early'. Did you mean 'loss'\? run.tags lists"):
        board["early"].scalars("LOSS")
    with pytest.raises(LookupError, match="No scalar tag matches '\\^x'"):
        board.scalars(re.compile("^x"))
    with pytest.raises(LookupError, match="Tag 'loss' has the kind scalars, not images"):
        board["early"].images("loss")
    with pytest.raises(KeyError, match=r"Did you mean 'early'\?"):
        board["earl"]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (None, ["loss", "loss", "acc", "other"]),
        ("acc", ["acc"]),
        (["other", "acc"], ["acc", "other"]),
        (iter(["other", "acc"]), ["acc", "other"]),
        (re.compile("^(a|o)"), ["acc", "other"]),
    ],
)
def test_scalars_of_several_tags_are_one_table(
    logdir: Path, tags: str | list[str] | re.Pattern[str] | None, expected: list[str]
) -> None:
    log(logdir / "late", (0, 0.5), tag="acc")
    table = lossboard.open(logdir).scalars(tags)
    assert sorted({*zip(table["run"], table["tag"], strict=True)}) == sorted(
        (run, tag)
        for run, tag in [("early", "loss"), ("late", "loss"), ("late", "acc"), (".", "other")]
        if tag in expected
    )


def test_wide_table_has_a_column_per_tag(logdir: Path) -> None:
    log(logdir / "late", (1, 0.25), (3, 0.75), tag="acc")
    wide = lossboard.open(logdir).scalars(["loss", "acc"]).wide()
    nan = float("nan")
    rows = [("early", 0, 4.0, nan), ("early", 1, 2.5, nan), ("late", 0, 1.0, nan), ("late", 1, 0.5, 0.25)]
    rows.append(("late", 3, nan, 0.75))
    assert wide.columns == ("run", "step", "loss", "acc")
    assert repr(polars.DataFrame(wide).rows()) == repr(rows)
    frame = wide.to_pandas()
    assert frame.loc["late", "acc"].tolist()[1:] == [0.25, 0.75]
    assert (len(wide), wide["step"].tolist(), repr(wide)) == (
        5,
        [0, 1, 0, 1, 3],
        "<WideTable of 5 rows: 2 runs, 2 tags>",
    )
    with pytest.raises(KeyError, match="The columns are run, step, loss, acc"):
        wide["nothing"]


def test_wide_table_renames_tags_that_are_called_like_its_columns(tmp_path: Path) -> None:
    log(tmp_path, (3, 7.0), tag="step")
    assert polars.DataFrame(lossboard.open(tmp_path).scalars().wide()).to_dicts() == [
        {"run": ".", "step": 3, "step (tag)": 7.0}
    ]


def test_empty_tables_have_their_columns(tmp_path: Path) -> None:
    table = lossboard.open(tmp_path).scalars()
    assert polars.DataFrame(table).shape == (0, 5)
    assert len(table.to_pandas()) == 0
    assert polars.DataFrame(table.wide()).shape == (0, 2)


def test_column_is_a_sequence_of_points(logdir: Path) -> None:
    log(logdir / "late", (5, 0.25))
    loss = lossboard.open(logdir)["late"].scalars("loss")
    assert repr(loss) == "<Column of 3 points, steps 0 … 5, last value 0.25>"
    assert repr(loss[:0]) == "<Column without points>"
    assert list(loss) == [(0, 2000.0, 1.0), (1, 2001.0, 0.5), (5, 1005.0, 0.25)]
    assert loss[-1] == (5, 1005.0, 0.25)
    assert loss[-1].value == 0.25
    assert loss[1:].steps.tolist() == [1, 5]
    assert loss[loss.values < 0.5].steps.tolist() == [5]
    assert loss.hidden.tolist() == [False] * 3
    assert list(loss[1:].to_pandas().itertuples(index=False, name=None)) == [(1, 2001.0, 0.5), (5, 1005.0, 0.25)]
    with pytest.raises(IndexError):
        loss[3]


def test_repeated_steps_are_returned_on_request(tmp_path: Path) -> None:
    log(tmp_path, (0, 1.0), (1, 2.0), (1, 3.0), (2, 4.0), (2, 5.0), (2, 6.0))
    log(tmp_path, (0, 1.0), (3, 2.0), (3, 3.0), (1, 4.0), (1, 5.0), tag="restarted")
    board = lossboard.open(tmp_path)
    run = board["."]
    assert run.scalars("loss").values.tolist() == [1.0, 3.0, 6.0]
    assert run.scalars("loss", repeated_steps=True).values.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert run.scalars("restarted", repeated_steps=True).values.tolist() == [1.0, 4.0, 5.0]
    assert len(board.scalars("loss", repeated_steps=True)) == 6
    assert board.scalars("loss", repeated_steps=True).wide()["loss"].tolist() == [1.0, 3.0, 6.0]


def test_event_file_is_opened_alone(logdir: Path) -> None:
    file = logdir / "late" / "events.out.tfevents.1"
    log(logdir / "late" / "nested", (0, 1.0))
    (logdir / "late" / "events.out.tfevents.2").write_bytes(file.read_bytes())
    board = lossboard.open(file)
    assert (board.runs, board["."].path, len(board["."].scalars("loss"))) == (["."], file.parent, 2)
    log(logdir / "late", (2, 0.25))
    assert board.poll()
    assert len(board["."].scalars("loss")) == 3
    several = lossboard.open([str(file), str(logdir / "early")])
    assert sorted(several.runs) == ["early", "events.out.tfevents.1"]


def test_file_without_records_is_not_an_event_file(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing but text, long enough for a header")
    with pytest.raises(LogdirError, match=r"notes.txt is not an event file"):
        lossboard.open(tmp_path / "notes.txt")


def test_poll_reads_new_points(logdir: Path) -> None:
    board = lossboard.open(logdir)
    log(logdir / "late", (2, 0.25))
    log(logdir / "new", (0, 1.0), start=9000.0)
    changes = board.poll()
    assert (changes.added, set(changes.grown)) == (("new",), {"late", "new"})
    assert board["late"].scalars("loss").values.tolist() == [1.0, 0.5, 0.25]
    assert board.runs[-1] == "new"
    assert not board.poll()


def test_stats_and_health_count_corrupt_records(logdir: Path) -> None:
    file = logdir / "late" / "events.out.tfevents.1"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))
    board = lossboard.open(logdir)
    stats = board.stats()
    assert (stats.runs, stats.points, stats.skipped_records) == (3, 6, 1)
    (place,) = board["late"].health.places
    assert (board["late"].health.records, place.offset, place.bytes) == (1, 40, 42)


def test_all_kinds_of_a_real_logdir_are_read() -> None:
    board = lossboard.open(CORPUS / "tbx")
    media, dist = board["media"], board["dist"]
    kinds = set(board.tags.values())
    assert {"scalars", "histograms", "images", "audio", "text", "graphs", "meshes", "pr_curves", "hparams"} <= kinds
    assert media.images("video")[0].samples[0].mime == "image/gif"
    assert media.audio("stereo")[0].samples[0].mime == "audio/wav"
    assert media.text("txt/text_summary")[0].shape == (1,)
    assert dist.histograms("h")[0].buckets.shape[1] == 3
    assert dist.pr_curves("pr")[0].rows.shape[0] == 6
    assert dist.meshes("mesh_null_config")[0].vertices.dtype == np.float32
    assert dist.custom_scalars()[0].categories
    assert board["graph"].graphs()[0].nodes
    assert [e.tag for e in board.embeddings()] == ["emb:00000", "emb:00005"]
    assert board["media"].hparams() is None


def test_hparams_of_a_real_logdir_are_read() -> None:
    board = lossboard.open(CORPUS / "tf_hparams")
    table = board.hparams()
    assert table is not None
    assert len(table.trials) > 1
    assert all(trial.session.hparams for trial in table.trials)
    assert any(column.differs for column in table.hparams)
    assert any(trial.metrics for trial in table.trials)


def test_repr_has_the_path(logdir: Path) -> None:
    assert repr(lossboard.open(logdir)) == f"<Board of 3 runs in {logdir}>"
    assert repr(lossboard.open(logdir)["late"]) == "<Run 'late'>"


def test_traces_are_listed() -> None:
    assert {trace.run for trace in lossboard.open(CORPUS / "torch_profiler").profiles()} == {"plain", "gz"}


def test_media_and_histograms_are_decoded() -> None:
    board = lossboard.open(CORPUS / "tbx")
    media, dist = board["media"], board["dist"]
    video = media.images("video")[0].samples[0]
    pixels = video.array()
    assert (pixels.ndim, pixels.shape[1:3], pixels.dtype) == (4, (video.height, video.width), np.uint8)
    clip = media.audio("stereo")[0].samples[0].pcm()
    assert (clip.frames.shape[1], clip.seconds) == (2, len(clip.frames) / clip.rate_hz)
    histogram = dist.histograms("h")[0]
    assert histogram.num == histogram.buckets[:, 2].sum()
    assert (histogram.min, histogram.max) == (histogram.buckets[0, 0], histogram.buckets[-1, 1])
    assert histogram.sum is not None
    assert histogram.min * histogram.num <= histogram.sum <= histogram.max * histogram.num
