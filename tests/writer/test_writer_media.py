"""Media that torch cannot log, or logs incorrectly."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageSequence

from lossboard import SummaryWriter
from lossboard.events.summary import HISTO, IMAGE, Value
from lossboard.events.wire import Message
from lossboard.kinds.images.png import encode_png
from writer.read_events import events


def logged(folder: Path, what: int) -> list[Message]:
    values = (Value.parse(data) for event in events(folder) for data in event.values)
    return [Message(value.body) for value in values if value.data_field == what]


def test_video_has_the_right_duration_without_moviepy(tmp_path: Path) -> None:
    video = np.zeros((3, 6, 3, 10, 12), np.uint8)
    video[1, :, 0] = 255
    video[:, 4] = 128
    with SummaryWriter(tmp_path) as writer:
        writer.add_video("v", video, 1, fps=8)
    (message,) = logged(tmp_path, IMAGE)
    gif = Image.open(io.BytesIO(message.blob(4)))
    shown = [(frame.info["duration"], np.asarray(frame.convert("RGB"))) for frame in ImageSequence.Iterator(gif)]
    assert gif.format == "GIF"
    assert [message.uint64(n) for n in (1, 2, 3)] == [10, 48, 3], "four places in a row, the last one empty"
    assert [millis for millis, _ in shown] == [500, 120, 120], "equal frames are one that stays longer"
    assert [frame[5, 18].tolist() for _, frame in shown] == [[255, 0, 0], [128, 128, 128], [255, 0, 0]]
    assert shown[0][1][5, 40].tolist() == [0, 0, 0]


@pytest.mark.parametrize("shape", [(1, 1, 3), (7, 5, 4), (2, 300, 1), (64, 64, 3)])
def test_png_is_lossless(shape: tuple[int, int, int]) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    found = np.asarray(Image.open(io.BytesIO(encode_png(pixels))))
    assert (found.reshape(shape) == pixels).all()


def test_nan_pixels_are_black(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("i", np.array([[np.nan, 1.0], [np.inf, -np.inf]]), dataformats="HW")
    (message,) = logged(tmp_path, IMAGE)
    assert np.asarray(Image.open(io.BytesIO(message.blob(4))))[..., 0].tolist() == [[0, 255], [255, 0]]


def test_histogram_of_only_nan_is_written(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        for bins in ("tensorflow", "auto"):
            writer.add_histogram("h", torch.full((5,), math.nan), 1, bins=bins)
    for message in logged(tmp_path, HISTO):
        assert math.isnan(message.float64(1)) and math.isnan(message.float64(2))
        assert message.float64(3) == 5
        assert message.float64s(7).sum() == 0


def test_histogram_is_independent_of_dtype_and_memory_order(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(40, 50))
    with SummaryWriter(tmp_path) as writer:
        for array in (values, values.T, values[::-1], torch.tensor(values)):
            writer.add_histogram("h", array, 1)
    counts = [message.float64s(7).tolist() for message in logged(tmp_path, HISTO)]
    assert counts == counts[:1] * 4
    assert sum(counts[0]) == 2000


def test_embeddings_of_an_earlier_process_are_kept(tmp_path: Path) -> None:
    for tag in ("first", 'quote " \\ ü', "first"):
        with SummaryWriter(tmp_path) as writer:
            writer.add_embedding(np.ones((2, 2)), metadata=["tab\there", "line\nhere"], tag=tag, global_step=3)
    config = (tmp_path / "projector_config.pbtxt").read_text()
    assert config.count("embeddings {") == 2
    assert config.count('tensor_name: "first:00003"') == 1
    assert 'tensor_name: "quote \\042 \\134 \\303\\274:00003"' in config
    assert (tmp_path / "00003" / "first" / "metadata.tsv").read_text() == "tab here\nline here\n"


def test_importing_lossboard_imports_nothing_heavy() -> None:
    program = "import sys, lossboard; print(sorted({'numpy', 'starlette', 'PIL', 'rich'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"
