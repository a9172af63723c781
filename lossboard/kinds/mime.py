"""Media types, detected from the first bytes. The type that a record claims is ignored, because logs are hostile."""

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
_EXTENSIONS = {UNKNOWN: "bin", "image/jpeg": "jpg", "audio/mpeg": "mp3"}
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


def sniff(data: bytes) -> str:
    """Returns the media type of an image or clip that browsers can show, or else `application/octet-stream`."""
    for magic, mime in _MAGIC:
        if data.startswith(magic):
            return mime
    if data.startswith(b"RIFF"):
        return _RIFF.get(data[8:12], UNKNOWN)
    if data.startswith(b"BM") and data[6:10] == bytes(
        4
    ):  # the reserved field is always zero; two letters alone are too weak
        return "image/bmp"
    return UNKNOWN


def file_extension(mime: str) -> str:
    return _EXTENSIONS.get(mime, mime.partition("/")[2])
