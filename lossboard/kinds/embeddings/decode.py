"""Embeddings: `projector_config.pbtxt`, a file next to event files, names a tensor, its labels and a sprite image.

    embeddings { tensor_name, tensor_path, tensor_shape, metadata_path, sprite { image_path, single_image_dim } }

A tensor is a TSV of numbers, or raw float32 of `tensor_shape`. Metadata is a TSV whose first line is a header if it
contains a tab. Paths are relative to the config and must stay in the logdir. tensorboardX appends an entry each time
the script runs, so the last of several entries with the same name counts. Without a `tensor_path`, the tensor is in a
TensorFlow checkpoint: the one at `model_checkpoint_path`, or the latest one. Weights of Keras 3 (.h5) are not read.
"""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError, TooLarge
from lossboard.kinds.assets import Asset, find_assets
from lossboard.kinds.embeddings import pbtxt
from lossboard.kinds.embeddings.checkpoint import Checkpoint
from lossboard.safe_paths import open_within, refuse_large_hole, resolve_within
from lossboard.store.assets import PLUGIN_PREFIX

if TYPE_CHECKING:
    from lossboard.store.assets import AssetFile
    from lossboard.store.logdir import Logdir

PLUGIN = PLUGIN_PREFIX + "embeddings"
CONFIG_NAME = "projector_config.pbtxt"
MAX_CONFIG_BYTES = 1 << 21
_MAX_EMBEDDINGS = 1000
"""Of one config. Each poll looks for changes of their files."""
MAX_FILE_BYTES = 4 << 30
"""Larger tensors, metadata and sprites are not loaded."""


@dataclass(frozen=True, slots=True)
class Embedding(Asset):
    """One entry of a config. `tag` is its tensor_name."""

    tensor_path: str
    checkpoint_path: str
    metadata_path: str
    sprite_path: str
    sprite_size: tuple[int, int] | None
    stated_shape: tuple[int, ...]
    folder: Path
    root: Path

    def tensor(self) -> npt.NDArray[np.float32]:
        """Returns the vectors, one per row."""
        if not self.tensor_path:
            with _readable("The checkpoint"):
                return self._checkpoint().tensor(self.tag)
        data = self._read(self.tensor_path)
        try:
            return _numbers(str(data, "utf-8"))
        except ValueError:  # not text, or not numbers
            return self._raw(data)

    def shape(self) -> tuple[int, int]:
        """Returns rows and columns. A TSV is not parsed for it, so its numbers may still turn out to be invalid."""
        if not self.tensor_path:
            with _readable("The checkpoint"):
                return self._checkpoint().shape(self.tag)
        data = self._read(self.tensor_path)
        if self._is_matrix and len(data) == 4 * math.prod(self.stated_shape):
            return self.stated_shape[0], self.stated_shape[1]
        lines = data.count(b"\n") + (not data.endswith(b"\n")) - data.count(b"\n\n") - data.startswith(b"\n")
        first = data.lstrip(b"\n").partition(b"\n")[0]
        if not first or b"\0" in first:
            self._raw(data)
        return lines, first.count(b"\t") + 1

    @property
    def _is_matrix(self) -> bool:
        """Whether the config states the shape of a matrix."""
        return len(self.stated_shape) == 2 and min(self.stated_shape) > 0

    def tensor_key(self) -> Hashable:
        """Returns a value that changes with the tensor, for caches."""
        if not self.tensor_path:
            return _file_stamp(self._checkpoint().index), self.tag
        return _file_stamp(self._resolve(self.tensor_path)), self.stated_shape

    def metadata_key(self) -> Hashable:
        return _file_stamp(self._resolve(self.metadata_path)) if self.metadata_path else None

    def metadata(self) -> tuple[list[str], list[list[str]]]:
        """Returns the column names, empty without a header, and a row of cells for each vector."""
        if not self.metadata_path:
            return [], []
        text = str(self._read(self.metadata_path), "utf-8", "replace")
        rows = [line.split("\t") for line in text.rstrip("\n").split("\n")] if text else []
        return (rows[0], rows[1:]) if rows and len(rows[0]) > 1 else ([], rows)

    def sprite(self) -> bytes:
        """Returns the encoded image with a thumbnail of `sprite_size` for each vector, row by row."""
        if not self.sprite_path:
            raise DecodeError(f"Embedding {self.tag!r} has no sprite.")
        return self._read(self.sprite_path)

    def linked_stamps(self) -> Hashable:
        files = [self._stamp(path) for path in (self.metadata_path, self.sprite_path) if path]
        try:
            return self.tensor_key(), *files
        except DecodeError:
            return None, *files

    def _stamp(self, path: str) -> tuple[int, ...] | None:
        """Returns the stamp of a file, or None if it cannot be read."""
        try:
            return _file_stamp(self._resolve(path))
        except DecodeError:
            return None

    def _checkpoint(self) -> Checkpoint:
        return Checkpoint.find(self.checkpoint_path, base=self.folder, root=self.root)

    def _read(self, path: str) -> bytes:
        with _readable(repr(path)), open_within(path, base=self.folder, root=self.root) as file:
            if os.fstat(file.fileno()).st_size > MAX_FILE_BYTES:
                raise TooLarge(f"{path!r} is larger than {MAX_FILE_BYTES >> 30} GB.")
            refuse_large_hole(file)
            return file.read()

    def _resolve(self, path: str) -> Path:
        return resolve_within(path, base=self.folder, root=self.root)

    def _raw(self, data: bytes) -> npt.NDArray[np.float32]:
        if not self._is_matrix:
            raise DecodeError(
                f"{self.tensor_path!r} is not a TSV of numbers, and its config states no shape of a matrix."
            )
        if len(data) != 4 * math.prod(self.stated_shape):
            rows, columns = self.stated_shape
            raise DecodeError(
                f"{self.tensor_path!r} has {len(data)} bytes. It is neither a TSV of numbers nor float32 of its stated "
                f"shape {rows} × {columns}, which takes {4 * rows * columns} bytes."
            )
        return np.frombuffer(data, "<f4").reshape(self.stated_shape)


