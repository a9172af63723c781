"""Attention of a small real model, and a board that serves it."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from board_client import ServedBoard
from lossboard.events.summary import TENSOR, encode_event, encode_metadata, encode_value
from lossboard.events.tensors import encode_strings
from lossboard.store.run_ids import run_id
from reference import frame

WORDS = ["[CLS]", "never", "quite", "dull", ",", "[SEP]"]


def softmax_maps(layers: int, heads: int, queries: int, keys: int | None = None, *, seed: int = 0) -> np.ndarray:
    """Returns weights as sharp and as flat as those of real heads."""
    rng = np.random.default_rng(seed)
    sharpness = rng.uniform(0.2, 6, (layers, heads, 1, 1))
    scores = rng.normal(size=(layers, heads, queries, keys or queries)) * sharpness
    odds = np.exp(scores - scores.max(-1, keepdims=True))
    return (odds / odds.sum(-1, keepdims=True)).astype(np.float32)


class AttentionBoard(ServedBoard):
    def ask(self, path: str, **params: Any) -> Any:
        return self.post(f"/api/attention/{path}", params)

    def at(self, step: int, *, run: str = "run", tag: str = "probe") -> dict[str, Any]:
        return {"run": run_id(run), "tag": tag, "step": step}


@pytest.fixture
def board(tmp_path: Path) -> AttentionBoard:
    return AttentionBoard(tmp_path)


def write_values(folder: Path, values: dict[str, list[bytes]], *, step: int = 0) -> None:
    """Writes attention values of any strings, as a hostile or older writer would."""
    folder.mkdir(parents=True, exist_ok=True)
    metadata = encode_metadata("attention")
    events = [
        encode_event(1.0, step, values=[encode_value(tag, TENSOR, encode_strings(strings), metadata=metadata)])
        for tag, strings in values.items()
    ]
    (folder / f"events.out.tfevents.{len(list(folder.iterdir()))}").write_bytes(b"".join(map(frame, events)))


def older_form(weights: np.ndarray, tokens: list[str]) -> list[bytes]:
    """Returns the strings that were logged before measures were stored."""
    head = {"layers": weights.shape[0], "heads": weights.shape[1], "tokens": tokens}
    raw = np.rint(255 * np.sqrt(weights)).astype(np.uint8)
    return [json.dumps(head).encode(), zlib.compress(raw.tobytes())]


def unpacked(table: dict[str, np.ndarray], *shape: int) -> np.ndarray:
    """Returns weights from a packed table of a response."""
    raw = np.frombuffer(zlib.decompress(table["packed"].astype(np.uint8).tobytes()), np.uint8)
    weights = (raw.reshape(shape) / 255.0) ** 2
    return weights
