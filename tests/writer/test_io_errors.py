"""I/O errors: the constructor raises, and logging continues."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lossboard import SummaryWriter
from lossboard.errors import WriteError
from small_disk import fill, mounted
from writer.read_events import event_files, scalars

KB, MB = 1 << 10, 1 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk") as disk:
        yield disk


def test_disk_full_then_freed_loses_nothing(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer = SummaryWriter(small_disk / "run")
    ballast = fill(small_disk, free_bytes=100 * KB)
    for step in range(20_000):
        writer.add_scalar("x", step, step)
    assert "No space left on device" in caplog.text
    ballast.unlink()
    for step in range(20_000, 21_000):
        writer.add_scalar("x", step, step)
    writer.close()
    assert scalars(small_disk / "run")["x"] == [(step, step) for step in range(21_000)]
    assert len(caplog.records) == 1


def test_full_disk_holds_only_complete_records(small_disk: Path) -> None:
    writer = SummaryWriter(small_disk / "run")
    fill(small_disk, free_bytes=64 * KB)
    for step in range(2_000):
        writer.add_text("long", "x" * 1000, step)
        writer.add_scalar("x", step, step)
    points = scalars(small_disk / "run")["x"]  # raises for a torn record
    assert points == [(step, step) for step in range(len(points))]
    assert 0 < len(points) < 2_000


def test_records_beyond_the_buffer_are_counted_and_reported(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer = SummaryWriter(small_disk / "run")
    ballast = fill(small_disk, free_bytes=16 * KB)
    for step in range(80):
        writer.add_text("large", "x" * MB, step)
    ballast.unlink()
    writer.close()
    lost = [record.getMessage() for record in caplog.records if "lost" in record.getMessage()]
    assert len(lost) == 1
    assert lost[0].startswith(f"79 records of {small_disk / 'run'} were lost")


def test_run_has_a_series_of_lost_records(small_disk: Path) -> None:
    writer = SummaryWriter(small_disk / "run")
    ballast = fill(small_disk, free_bytes=16 * KB)
    for step in range(3):
        writer.add_text("small", "x" * 300 * KB, step)
    for step in range(3):
        writer.add_text("larger than all memory kept", "x" * 65 * MB, step)
    ballast.unlink()
    writer.flush()
    writer.add_scalar("x", 1.0, 9)
    writer.close()
    assert scalars(small_disk / "run") == {"x": [(9, 1.0)], "lossboard/lost_records": [(9, 3.0)]}


def test_new_run_on_a_full_disk_raises(small_disk: Path) -> None:
    fill(small_disk, free_bytes=0)
    with pytest.raises(WriteError, match="No space left on device"):
        SummaryWriter(small_disk / "run")
    assert not event_files(small_disk / "run")


def test_sub_runs_are_buffered_until_the_disk_has_space(small_disk: Path) -> None:
    writer = SummaryWriter(small_disk / "run")
    ballast = fill(small_disk, free_bytes=0)
    writer.add_scalars("loss", {"train": 1.0, "val": 2.0}, 1)
    writer.add_hparams({"lr": 0.1}, {"accuracy": 0.5}, run_name="trial")
    writer.add_embedding([[1.0, 2.0]])
    ballast.unlink()
    writer.add_scalars("loss", {"train": 3.0, "val": 4.0}, 2)
    writer.close()
    assert scalars(small_disk / "run" / "loss_train")["loss"] == [(1, 1.0), (2, 3.0)]


def test_directory_deleted_while_logging_is_created_again(tmp_path: Path) -> None:
    run = tmp_path / "run"
    writer = SummaryWriter(run)
    for step in range(500):
        writer.add_scalar("x", step, step)
    shutil.rmtree(run)
    for step in range(500, 1000):
        writer.add_scalar("x", step, step)
    writer.close()
    points = scalars(run)["x"]
    assert [(step, step) for step in range(500, 1000)] == points[-500:]


def test_directory_replaced_by_a_file_then_repaired(tmp_path: Path) -> None:
    run = tmp_path / "run"
    writer = SummaryWriter(run)
    shutil.rmtree(run)
    run.write_text("in the way")
    for step in range(100):
        writer.add_scalar("x", step, step)
        writer.add_image("image", [[0.5]], step, dataformats="HW")
    run.unlink()
    writer.add_scalar("x", 100, 100)
    writer.close()
    assert scalars(run)["x"] == [(step, step) for step in range(101)]


def test_renamed_directory_keeps_its_run(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path / "run")
    writer.add_scalar("x", 1, 1)
    (tmp_path / "run").rename(tmp_path / "renamed")
    writer.add_scalar("x", 2, 2)
    writer.close()
    assert scalars(tmp_path / "renamed")["x"] == [(1, 1), (2, 2)]
    assert not (tmp_path / "run").exists()


def test_relative_directory_does_not_move_with_chdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    writer = SummaryWriter("run")
    shutil.rmtree("run")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    writer.add_scalar("x", 1, 1)
    writer.close()
    assert scalars(tmp_path / "run")["x"] == [(1, 1)]


def test_constructor_raises_if_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match=r"Cannot write event files: .*Set log_dir") as caught:
        SummaryWriter(tmp_path / "file" / "run")
    assert isinstance(caught.value, OSError)
    assert caught.value.filename == str(tmp_path / "file" / "run")


def test_constructor_raises_on_a_read_only_file_system(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(WriteError, match="Read-only file system"):
        SummaryWriter(small_disk / "run")


def test_io_errors_are_logged_to_the_lossboard_logger(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer = SummaryWriter(small_disk / "run")
    fill(small_disk, free_bytes=0)
    for step in range(1000):
        writer.add_scalar("x", step, step)
    writer.close()
    assert [(record.name, record.levelno) for record in caplog.records] == [("lossboard", logging.WARNING)] * 2
    assert "1000 records" not in caplog.records[0].getMessage()


def test_no_failing_write_loses_a_record(tmp_path: Path) -> None:
    here = Path(__file__).parent
    shim = tmp_path / "shim.so"
    built = subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, here / "fault_shim.c", "-ldl"], capture_output=True)
    assert built.returncode == 0, built.stderr.decode()
    command = [sys.executable, here / "inject_io_errors.py", shim, tmp_path / "runs"]
    environment = {**os.environ, "LD_PRELOAD": " ".join([str(shim), os.environ.get("LD_PRELOAD", "")]).strip()}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 240


LIMITED_FILES = """
import resource, sys
from lossboard import SummaryWriter
writer = SummaryWriter(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
for step in range(6000):
    writer.add_scalar("x", step, step)
    if step == 3000:
        writer.add_text("larger than any file may be", "x" * 200_000, step)
writer.close()
"""


def test_file_that_may_not_grow_is_followed_by_another(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED_FILES, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(event_files(tmp_path)) == 4
    assert all(file.stat().st_size <= 100_000 for file in event_files(tmp_path))
    logged = scalars(tmp_path)
    assert logged["x"] == [(step, step) for step in range(6000)]
    assert [count for _, count in logged["lossboard/lost_records"]] == [1.0]
    assert "1 records of" in done.stderr


LIMITED_MEMORY = """
import resource, sys
from lossboard import SummaryWriter
writer = SummaryWriter(sys.argv[1])
ballast = open(sys.argv[2], "wb")
try:
    while True:
        ballast.write(bytes(4096))
        ballast.flush()
except OSError:
    pass
with open("/proc/self/statm") as statm:
    used = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (16 << 20), resource.RLIM_INFINITY))
for step in range(1_000_000):
    writer.add_scalar("x", 1.0, step)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(writer._file.lost)
"""


def test_shortage_of_memory_loses_records_and_does_not_raise(small_disk: Path) -> None:
    command = [sys.executable, "-c", LIMITED_MEMORY, small_disk / "run", small_disk / "ballast"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100_000
