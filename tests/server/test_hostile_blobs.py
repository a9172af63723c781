"""Hostile media over HTTP: nothing runs in the browser, and nothing fills the memory."""

from __future__ import annotations

import json
import resource
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

import crc32c
import numpy as np
import pytest

from board_client import Response, ServedBoard
from lossboard.events.summary import AUDIO, IMAGE, SUMMARY, encode_event, encode_value
from lossboard.events.wire import BYTES, bytes_field, double_field, text_field, uint_field, varint
from lossboard.kinds.audio.encode import encode as encode_audio
from lossboard.kinds.text.encode import encode as encode_text
from lossboard.store.run_ids import run_id
from reference import frame, mask, masked

RUN = run_id("run")
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
HTML = b"<!doctype html><script>alert(1)</script>"


def served(folder: Path, values: Iterable[bytes]) -> ServedBoard:
    (folder / "run").mkdir()
    event = encode_event(1.0, 1, values=list(values))
    (folder / "run" / "events.out.tfevents.0").write_bytes(frame(event))
    board = ServedBoard(folder)
    board.poll()
    return board


def image(tag: str, data: bytes) -> bytes:
    return encode_value(tag, IMAGE, uint_field(1, 10) + uint_field(2, 10) + bytes_field(4, data))


def get(board: ServedBoard, kind: str, path: str, tag: str, more: str = "") -> Response:
    return board.get(f"/api/{kind}/{path}?run={RUN}&tag={tag}&step=1{more}")


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("impostor", [SVG, HTML, b"GIF", b"\x89PNG" + HTML, b"BM" + HTML], ids=range(5))
def test_fake_image_is_sent_as_attachment(impostor: bytes, tmp_path: Path) -> None:
    board = served(tmp_path, [image("a", impostor)])
    response = get(board, "images", "blob", "a")
    assert response.body == impostor
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.headers["content-disposition"].startswith("attachment")
    assert response.headers["x-content-type-options"] == "nosniff"
    assert get(board, "images", "thumb", "a", "&side=128").status == 409


def test_fake_clip_is_sent_as_attachment(tmp_path: Path) -> None:
    clip = encode_value("a", AUDIO, bytes_field(4, HTML) + bytes_field(5, b"text/html"))
    response = get(served(tmp_path, [clip]), "audio", "blob", "a")
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.headers["content-disposition"].startswith("attachment")


def test_decompression_bomb_is_rejected_before_decoding(tmp_path: Path) -> None:
    board = served(tmp_path, [image("bomb", bomb(20_000))])
    before = peak_mb()
    response = get(board, "images", "thumb", "bomb", "&side=128")
    assert (response.status, "too large" in response.json()["error"]["message"]) == (409, True)
    assert peak_mb() - before < 100  # decoded it takes 400 MB


def bomb(side: int) -> bytes:
    """Returns a valid square PNG with one bit per pixel: 50 MB of zeros in 50 KB."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes((1 + side // 8) * side), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_point_of_200_mb_is_not_loaded(tmp_path: Path) -> None:
    """In a process of its own: the peak of this one is that of the tests before."""
    (tmp_path / "run").mkdir()
    write_huge_image(tmp_path / "run" / "events.out.tfevents.0", 200 << 20)
    asked = subprocess.run(
        [sys.executable, "-c", ASK_FOR_IT, str(tmp_path)],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    responses = json.loads(asked.stdout)
    assert responses["broken"] == "This point has 210 MB, more than the limit of 64 MB."
    assert responses["refused"] == [409, 409]
    assert responses["zip"] == 200
    assert responses["grown_mb"] < 50


def write_huge_image(path: Path, zeros: int) -> None:
    """One record of an image of so many zeros. They end every message around them."""
    head = uint_field(1, 10) + uint_field(2, 10) + varint(4 << 3 | BYTES) + varint(zeros)
    for number, before in (
        (IMAGE, text_field(1, "huge")),
        (1, b""),
        (SUMMARY, double_field(1, 1.0) + uint_field(2, 1)),
    ):
        head = before + varint(number << 3 | BYTES) + varint(len(head) + zeros) + head
    length = struct.pack("<Q", len(head) + zeros)
    crc = crc32c.crc32c(head)
    for _ in range(zeros >> 20):
        crc = crc32c.crc32c(bytes(1 << 20), crc)
    with path.open("wb") as file:
        file.write(length + struct.pack("<I", masked(length)) + head)
        for _ in range(zeros >> 20):
            file.write(bytes(1 << 20))
        file.write(struct.pack("<I", mask(crc)))


ASK_FOR_IT = """
import json, sys
from pathlib import Path
from board_client import ServedBoard
from server.test_hostile_blobs import RUN, get, peak_mb
board = ServedBoard(Path(sys.argv[1]))
board.poll()
before = peak_mb()
(series,) = board.post("/api/images/series", {}).json()["series"]
refused = [get(board, "images", path, "huge", "&side=128").status for path in ("blob", "thumb")]
packed = board.post("/api/images/zip", {"things": [{"run": RUN, "tag": "huge"}]}).status
print(json.dumps({"broken": series["broken"], "refused": refused, "zip": packed, "grown_mb": peak_mb() - before}))
"""


def test_truncated_clip_or_wrong_length_has_an_error(tmp_path: Path) -> None:
    whole = encode_audio("a", np.zeros(4000), sample_rate=8000)
    sound = whole[whole.index(b"RIFF") :]
    lying = sound[:40] + struct.pack("<I", 0xFFFF_FFFF) + sound[44:1044]
    board = served(
        tmp_path,
        [encode_value(tag, AUDIO, bytes_field(4, data)) for tag, data in (("cut", sound[:30]), ("lying", lying))],
    )
    clips = [{"run": RUN, "tag": tag, "step": 1} for tag in ("cut", "lying")]
    for path in ("waveforms", "spectrograms"):
        head, tables = board.post(f"/api/audio/{path}", {"clips": clips}).frames()
        assert head["clips"][0]["broken"] and head["clips"][1]["seconds"] == 500 / 8000
        assert len(tables) == 2


def test_long_text_is_truncated_and_marked(tmp_path: Path) -> None:
    board = served(tmp_path, [encode_text("a", "<script>alert(1)</script> word " * 100_000)])
    place = {"run": RUN, "tag": "a/text_summary", "step": 1}
    (text,) = board.post("/api/text/texts", {"texts": [place]}).json()["texts"]
    assert text["cut"] and len(text["texts"][0]) == 500_000 and text["html"] is None
    assert len(board.post("/api/text/zip", {"things": [place]}).body) > 3_000_000
