"""Console output of runs: which files have it, how it is cleaned, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lossboard.store.console_files import console_files, read_chunks, read_tail, readable


def tail(folder: Path, name: str = "console.log", *, root: Path | None = None, max_bytes: int = 1000):
    return read_tail(folder, name, root=root or folder, max_bytes=max_bytes)


def test_files_with_console_output_are_found(tmp_path: Path) -> None:
    (tmp_path / "workers").mkdir()
    for name in ("console.log", "slurm-4711.out", "nohup.out", "stderr.txt", "model.pt", "workers/1.log"):
        (tmp_path / name).write_text("x")
    found = console_files(tmp_path)
    assert found == ["console.log", "nohup.out", "slurm-4711.out", "stderr.txt", "workers/1.log"]


def test_end_of_a_file_starts_with_a_line(tmp_path: Path) -> None:
    (tmp_path / "console.log").write_text("".join(f"step {i}\n" for i in range(1000)))
    found = tail(tmp_path, max_bytes=30)
    assert (found.text, found.is_cut) == ("step 997\nstep 998\nstep 999\n", True)
    assert tail(tmp_path, max_bytes=100_000).text.startswith("step 0\n")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[32mgreen\x1b[0m text\x1b]0;title\x07\n", "green text\n"),
        (" 10%|#   |\r 50%|##  |\r100%|####|\ndone\n", "100%|####|\ndone\n"),
        (" 10%|#   |\r 50%|##  |\r", " 50%|##  |"),
        ("windows\r\nlines\r\n", "windows\nlines\n"),
        ("bell\x07 and nul\x00, tab\tstays\n", "bell and nul, tab\tstays\n"),
    ],
)
def test_output_is_what_a_terminal_would_show(written: str, shown: str) -> None:
    assert readable(written) == shown


def test_invalid_utf8_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "console.log").write_bytes(b"loss \xff 0.1\n")
    assert tail(tmp_path).text == "loss \N{REPLACEMENT CHARACTER} 0.1\n"


@pytest.mark.parametrize("name", ["../secret.log", "/etc/passwd", "secret.log", "console.log/..", "a\0b.log", ""])
def test_names_that_are_not_listed_are_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "secret.log").write_text("secret")
    with pytest.raises(LookupError, match="no console file"):
        tail(folder, name, root=tmp_path)


def test_links_out_of_the_logdir_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "logs" / "run"
    folder.mkdir(parents=True)
    (folder / "console.log").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(LookupError, match=r"Cannot read console\.log"):
        tail(folder, root=tmp_path / "logs")


def test_pipes_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "console.log")
    with pytest.raises(LookupError, match=r"Cannot read console\.log"):
        tail(tmp_path)


def test_download_is_complete_and_unchanged(tmp_path: Path) -> None:
    written = b"\x1b[1m10%\r20%\n" * 200_000
    (tmp_path / "console.log").write_bytes(written)
    assert b"".join(read_chunks(tmp_path, "console.log", root=tmp_path)) == written