def embeddings(logdir: Logdir) -> Iterator[Embedding]:
    """Returns every embedding of a logdir."""
    return find_assets(logdir, PLUGIN, Embedding)


def read_config(file: AssetFile) -> list[Embedding]:
    """Returns the embeddings that a config names. Raises DecodeError if it is not a valid config."""
    if file.size_bytes > MAX_CONFIG_BYTES:
        raise DecodeError(f"a projector config of more than {MAX_CONFIG_BYTES >> 20} MB")
    with open_within(file.path.name, base=file.path.parent, root=file.root) as opened:
        config = pbtxt.parse(opened.read(MAX_CONFIG_BYTES).decode("utf-8", "replace"))
    entries = [entry for entry in config.get("embeddings", []) if isinstance(entry, dict)]
    found = [_embedding(entry, file, _text(config, "model_checkpoint_path")) for entry in entries]
    return list({embedding.tag: embedding for embedding in found}.values())[-_MAX_EMBEDDINGS:]


def _embedding(entry: pbtxt.Text, file: AssetFile, checkpoint_path: str) -> Embedding:
    sprites = [sprite for sprite in entry.get("sprite", []) if isinstance(sprite, dict)]
    sprite = sprites[-1] if sprites else {}
    size = _integers(sprite, "single_image_dim")
    return Embedding(
        step=0,
        wall_time=file.wall_time,
        hidden=False,
        run=file.run,
        tag=_text(entry, "tensor_name"),
        tensor_path=_text(entry, "tensor_path"),
        checkpoint_path=checkpoint_path,
        metadata_path=_text(entry, "metadata_path"),
        sprite_path=_text(sprite, "image_path"),
        sprite_size=(size[0], size[1]) if len(size) == 2 else None,
        stated_shape=_integers(entry, "tensor_shape"),
        folder=file.path.parent,
        root=file.root,
    )


def _text(entry: pbtxt.Text, name: str) -> str:
    value = entry.get(name, [""])[-1]
    return value if isinstance(value, str) else ""


def _integers(entry: pbtxt.Text, name: str) -> tuple[int, ...]:
    try:
        return tuple(int(value) for value in entry.get(name, []) if isinstance(value, str))
    except ValueError:
        raise DecodeError(f"{name} is not a number") from None


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Reports an I/O error as a DecodeError."""
    try:
        yield
    except OSError as error:
        raise DecodeError(f"{what} cannot be read: {error.strerror}") from None


def _file_stamp(file: Path) -> tuple[int, ...]:
    """Returns the identity, size and times of a file."""
    with _readable(repr(file.name)):
        stat = file.stat()
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _numbers(text: str) -> npt.NDArray[np.float32]:
    lines = [line for line in text.split("\n") if line]
    if not lines:
        raise DecodeError("The tensor file has no rows")
    with np.errstate(over="ignore"):  # values outside of float32 become infinite, as in TensorBoard
        return np.loadtxt(lines, delimiter="\t", comments=None, dtype=np.float64, ndmin=2).astype(np.float32)
