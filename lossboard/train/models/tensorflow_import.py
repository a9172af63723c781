"""Imports TensorFlow and Keras without the notes that they print at every start.

All modules of the kit take `tf`, `keras` and `keras_hub` from here. TensorFlow writes some notes before its log level
applies, so they are removed from what the imports write to stderr. Everything else is printed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

# These say that logging is not set up yet, and that oneDNN may round differently.
_NOTES = (b"absl::InitializeLog()", b"oneDNN custom operations are on")


@contextmanager
def _without_notes() -> Iterator[None]:
    sys.stderr.flush()
    real = os.dup(2)
    with tempfile.TemporaryFile() as written:
        os.dup2(written.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(real, 2)
            os.close(real)
            written.seek(0)
            os.write(2, b"".join(line for line in written if not any(note in line for note in _NOTES)))


# Errors only: the other levels report what TensorFlow was compiled with and which devices it looks for.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
with _without_notes():
    import keras
    import keras_hub
    import tensorflow as tf

__all__ = ["keras", "keras_hub", "tf"]
