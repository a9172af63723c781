"""Python API: reading a real logdir, and a small one that grows."""

from __future__ import annotations

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


def test_table_of_an_unknown_tag_is_empty(logdir: Path) -> None:
    table = lossboard.open(logdir).scalars("nothing")
    assert polars.DataFrame(table).shape == (0, 5)
    assert len(table.to_pandas()) == 0


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
