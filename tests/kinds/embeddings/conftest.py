"""A board with embeddings over several steps, and a client for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from board_client import ServedBoard
from lossboard import SummaryWriter
from lossboard.store.run_ids import run_id

ROWS, COLUMNS, STEPS = 90, 12, (0, 10, 20)


class EmbeddingBoard(ServedBoard):
    def ask(self, path: str, **params: Any) -> Any:
        return self.post(f"/api/embeddings/{path}", params)

    def at(self, step: int, *, run: str = "run", tag: str = "cls") -> dict[str, Any]:
        return {"run": run_id(run), "tag": tag, "step": step}

    def projected(self, **params: Any) -> tuple[Any, list[dict[str, np.ndarray]]]:
        """Starts a projection and returns its points when it is done."""
        state = self.ask("project", page="p", **params).json()
        deadline = time.monotonic() + 60
        while state["state"] in ("waiting", "running") and time.monotonic() < deadline:
            state = self.ask("progress", job=state["job"]).json()
        assert state["state"] == "done", state
        return self.ask("points", job=state["job"]).frames()


def rows_at(step: int) -> np.ndarray:
    """Returns vectors of two classes that separate during training."""
    rng = np.random.default_rng(0)
    labels = np.arange(ROWS) % 2
    noise = rng.normal(size=(ROWS, COLUMNS))
    return (noise + labels[:, None] * np.linspace(1, 2, COLUMNS) * step / 10).astype(np.float32)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[EmbeddingBoard]:
    with SummaryWriter(tmp_path / "run") as log:
        for step in STEPS:
            metadata = [[("good", "bad")[row % 2], str(row / 4), f"Sentence {row}"] for row in range(ROWS)]
            header = ["label", "score", "text"]
            log.add_embedding(rows_at(step), metadata, tag="cls", global_step=step, metadata_header=header)
    board = EmbeddingBoard(tmp_path)
    board.poll()
    yield board
    board.context.jobs.close()


def write_embedding(folder: Path, config: str, **files: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "projector_config.pbtxt").write_text(config)
