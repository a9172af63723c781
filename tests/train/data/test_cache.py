"""The cache of prepared data: reuse, interruptions, several processes, disks that are full or read-only."""

import errno
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lossboard.errors import DataError, UsageError
from lossboard.train.data import cache
from lossboard.train.data.cache import EntryWriter, cache_dir, cached
from lossboard.train.data.stored_values import SelectedValues
from lossboard.train.data.tables import read_table
from lossboard.train.data.tokenization import Tokenizer
from lossboard.train.preparation.examples import load_data
from train.preparation.test_examples import write_csv, write_jsonl
from train.tiny_bert import make_checkpoint


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSSBOARD_CACHE_DIR", str(tmp_path / "cache"))


def write_numbers(writer: EntryWriter) -> None:
    writer.append("numbers", np.arange(3))
    writer.append("numbers", np.arange(3, 5))
    writer.facts = {"size": 5}


def unexpected(writer: EntryWriter) -> None:
    raise AssertionError("the entry was built again")


def test_entry_is_built_once_and_mapped_afterwards() -> None:
    for build in (write_numbers, unexpected):
        entry = cached("key", build)
        assert entry.arrays["numbers"].tolist() == [0, 1, 2, 3, 4]
        assert entry.facts == {"size": 5}


def test_interrupted_entry_is_built_again() -> None:
    def interrupted(writer: EntryWriter) -> None:
        writer.append("numbers", np.arange(3))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached("key", interrupted)
    assert cached("key", write_numbers).facts == {"size": 5}


KILLED = """
import os, sys
import numpy as np
from lossboard.train.data.cache import cached

def build(writer):
    writer.append("numbers", np.arange(100_000))
    os.kill(os.getpid(), 9)

cached("key", build)
"""


def test_entry_of_a_killed_process_is_built_again() -> None:
    assert subprocess.run([sys.executable, "-c", KILLED], check=False).returncode == -9
    assert list(cache_dir().glob(".*.part")), "the killed process left its part"
    assert cached("key", write_numbers).facts == {"size": 5}
    assert not list(cache_dir().glob(".*.part"))


RACING = """
import sys
from pathlib import Path
import numpy as np
from lossboard.train.data.cache import cached

def build(writer):
    with Path(sys.argv[1]).open("a") as file:
        file.write("built\\n")
    for _ in range(200):
        writer.append("numbers", np.arange(1000))

print(len(cached("key", build).arrays["numbers"]))
"""


def test_processes_at_once_build_an_entry_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RACING, str(tmp_path / "built")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[0] for process in processes] == ["200000\n"] * 4
    assert (tmp_path / "built").read_text() == "built\n"


def test_read_only_cache_is_replaced_by_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LOSSBOARD_CACHE_DIR", str(tmp_path / "file"))
    assert cached("key", write_numbers).arrays["numbers"].tolist() == [0, 1, 2, 3, 4]
    assert "Set LOSSBOARD_CACHE_DIR to another directory" in capsys.readouterr().err


def test_full_disk_is_reported_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(DataError, match=r"No space left on device.* Set LOSSBOARD_CACHE_DIR to a directory on a disk"):
        cached("key", write_numbers)
    assert [path for path in cache_dir().iterdir() if path.is_dir()] == []


def test_error_in_the_data_is_not_an_error_of_the_cache() -> None:
    def broken(writer: EntryWriter) -> None:
        raise OSError(errno.EIO, "the data cannot be read")

    with pytest.raises(OSError, match="the data cannot be read"):
        cached("key", broken)


def test_unused_entries_are_deleted() -> None:
    cached("old", write_numbers)
    cached("used", write_numbers)
    long_ago = time.time() - cache.MAX_UNUSED_SECS - 60
    for name in ("old", "used"):
        os.utime(cache_dir() / name, (long_ago, long_ago))
    cached("used", unexpected)
    cached("new", write_numbers)
    assert sorted(path.name for path in cache_dir().iterdir() if path.is_dir()) == ["new", "used"]


def entry_names() -> list[str]:
    return sorted(path.name for path in cache_dir().iterdir() if path.is_dir())


