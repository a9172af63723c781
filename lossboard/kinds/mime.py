"""What a blob is, by its first bytes. What the record claims does not count: logs are hostile input."""

from __future__ import annotations

UNKNOWN = "application/octet-stream"

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
)
_ENDINGS = {UNKNOWN: "bin", "image/jpeg": "jpg", "audio/mpeg": "mp3"}
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


def sniff(data: bytes) -> str:
    """The media type of an image or a clip that a browser can show; `application/octet-stream` for all else."""
    for magic, mime in _MAGIC:
        if data.startswith(magic):
            return mime
    if data.startswith(b"RIFF"):
        return _RIFF.get(data[8:12], UNKNOWN)
    if data.startswith(b"BM") and data[6:10] == bytes(4):  # two letters are weak; the reserved field is always zero
        return "image/bmp"
    return UNKNOWN


def ending(mime: str) -> str:
    """How a file of this type ends."""
    return _ENDINGS.get(mime, mime.partition("/")[2])
