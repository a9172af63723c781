"""Tensors in TensorFlow checkpoints. A projector config may name one instead of a file.

    <prefix>.index                   table: tensor name → entry {dtype 1, shape 2, shard 3, offset 4, size 5, slices 7},
                                     and the empty name → header {number of shards 1, endianness 2}
    <prefix>.data-00000-of-00001 …   shards with the bytes of the tensors, little-endian

The table has LevelDB's format: data blocks, an index block with the place of each, and a footer of 48 bytes. An entry
of a block is {shared, unshared, size} as varints, then the unshared end of the key, then the value. `shared` is the
number of bytes that the key has in common with the previous one. Each block ends with restart points and their number.

Partitioned variables, big-endian files, compressed blocks and checkpoints of TensorFlow before 1.0 are not read. CRCs
are not checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError, TooLarge
from lossboard.events.tensors import Tensor
from lossboard.events.wire import Message, bytes_field, read_varint, uint_field
from lossboard.kinds.embeddings import pbtxt
from lossboard.safe_paths import open_within, refuse_large_hole, resolve_within

STATE_FILE = "checkpoint"
"""Names the latest checkpoint of its directory."""
_MAX_STATE_BYTES = 1 << 20
_MAX_INDEX_BYTES = 1 << 24
_MAX_TENSOR_BYTES = 4 << 30
_MAX_KEY_BYTES = 4096
_FOOTER_BYTES = 48
_MAGIC = 0xDB4775248B80FB57
_TRAILER_BYTES = 5
"""After each block: the type of compression, and a CRC."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The files of a checkpoint, which must be within `root`."""

    index: Path
    root: Path

    @classmethod
    def find(cls, stated: str, *, base: Path, root: Path) -> Checkpoint:
        """Returns the checkpoint that a config in `base` states, or the latest one of `base` or its parent.

        TensorFlow stores absolute paths. If a logdir was moved, the file is expected next to the file that names it.
        """
        for folder, prefix in [(base, stated)] if stated else _latest(base, root):
            for name in (prefix, Path(prefix).name):
                try:
                    return cls(resolve_within(f"{name}.index", base=folder, root=root), root)
                except DecodeError:  # not there, or outside of the logdir
                    continue
        wanted = f"The TensorFlow checkpoint {stated!r}" if stated else "A TensorFlow checkpoint"
        raise DecodeError(f"{wanted} was not found within the logdir.")

    def shape(self, name: str) -> tuple[int, int]:
        """Returns rows and columns of a tensor without reading its numbers."""
        return _matrix_shape(name, self._entry(name)[0])

    def tensor(self, name: str) -> npt.NDArray[np.float32]:
        """Returns a tensor with two axes. Its numbers become float32."""
        entry, shards = self._entry(name)
        _matrix_shape(name, entry)
        file = f"{self.index.stem}.data-{entry.uint64(3):05d}-of-{shards:05d}"
        data = self._read_part(file, entry.uint64(4), entry.uint64(5))
        # An entry has the type and shape of a tensor in the same fields as a TensorProto.
        return Tensor.parse(_type_and_shape(entry) + bytes_field(4, data)).cast(np.float32)

    def _entry(self, name: str) -> tuple[Message, int]:
        """Returns the entry of a tensor, and the number of shards."""
        with open_within(self.index.name, base=self.index.parent, root=self.root) as index:
            data = index.read(_MAX_INDEX_BYTES + 1)
        if len(data) > _MAX_INDEX_BYTES:
            raise TooLarge(f"{self.index.name!r} is larger than {_MAX_INDEX_BYTES >> 20} MB.")
        table = dict(_read_table(data))
        header = Message(table.get(b"", b""))
        entry = table.get(name.encode()) or table.get(name.removesuffix(":0").encode())
        if entry is None:
            raise DecodeError(f"The checkpoint {self.index.stem!r} has no tensor {name!r}.")
        if 7 in (message := Message(entry)) or header.uint64(2):
            raise DecodeError(f"Tensor {name!r} is partitioned or big-endian, which Lossboard does not read.")
        return message, header.uint64(1)

    def _read_part(self, file: str, offset: int, size: int) -> bytes:
        if size > _MAX_TENSOR_BYTES:
            raise TooLarge(f"A tensor in {file!r} is larger than {_MAX_TENSOR_BYTES >> 30} GB.")
        with open_within(file, base=self.index.parent, root=self.root) as shard:
            if offset + size > os.fstat(shard.fileno()).st_size:
                raise DecodeError(f"{file!r} ends before the tensor does.")
            refuse_large_hole(shard)
            shard.seek(offset)
            return shard.read(size)


def _latest(base: Path, root: Path) -> Iterator[tuple[Path, str]]:
    """Yields the directory and name of the latest checkpoint, as TensorBoard looks for it."""
    for folder in (base, base.parent):
        try:
            with open_within(STATE_FILE, base=folder, root=root) as state:
                text = state.read(_MAX_STATE_BYTES).decode("utf-8", "replace")
        except DecodeError:
            continue
        for path in pbtxt.parse(text).get("model_checkpoint_path", [])[-1:]:
            if isinstance(path, str):
                yield folder, path


def _matrix_shape(name: str, entry: Message) -> tuple[int, int]:
    shape = Tensor.parse(_type_and_shape(entry)).shape
    if len(shape) != 2 or min(shape) < 1:
        raise DecodeError(f"Tensor {name!r} has the shape {list(shape)}. An embedding has rows and columns.")
    return shape[0], shape[1]


def _type_and_shape(entry: Message) -> bytes:
    return uint_field(1, entry.uint64(1)) + bytes_field(2, entry.blob(2))


def _read_table(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the keys and values of an SSTable."""
    view = memoryview(data)
    footer = view[-_FOOTER_BYTES:]
    if len(footer) < _FOOTER_BYTES or int.from_bytes(footer[-8:], "little") != _MAGIC:
        raise DecodeError("The index is not one of a TensorFlow checkpoint.")
    _, _, at = _read_place(footer, 0)  # of a block that describes the table, which is always empty
    offset, size, _ = _read_place(footer, at)
    end_of_last = 0
    for _, place in _read_block(view, offset, size):
        offset, size, _ = _read_place(memoryview(place), 0)
        if offset < end_of_last:  # or a small file could name one block a million times
            raise DecodeError("The blocks of the index overlap.")
        end_of_last = offset + size
        yield from _read_block(view, offset, size)


def _read_place(data: memoryview, at: int) -> tuple[int, int, int]:
    """Returns the offset and size of a block, and where they end."""
    offset, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return offset, size, at


def _read_block(data: memoryview, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    block = data[offset : offset + size]
    if size < 4 or offset + size + _TRAILER_BYTES > len(data):
        raise DecodeError("The index ends inside a block.")
    if data[offset + size] != 0:
        raise DecodeError("The index is compressed, which Lossboard does not read.")
    end = size - 4 - 4 * int.from_bytes(block[-4:], "little")
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        unshared, at = read_varint(block, at)
        value_size, at = read_varint(block, at)
        if shared > len(key) or shared + unshared > _MAX_KEY_BYTES or at + unshared + value_size > end:
            raise DecodeError("The index has an invalid entry.")
        key = key[:shared] + bytes(block[at : at + unshared])
        at += unshared + value_size
        yield key, bytes(block[at - value_size : at])
