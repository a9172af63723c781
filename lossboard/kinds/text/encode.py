"""Encoding of text as a string tensor of one element, with the tag that torch and tensorboardX use."""

from __future__ import annotations

from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_strings

_METADATA = encode_metadata("text")


def encode(tag: str, text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"Text must be a str, got {type(text).__name__}: {text!r:.60}")
    return encode_value(f"{tag}/text_summary", TENSOR, encode_strings([text.encode()]), metadata=_METADATA)
