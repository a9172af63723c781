"""A logdir with data of every kind that has a view, and a function that calls routes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lossboard.events.summary import encode_event
from lossboard.kinds import kinds
from lossboard.server.board import new_context
from lossboard.store.logdir import Logdir
from lossboard.store.run_ids import run_id
from lossboard.writer import SummaryWriter
from reference import frame

RUN = run_id("run")


@pytest.fixture(scope="session")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Logdir]:
    folder = tmp_path_factory.mktemp("views")
    rng = np.random.default_rng(0)
    with SummaryWriter(folder / "run") as log:
        for step in range(10):
            log.add_histogram("layer.0.weight", rng.normal(0, 1 + step, 1000), step)
            log.add_histogram("relu", np.maximum(rng.normal(size=1000), 0), step)
            log.add_image("grey", np.full((3, 40, 60), step / 10, np.float32), step)
            log.add_text("note", f"# Step {step}\n\nThe *loss* <script>alert(1)</script> fell.", step)
            log.add_audio("beep", np.sin(np.arange(4000) * 0.1 * (step + 1)), step, sample_rate=8000)
    yield open_logdir(folder)


def log_values(folder: Path, *logged: tuple[int, bytes]) -> None:
    """Logs (step, Summary.Value) to a run, also values that no writer would encode."""
    events = [encode_event(1000.0 + step, step, values=[value]) for step, value in logged]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.out.tfevents.1000.values").write_bytes(b"".join(map(frame, events)))


def open_logdir(folder: Path) -> Logdir:
    opened = Logdir.parse(str(folder))
    opened.poll()
    return opened


def call_route(logdir: Logdir, kind: str, path: str, **parameters: Any) -> Any:
    route = next(route for route in kinds()[kind].routes if route.path == path)
    return route.handler(new_context(logdir), parameters)