def write_megabyte(writer: EntryWriter) -> None:
    writer.append_bytes("text", bytes(1_000_000))


def test_least_recently_used_entries_make_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSSBOARD_CACHE_MAX_GB", "0.0035")
    for age, name in enumerate(("a", "b", "c")):
        cached(name, write_megabyte)
        os.utime(cache_dir() / name, (time.time() - 1000 + age,) * 2)
    cached("a", unexpected)  # used again, so b is the oldest one
    in_use = cached("b", unexpected)
    os.utime(cache_dir() / "b", (time.time() - 2000,) * 2)
    cached("d", write_megabyte)
    assert entry_names() == ["a", "c", "d"]
    assert in_use.bytes["text"].read(999_990, 1_000_000) == bytes(10)
    cached("b", write_megabyte)
    assert entry_names() == ["a", "b", "d"]


def test_entry_larger_than_the_cache_is_kept_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    cached("old", write_numbers)
    monkeypatch.setenv("LOSSBOARD_CACHE_MAX_GB", "0")
    part = cache_dir() / ".other.part"
    part.mkdir()  # another process is writing it
    cached("new", write_megabyte)
    assert entry_names() == [".other.part", "new"]


@pytest.mark.parametrize("size", ["many", "-1", "nan", "inf"])
def test_cache_size_that_is_no_number_is_refused(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSSBOARD_CACHE_MAX_GB", size)
    with pytest.raises(UsageError, match=f"LOSSBOARD_CACHE_MAX_GB is '{size}'. It must be a number of gigabytes"):
        cached("key", write_numbers)


def test_entry_that_another_process_deletes_is_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cached("key", write_numbers)
    utime = os.utime

    def deleted_after(path: Path, *args: object) -> None:
        monkeypatch.setattr(os, "utime", utime)
        shutil.rmtree(path)

    monkeypatch.setattr(os, "utime", deleted_after)
    assert cached("key", write_numbers).facts == {"size": 5}


def test_changed_data_gives_other_entries(tmp_path: Path) -> None:
    tokenizer = Tokenizer(make_checkpoint(tmp_path / "model"))

    def ids(text: str, **settings: int) -> list[int]:
        path = write_csv(tmp_path / "x.csv", ["text", "label"], [(text, 0), ("bad", 1)])
        return tokenizer.encode(load_data(path, path).train, **{"max_length": 9, **settings}).ids(0).tolist()

    first = ids("good film")
    assert ids("good story") != first
    assert ids("good film", max_length=3) == [*first[:2], first[-1]]
    assert ids("good film") == first


def test_nothing_is_written_next_to_the_data(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    path = write_csv(tmp_path / "data" / "x.csv", ["text", "label"], [("good", 0), ("bad", 1)])
    load_data(path)
    assert [file.name for file in path.parent.iterdir()] == ["x.csv"]


def test_rows_keep_values_of_any_type(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"tokens": ["a", "b"], "score": 1.5, "text": 'a "quoted", \u2028 text'},
        {"tokens": [], "score": None, "text": "\ud800 lone"},
        *({"text": f"text {i}", "late": i} for i in range(5000)),
    ]
    columns = read_table(write_jsonl(tmp_path / "x.jsonl", records)).columns
    assert {name: list(values) for name, values in columns.items()} == {
        name: [record.get(name) for record in records] for name in ("tokens", "score", "text", "late")
    }
    assert columns["late"][-1] == 4999
    assert columns["text"][4997:] == ["text 4995", "text 4996", "text 4997", "text 4998", "text 4999"]
    rows = np.array([4, 1, 5001])
    assert list(SelectedValues(columns["late"], rows, str)) == ["2", "None", "4999"]


def resident_file_mb() -> float:
    """The mapped files of this process that are in memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssFile:"))


def test_texts_that_were_read_do_not_stay_in_memory(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "reviews.csv", ["text", "label"], [("word " * 2000, n % 2) for n in range(3000)])
    column = read_table(file).columns["text"]
    before = resident_file_mb()
    assert sum(map(len, column)) == 30_000_000
    assert resident_file_mb() - before < 10
