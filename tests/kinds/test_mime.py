import io

import pytest
from PIL import Image

from lossboard.kinds.mime import UNKNOWN, sniff


@pytest.mark.parametrize("form", ["png", "gif", "jpeg", "bmp", "webp"])
def test_type_is_detected_from_the_first_bytes(form: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (3, 2)).save(out, form)
    assert sniff(out.getvalue()) == f"image/{form}"


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"OggS\x00", "audio/ogg"),
        (b"fLaC\x00", "audio/flac"),
        (b"ID3\x04", "audio/mpeg"),
        (b"RIFF\x00\x00\x00\x00AVI ", UNKNOWN),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", UNKNOWN),
        (b"BM is how this text begins", UNKNOWN),
        (b"", UNKNOWN),
    ],
)
def test_inline_types_are_on_a_short_list(data: bytes, mime: str) -> None:
    assert sniff(data) == mime
