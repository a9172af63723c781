"""ZIP downloads: complete, valid, safe to unpack, and created while they are sent."""

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
from tests.kinds.views import RUN, call_route


def unpacked(stream: StreamResult) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(b"".join(stream.parts))) as packed:
        assert packed.testzip() is None
        return {name: packed.read(name) for name in packed.namelist()}


def test_zip_has_every_step_as_logged(logdir: Logdir) -> None:
    files = unpacked(call_route(logdir, "images", "zip", things=[{"run": RUN, "tag": "grey"}]))
    assert list(files) == [f"run/grey/{step}/0.png" for step in range(10)]
    assert files["run/grey/7/0.png"] == call_route(logdir, "images", "blob", run=RUN, tag="grey", step="7").body


def test_zip_of_one_step_and_of_other_kinds(logdir: Logdir) -> None:
    assert list(unpacked(call_route(logdir, "audio", "zip", things=[{"run": RUN, "tag": "beep", "step": 3}]))) == [
        "run/beep/3/0.wav"
    ]
    (note,) = unpacked(
        call_route(logdir, "text", "zip", things=[{"run": RUN, "tag": "note/text_summary", "step": 3}])
    ).items()
    assert note[0] == "run/note/text_summary/3/0.md" and note[1].startswith(b"# Step 3")


def test_names_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    tags = ["../../etc/passwd", "/absolute", "C:\\windows", "a/../../b", "nul\x00l", "...", "x" * 300]
    with SummaryWriter(tmp_path / "run") as log:
        for tag in tags:
            log.add_image(tag, np.zeros((3, 2, 2), np.float32), 0)
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    things = [{"run": RUN, "tag": info.tag} for info in logdir.runs["run"].index()]
    files = unpacked(call_route(logdir, "images", "zip", things=things))
    assert len(files) == len(tags)
    for name in files:
        assert name.startswith("run/") and ".." not in name.split("/") and not set(name) & set('\\:\x00"')
        assert max(map(len, name.split("/"))) <= 100


def test_memory_holds_only_one_image(large: Logdir) -> None:
    parts = call_route(large, "images", "zip", things=[{"run": run_id("run"), "tag": "large"}]).parts
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


def test_invalid_parameters_raise_before_anything_is_sent(logdir: Logdir) -> None:
    with pytest.raises(UsageError, match='"things" to be a list'):
        call_route(logdir, "images", "zip", things="all")
    with pytest.raises(LookupError, match="No such run"):
        call_route(logdir, "images", "zip", things=[{"run": "..", "tag": "grey"}])
