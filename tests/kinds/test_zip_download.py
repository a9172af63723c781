"""Logged things as one zip: complete, readable by anyone, harmless to unpack, and made piece by piece."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lossboard.errors import UsageError
from lossboard.kinds.routes import StreamResult
from lossboard.store.logdir import Logdir
from lossboard.store.run_ids import run_id
from lossboard.writer import SummaryWriter
from tests.kinds.views import RUN, ask


def unpacked(stream: StreamResult) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(b"".join(stream.parts))) as packed:
        assert packed.testzip() is None
        return {name: packed.read(name) for name in packed.namelist()}


def test_every_step_is_there_with_the_bytes_that_were_logged(logdir: Logdir) -> None:
    files = unpacked(ask(logdir, "images", "zip", things=[{"run": RUN, "tag": "grey"}]))
    assert list(files) == [f"run/grey/{step}/0.png" for step in range(10)]
    assert files["run/grey/7/0.png"] == ask(logdir, "images", "blob", run=RUN, tag="grey", step="7").body


def test_one_step_and_other_kinds(logdir: Logdir) -> None:
    assert list(unpacked(ask(logdir, "audio", "zip", things=[{"run": RUN, "tag": "beep", "step": 3}]))) == [
        "run/beep/3/0.wav"
    ]
    (note,) = unpacked(ask(logdir, "text", "zip", things=[{"run": RUN, "tag": "note/text_summary", "step": 3}])).items()
    assert note[0] == "run/note/text_summary/3/0.md" and note[1].startswith(b"# Step 3")


def test_names_from_logs_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    tags = ["../../etc/passwd", "/absolute", "C:\\windows", "a/../../b", "nul\x00l", "...", "x" * 300]
    with SummaryWriter(tmp_path / "run") as log:
        for tag in tags:
            log.add_image(tag, np.zeros((3, 2, 2), np.float32), 0)
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    things = [{"run": RUN, "tag": info.tag} for info in logdir.runs["run"].index()]
    files = unpacked(ask(logdir, "images", "zip", things=things))
    assert len(files) == len(tags)
    for name in files:
        assert name.startswith("run/") and ".." not in name.split("/") and not set(name) & set('\\:\x00"')
        assert max(map(len, name.split("/"))) <= 100


def test_memory_holds_one_image_however_many_there_are(large: Logdir) -> None:
    parts = ask(large, "images", "zip", things=[{"run": run_id("run"), "tag": "large"}]).parts
    tracemalloc.start()
    total = sum(map(len, parts))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total > 12_000_000 and most < 5_000_000


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Logdir]:
    rng = np.random.default_rng(0)
    with SummaryWriter(tmp_path / "run") as log:
        for step in range(20):
            log.add_image("large", rng.integers(0, 256, (3, 500, 500), np.uint8), step)
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    yield logdir


def test_a_bad_question_is_refused_before_anything_is_sent(logdir: Logdir) -> None:
    with pytest.raises(UsageError, match='"things" to be a list'):
        ask(logdir, "images", "zip", things="all")
    with pytest.raises(LookupError, match="No such run"):
        ask(logdir, "images", "zip", things=[{"run": "..", "tag": "grey"}])
