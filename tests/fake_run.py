"""Fake run of Summary.Values without files, for the tests of the kinds."""

from __future__ import annotations

from pathlib import Path

from lossboard.events.summary import TENSOR, Event, encode_event, encode_metadata, encode_value
from reference import Run


def tensor_value(tag: str, plugin: str, tensor: bytes, content: bytes = b"") -> bytes:
    """A new-style value as TensorFlow writes it."""
    return encode_value(tag, TENSOR, tensor, metadata=encode_metadata(plugin, content))


def run_of(*logged: tuple[int, bytes], name: str = "run") -> Run:
    """A run into which these (step, Summary.Value) were logged, a second apart."""
    run = Run(name, Path(name))
    for second, (step, value) in enumerate(logged):
        run.take(Event.parse(encode_event(1000.0 + second, step, values=[value])))
    return run
