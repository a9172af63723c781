"""Files next to event files, as series of their run."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lossboard.errors import DecodeError
from lossboard.store.assets import AssetFile
from lossboard.store.logdir import Logdir, Root
from lossboard.store.run import SeriesInfo
from tests.store.event_file_builder import event, record, scalar, summary, tensor, version, write


@dataclass(frozen=True)
class Line:
    tag: str
    step: int
    wall_time: float
    folder: Path

    def linked_stamps(self) -> str:
        """A tag may be the name of a linked file."""
        file = self.folder / self.tag
        return file.read_text() if file.exists() else ""


class Lines:
    """Reads each line of a `.lines` file as a tag."""

    plugin = "asset:lines"
    suffixes = (".lines",)

    def __init__(self) -> None:
        self.files: list[str] = []

    def read(self, file: AssetFile) -> Iterator[Line]:
        self.files.append(str(file.path.relative_to(file.root)))
        for line in file.path.read_text().splitlines():
            if line == "bad":
                raise DecodeError("a bad line")
            yield Line(line, 0, file.wall_time, file.path.parent)


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def logdir(tmp_path: Path, lines: Lines) -> Logdir:
    return Logdir([Root(tmp_path)], assets=[lines])


def put(path: Path, *tags: str, modified: float = 1.5) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(tags))
    os.utime(path, (modified, modified))


def keys(*tags: str) -> set[tuple[str, str]]:
    return {("asset:lines", tag) for tag in tags}


def test_assets_are_series_of_their_run(tmp_path: Path, logdir: Logdir) -> None:
    write(tmp_path / "run", version(), scalar("b", 7, 1.0))
    put(tmp_path / "run" / "x.lines", "c", "a")
    logdir.poll()
    run = logdir.runs["run"]
    assert run.index() == [
        SeriesInfo("asset:lines", "a", 1, 0, 0, 0, None, 1),
        SeriesInfo("scalars", "b", 1, 0, 7, 7, 1.0, 1),
        SeriesInfo("asset:lines", "c", 1, 0, 0, 0, None, 1),
    ]
    assert run.has("asset:lines", "a") and not run.has("asset:lines", "b")
    assert [point.wall_time for point in run.asset_points("asset:lines", "a")] == [1.5]
    with pytest.raises(LookupError, match="No asset:lines series"):
        run.asset_points("asset:lines", "b")
    stats = logdir.stats()
    assert (stats.runs, stats.tags, stats.points, stats.blobs) == (1, 3, 1, 2)


def test_folder_with_only_assets_is_a_run(tmp_path: Path, logdir: Logdir) -> None:
    put(tmp_path / "alone" / "x.lines", "a")
    changes = logdir.poll()
    assert (changes.added, dict(changes.grown)) == (("alone",), {"alone": keys("a")})
    assert (logdir.runs["alone"].start, logdir.runs["alone"].is_finished) == (None, False)
    (tmp_path / "alone" / "x.lines").unlink()
    assert logdir.poll().removed == ("alone",)


@pytest.mark.parametrize(
    ("file", "run"),
    [
        ("x.lines", "."),
        ("a/b/x.lines", "a/b"),
        ("plugins/p/x.lines", "."),
        ("a/plugins/p/x.lines", "a"),
        ("a/plugins/p/deep/er/x.lines", "a"),
        ("a/plugins/x.lines", "a/plugins"),
        ("a/my_plugins/p/x.lines", "a/my_plugins/p"),
        ("a/plugins/b/plugins/p/x.lines", "a/plugins/b"),
    ],
)
def test_files_in_plugins_belong_to_the_run_above(tmp_path: Path, lines: Lines, file: str, run: str) -> None:
    put(tmp_path / file, "a")
    for name, expected in (("", run), ("root", f"root/{run}" if run != "." else "root")):
        logdir = Logdir([Root(tmp_path, name)], assets=[lines])
        logdir.poll()
        assert [(found.name, set(found.series())) for found in logdir.runs.values()] == [(expected, keys("a"))]


def test_run_below_plugins_keeps_its_own_assets(tmp_path: Path, logdir: Logdir) -> None:
    write(tmp_path / "plugins" / "run", version())
    put(tmp_path / "plugins" / "run" / "x.lines", "a")
    logdir.poll()
    assert list(logdir.runs) == ["plugins/run"]


def test_files_of_one_tag_are_points_in_name_order(tmp_path: Path, logdir: Logdir) -> None:
    for date in ("2026_02", "2026_01"):
        put(tmp_path / "plugins" / "p" / date / "x.lines", "a", modified=float(date[-1]))
    logdir.poll()
    assert [point.wall_time for point in logdir.runs["."].asset_points("asset:lines", "a")] == [1, 2]
    (tmp_path / "plugins" / "p" / "2026_01" / "x.lines").unlink()
    assert dict(logdir.poll().grown) == {".": keys("a")}


def test_cursor_advances_for_new_changed_and_removed_assets(tmp_path: Path, logdir: Logdir, lines: Lines) -> None:
    write(tmp_path, version(), scalar("loss", 0, 1.0))
    put(tmp_path / "still.lines", "s")
    assert dict(logdir.poll().grown) == {".": {("scalars", "loss"), *keys("s")}}
    for change, named in (
        (lambda: put(tmp_path / "x.lines", "a"), keys("a")),
        (lambda: put(tmp_path / "x.lines", "a", "b"), keys("a", "b")),
        (lambda: put(tmp_path / "x.lines", "b", modified=2.0), keys("a", "b")),
        ((tmp_path / "x.lines").unlink, keys("b")),
    ):
        cursor = logdir.cursor
        change()
        polled = logdir.poll()
        assert (polled.cursor, dict(polled.grown)) == (cursor + 1, {".": named})
        assert logdir.runs["."].changed_at == cursor + 1
        assert not logdir.poll()
    assert lines.files.count("still.lines") == 1, "only changed files are read"


def test_cursor_advances_when_a_linked_file_changes(tmp_path: Path, logdir: Logdir, lines: Lines) -> None:
    put(tmp_path / "run" / "x.lines", "linked.txt", "other")
    put(tmp_path / "run" / "still.lines", "a")
    linked = tmp_path / "run" / "linked.txt"
    assert dict(logdir.poll().grown) == {"run": keys("linked.txt", "other", "a")}
    for change in (lambda: linked.write_text("1"), lambda: linked.write_text("2"), linked.unlink):
        cursor = logdir.cursor
        change()
        polled = logdir.poll()
        assert (polled.cursor, dict(polled.grown)) == (cursor + 1, {"run": keys("linked.txt", "other")})
        assert not logdir.poll()
    assert lines.files.count("run/still.lines") == 1, "only changed assets are read"


def test_invalid_file_is_reported_and_others_are_read(tmp_path: Path, logdir: Logdir) -> None:
    put(tmp_path / "good.lines", "a")
    put(tmp_path / "x.lines", "b", "bad")
    logdir.poll()
    run = logdir.runs["."]
    assert set(run.series()) == keys("a")
    (place,) = run.health.places
    assert (run.health.records, run.health.bytes) == (1, 5)
    assert (place.file, place.why) == ("x.lines", "cannot be read: a bad line")
    assert (logdir.stats().skipped_records, logdir.stats().skipped_bytes) == (1, 5)


def test_event_file_with_the_suffix_is_an_event_file(tmp_path: Path, logdir: Logdir) -> None:
    write(tmp_path, version(), scalar("loss", 0, 1.0), name="events.tfevents.1.lines")
    logdir.poll()
    assert list(logdir.runs["."].series()) == [("scalars", "loss")]


def test_record_cannot_claim_to_be_an_asset(tmp_path: Path, logdir: Logdir) -> None:
    value = tensor("a", b"", plugin="asset:lines")
    write(tmp_path, version(), record(event(0, summary(value))))
    logdir.poll()
    assert list(logdir.runs["."].series()) == [("", "a")]


def test_links_are_followed_and_folders_and_pipes_ignored(tmp_path: Path, logdir: Logdir) -> None:
    put(tmp_path / "a" / "x.lines", "a")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "loop.lines").symlink_to("loop.lines")
    (tmp_path / "a" / "folder.lines").mkdir()
    os.mkfifo(tmp_path / "a" / "pipe.lines")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "y.lines").symlink_to(tmp_path / "a" / "x.lines")
    logdir.poll()
    assert {name: set(run.series()) for name, run in logdir.runs.items()} == {"a": keys("a"), "linked": keys("a")}


def test_trash_is_not_searched(tmp_path: Path, logdir: Logdir) -> None:
    put(tmp_path / ".lossboard-trash" / "1" / "x.lines", "a")
    logdir.poll()
    assert not logdir.runs
