"""Embeddings, which are not in event files: `projector_config.pbtxt` names a tensor, its labels and a sprite image.

    embeddings { tensor_name, tensor_path, tensor_shape, metadata_path, sprite { image_path, single_image_dim } }

A tensor is a TSV of numbers, or raw float32 of `tensor_shape`. Metadata is a TSV whose first line is a header if it
holds a tab. Paths are seen from the config and confined to the logdir. tensorboardX appends an entry each time the
script runs: of several entries of one name the last counts. Tensors in checkpoints and Keras weights are not read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.kinds.assets import Asset, find_assets
from lossboard.kinds.embeddings import pbtxt
from lossboard.safe_paths import resolve_within
from lossboard.store.assets import PLUGIN_PREFIX

if TYPE_CHECKING:
    from lossboard.store.assets import AssetFile
    from lossboard.store.logdir import Logdir

PLUGIN = PLUGIN_PREFIX + "embeddings"
CONFIG_NAME = "projector_config.pbtxt"
MAX_CONFIG_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class Embedding(Asset):
    """One entry of a config; `tag` is its tensor_name."""

    tensor_path: str
    metadata_path: str
    sprite_path: str
    sprite_size: tuple[int, int] | None
    stated_shape: tuple[int, ...]
    folder: Path
    root: Path

    def tensor(self) -> npt.NDArray[np.float32]:
        """The vectors, one a row."""
        if not self.tensor_path:
            raise DecodeError(f"The embedding {self.tag!r} is in a checkpoint, which we do not read")
        data = self._read(self.tensor_path)
        try:
            return _numbers(str(data, "utf-8"))
        except ValueError:  # no text, or no numbers in it
            return self._raw(data)

    def metadata(self) -> tuple[list[str], list[list[str]]]:
        """Column names (none without a header) and a row of cells for each vector."""
        if not self.metadata_path:
            return [], []
        text = str(self._read(self.metadata_path), "utf-8", "replace")
        rows = [line.split("\t") for line in text.rstrip("\n").split("\n")] if text else []
        return (rows[0], rows[1:]) if rows and len(rows[0]) > 1 else ([], rows)

    def sprite(self) -> bytes:
        """The encoded image that holds a thumbnail of `sprite_size` for each vector, row by row."""
        if not self.sprite_path:
            raise DecodeError(f"The embedding {self.tag!r} has no sprite")
        return self._read(self.sprite_path)

    def _read(self, named: str) -> bytes:
        try:
            return resolve_within(named, base=self.folder, root=self.root).read_bytes()
        except OSError as error:
            raise DecodeError(f"{named!r} cannot be read: {error.strerror}") from None

    def _raw(self, data: bytes) -> npt.NDArray[np.float32]:
        if len(self.stated_shape) != 2 or len(data) != 4 * math.prod(self.stated_shape):
            raise DecodeError(f"{self.tensor_path!r} is neither a TSV of numbers nor float32 of its stated shape")
        return np.frombuffer(data, "<f4").reshape(self.stated_shape)


def embeddings(logdir: Logdir) -> Iterator[Embedding]:
    """Returns every embedding of a logdir."""
    return find_assets(logdir, PLUGIN, Embedding)


def read_config(file: AssetFile) -> list[Embedding]:
    """Returns the embeddings that a config names. Raises DecodeError if it is not a valid config."""
    if file.size_bytes > MAX_CONFIG_BYTES:
        raise DecodeError(f"a projector config of more than {MAX_CONFIG_BYTES >> 20} MB")
    path = resolve_within(file.path.name, base=file.path.parent, root=file.root)
    entries = pbtxt.parse(path.read_text("utf-8", "replace")).get("embeddings", [])
    found = [_embedding(entry, file) for entry in entries if isinstance(entry, dict)]
    return list({embedding.tag: embedding for embedding in found}.values())


def _embedding(entry: pbtxt.Text, file: AssetFile) -> Embedding:
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
        raise DecodeError(f"{name} is no number") from None


def _numbers(text: str) -> npt.NDArray[np.float32]:
    lines = [line for line in text.split("\n") if line]
    if not lines:
        raise DecodeError("A tensor file without rows")
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, as in TensorBoard
        return np.loadtxt(lines, delimiter="\t", comments=None, dtype=np.float64, ndmin=2).astype(np.float32)
