"""Safe paths: paths in data are resolved only inside the logdir."""

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from lossboard.errors import DecodeError
from lossboard.safe_paths import open_within, refuse_large_hole, resolve_within


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    (tmp_path / "secret.tsv").write_text("secret")
    (tmp_path / "logs" / "run").mkdir(parents=True)
    (tmp_path / "logs" / "shared.tsv").write_text("shared")
    (tmp_path / "logs" / "run" / "own.tsv").write_text("own")
    return tmp_path / "logs"


@pytest.mark.parametrize(("named", "content"), [("own.tsv", "own"), ("../shared.tsv", "shared"), ("./own.tsv", "own")])
def test_files_within_the_logdir_are_resolved(logdir: Path, named: str, content: str) -> None:
    assert resolve_within(named, base=logdir / "run", root=logdir).read_text() == content


@pytest.mark.parametrize("named", ["../../secret.tsv", "/etc/passwd", "missing.tsv", ".", "", "a\0b", "x" * 5000])
def test_other_paths_raise(logdir: Path, named: str) -> None:
    with pytest.raises(DecodeError):
        resolve_within(named, base=logdir / "run", root=logdir)


def test_links_are_resolved_before_the_check(logdir: Path) -> None:
    (logdir / "run" / "out.tsv").symlink_to(logdir.parent / "secret.tsv")
    (logdir / "run" / "in.tsv").symlink_to(logdir / "shared.tsv")
    (logdir / "run" / "loop").symlink_to("loop")
    os.mkfifo(logdir / "run" / "pipe")
    assert resolve_within("in.tsv", base=logdir / "run", root=logdir).read_text() == "shared"
    for named in ("out.tsv", "loop", "pipe"):
        with pytest.raises(DecodeError):
            resolve_within(named, base=logdir / "run", root=logdir)


def test_open_within_reads_a_file_in_a_linked_logdir(logdir: Path) -> None:
    (logdir.parent / "link").symlink_to(logdir)
    with open_within("../shared.tsv", base=logdir.parent / "link" / "run", root=logdir.parent / "link") as file:
        assert file.read() == b"shared"


@pytest.mark.parametrize("trap", ["link", "fifo", "linked folder"])
def test_file_that_is_replaced_after_the_check_is_not_opened(
    logdir: Path, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    def resolve_and_replace(path: str, *, base: Path, root: Path) -> Path:
        real = resolve_within(path, base=base, root=root)
        real.unlink()
        if trap == "link":
            real.symlink_to(logdir.parent / "secret.tsv")
        elif trap == "fifo":
            os.mkfifo(real)
        else:
            real.parent.rmdir()
            outside = logdir.parent / "outside"
            outside.mkdir()
            (outside / real.name).write_text("secret")
            real.parent.symlink_to(outside)
        return real

    monkeypatch.setattr("lossboard.safe_paths.resolve_within", resolve_and_replace)
    with pytest.raises((OSError, DecodeError)), open_within("own.tsv", base=logdir / "run", root=logdir):
        pytest.fail("opened")


def test_file_that_is_mostly_a_hole_is_refused(logdir: Path) -> None:
    sparse = logdir / "run" / "sparse"
    sparse.write_bytes(b"x")
    for size, is_refused in ((64 << 20, False), (1 << 40, True)):
        os.truncate(sparse, size)
        with open_within("sparse", base=logdir / "run", root=logdir) as file:
            with pytest.raises(DecodeError, match="sparse") if is_refused else nullcontext():
                refuse_large_hole(file)
            assert file.tell() == 0
