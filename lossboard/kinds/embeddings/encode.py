"""Embeddings as files next to the event files: tensors.tsv, metadata.tsv, sprite.png and projector_config.pbtxt.

The config is a ProjectorConfig in protobuf's text format. Existing entries, from an earlier embedding or
an earlier process, are kept. One with the same name is replaced.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lossboard.events.conversions import Array, as_array, as_real
from lossboard.events.warn_once import warn_once
from lossboard.kinds.images.encode import as_pixels, make_grid
from lossboard.kinds.images.png import encode_png

CONFIG_NAME = "projector_config.pbtxt"
_ENTRY = re.compile(r"^embeddings \{\n.*?^\}\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Embedding:
    """The files of one embedding, ready to be written."""

    name: str
    folder: str  # relative to the run
    files: dict[str, bytes]
    sprite_size: tuple[int, int] | None  # width, height of one image

    @classmethod
    def of(
        cls, mat: object, *, metadata: Any, label_img: object | None, step: str, tag: str, header: Sequence[Any] | None
    ) -> Embedding:
        matrix = as_real(mat, "An embedding")
        step = step.zfill(5)
        if matrix.ndim != 2:
            raise ValueError(f"An embedding must be a matrix [points, features], got the shape {list(matrix.shape)}")
        if "\0" in tag:
            raise ValueError(f"An embedding's tag names a directory, got {tag!r}")
        files = {"tensors.tsv": _tsv_numbers(matrix)}
        if metadata is not None:
            files["metadata.tsv"] = _tsv_labels(metadata, header, len(matrix))
        size = None
        if label_img is not None:
            files["sprite.png"], size = _sprite(label_img, len(matrix))
        folder = f"{_as_file_name(step)}/{_as_file_name(tag)}".rstrip("/")  # an empty tag has no directory of its own
        return cls(f"{tag}:{step}", folder, files, size)

    def write(self, run: Path) -> None:
        folder = run / self.folder
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        config = run / CONFIG_NAME
        old = config.read_text() if config.exists() else ""
        title = _line("tensor_name", self.name)
        kept = (entry for entry in _ENTRY.findall(old) if title not in entry)
        draft = config.with_name(f".{CONFIG_NAME}.{os.getpid()}")
        draft.write_text("".join(kept) + self._config_entry())
        draft.replace(config)

    def _config_entry(self) -> str:
        lines = [_line("tensor_name", self.name), _line("tensor_path", f"{self.folder}/tensors.tsv")]
        if "metadata.tsv" in self.files:
            lines.append(_line("metadata_path", f"{self.folder}/metadata.tsv"))
        if self.sprite_size is not None:
            sprite = [_line("image_path", f"{self.folder}/sprite.png")]
            sprite += [f"  single_image_dim: {size}\n" for size in self.sprite_size]
            lines += ["  sprite {\n", *(f"  {line}" for line in sprite), "  }\n"]
        return "embeddings {\n" + "".join(lines) + "}\n"


def _as_file_name(tag: str) -> str:
    if tag in (".", ".."):
        return tag.replace(".", "%2e")
    return tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")


def _line(key: str, value: str) -> str:
    quoted = "".join(chr(b) if 0x20 <= b < 0x7F and b not in b'"\\' else f"\\{b:03o}" for b in value.encode())
    return f'  {key}: "{quoted}"\n'


def _tsv_numbers(matrix: Array) -> bytes:
    digits = 17 if matrix.dtype == np.float64 else 9  # as many digits as the exact number needs
    row = "\t".join([f"%.{digits}g"] * matrix.shape[1]) + "\n"
    return "".join(row % tuple(numbers) for numbers in matrix.tolist()).encode()


def _tsv_labels(metadata: Any, header: Sequence[Any] | None, points: int) -> bytes:
    if not isinstance(metadata, Iterable):
        raise TypeError(f"The metadata must be a list with a label for each point, got {metadata!r:.60}")
    rows = list(metadata)
    if len(rows) != points:
        raise ValueError(f"{len(rows)} labels for {points} points")
    if not header:
        return _tsv([[row] for row in rows])
    if rows and (not isinstance(rows[0], Sized) or len(rows[0]) != len(header)):
        raise ValueError(f"Each row of the metadata must have the {len(header)} columns of its header")
    if any(len(row) != len(header) for row in rows):
        warn_once("Some rows of an embedding's metadata do not have the columns of its header")
    return _tsv([header, *rows])


def _tsv(rows: Iterable[Iterable[Any]]) -> bytes:
    return "".join("\t".join(map(_label, row)) + "\n" for row in rows).encode("utf-8", "replace")


def _label(value: Any) -> str:
    if hasattr(value, "item") and getattr(value, "shape", None) == ():  # a tensor's element: 9, not tensor(9)
        value = as_array(value).item()
    return " ".join(re.split(r"[\t\r\n]", str(value)))  # a tab or line break would shift all labels after it


def _sprite(images: object, points: int) -> tuple[bytes, tuple[int, int]]:
    """Returns all images in one square grid, in the order of the points."""
    array = as_real(images, "label_img")
    if array.ndim != 4 or array.shape[1] not in (1, 3) or len(array) != points:
        raise ValueError(f"label_img must be [{points}, 1 or 3, H, W], got the shape {list(array.shape)}")
    _, channels, height, width = array.shape
    columns = int(np.ceil(np.sqrt(points)))
    tall = array.transpose(1, 0, 2, 3).reshape(channels, points * height, width)
    grid = make_grid(as_pixels(tall, "CHW").reshape(points, height, width, 3), columns)
    side = columns * width
    square = np.zeros((max(side, grid.shape[0]), side, 3), np.uint8)
    square[: grid.shape[0]] = grid
    return encode_png(square), (width, height)
