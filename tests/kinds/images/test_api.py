"""Routes of images. Hostile images are rejected before they are decoded."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from PIL import Image

from lossboard.errors import DecodeError
from lossboard.kinds.images.thumbnail import thumbnail
from lossboard.kinds.routes import BlobResult
from lossboard.store.logdir import Logdir
from tests.kinds.views import RUN, call_route


def test_series_have_steps_and_size(logdir: Logdir) -> None:
    response = call_route(logdir, "images", "series", runs={"only": [RUN]})
    (series,) = response.document["series"]
    assert series["steps"] == list(range(10))
    assert (series["samples"], series["width"], series["height"], series["mime"]) == (1, 60, 40, "image/png")


def test_blob_equals_the_logged_bytes(logdir: Logdir) -> None:
    response = call_route(logdir, "images", "blob", run=RUN, tag="grey", step="7")
    assert isinstance(response, BlobResult) and response.mime == "image/png"
    assert Image.open(io.BytesIO(response.body)).getpixel((0, 0)) == (178, 178, 178)


def test_thumbnail_fits_its_square(logdir: Logdir) -> None:
    large = io.BytesIO()
    Image.new("RGB", (1000, 500), "red").save(large, "PNG")
    assert Image.open(io.BytesIO(thumbnail(large.getvalue(), 128))).size == (128, 64)
    response = call_route(logdir, "images", "thumb", run=RUN, tag="grey", step="0", side="64")
    assert Image.open(io.BytesIO(response.body)).size == (60, 40)


def test_oversized_and_invalid_images_raise_before_decoding() -> None:
    with pytest.raises(DecodeError, match="too large to show"):
        thumbnail(png_claiming(20_000, 20_000), 128)
    for impostor in (b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<html>", b"", b"\x89PNG\r\n\x1a\n"):
        with pytest.raises(DecodeError):
            thumbnail(impostor, 128)


def test_webp_of_64_megapixels_raises_before_decoding() -> None:
    out = io.BytesIO()
    Image.new("1", (8000, 8000)).save(out, "WEBP", lossless=True, quality=0, method=0)
    with pytest.raises(DecodeError, match="too large to show"):
        thumbnail(out.getvalue(), 128)


DECODE_IN_THREADS = """
import io, threading
from pathlib import Path
from PIL import Image
from lossboard.kinds.images.thumbnail import thumbnail

out = io.BytesIO()
Image.new("P", (8000, 8000)).save(out, "PNG", compress_level=1)  # in color, it takes 256 MB
before = int(Path("/proc/self/statm").read_text().split()[1])
threads = [threading.Thread(target=thumbnail, args=(out.getvalue(), 128)) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print((int(Path("/proc/self/statm").read_text().split()[1]) - before) * 4096 >> 20)
"""


def test_memory_of_large_images_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", DECODE_IN_THREADS], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100


def test_missing_sample_names_the_number_of_samples(logdir: Logdir) -> None:
    with pytest.raises(LookupError, match="has 1 samples"):
        call_route(logdir, "images", "blob", run=RUN, tag="grey", step="0", sample="1")


def test_path_is_not_a_run(logdir: Logdir, tmp_path: Path) -> None:
    for wanted in (str(tmp_path), "../run", ".", "run"):
        with pytest.raises(LookupError):
            call_route(logdir, "images", "blob", run=wanted, tag="grey", step="0")


def png_claiming(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    )
