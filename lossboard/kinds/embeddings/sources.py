"""Embeddings by tag and step: their files, loaded once and kept while there is memory for them.

A writer names a tensor `tag:00100` for step 100. Without such an end, the step is 0.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lossboard.kinds.embeddings.decode import PLUGIN, Embedding
from lossboard.kinds.embeddings.metadata import Metadata, read_metadata
from lossboard.kinds.media import get_int_param
from lossboard.kinds.params import get_str

if TYPE_CHECKING:
    from lossboard.kinds.context import Context
    from lossboard.store.run import Run

_STEP = re.compile(r"^(.*):(\d{1,18})$", re.DOTALL)
_MAX_MATRIX_BYTES = 1 << 30
_MAX_METADATA_BYTES = 512 << 20
_CELL_BYTES = 100
"""Size of a cell of metadata apart from its characters, roughly."""

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Source:
    """One embedding of a run: a tag at a step."""

    run: str
    """The run's id."""
    tag: str
    step: int
    embedding: Embedding


@dataclass(frozen=True)
class Vectors:
    """The rows of an embedding, and which of them have only finite numbers."""

    rows: Matrix
    finite: npt.NDArray[np.bool_]

    @cached_property
    def content_hash(self) -> str:
        digest = hashlib.blake2b(repr(self.rows.shape).encode(), digest_size=16)
        digest.update(np.ascontiguousarray(self.rows).data)
        return digest.hexdigest()


def sources_of(run: Run) -> Iterator[Source]:
    """Yields the embeddings of a run by tag and step."""
    found: dict[tuple[str, int], Source] = {}
    for (plugin, name), series in run.assets.series.items():
        for point in series.points:
            if plugin == PLUGIN and isinstance(point, Embedding):
                match = _STEP.match(name)
                tag, step = (match[1], int(match[2])) if match else (name, 0)
                found[tag, step] = Source(run.id, tag, step, point)
    return (found[key] for key in sorted(found))


def find_source(context: Context, params: Mapping[str, Any]) -> Source:
    """Returns the embedding at `run`, `tag` and `step`."""
    run, tag, step = context.find_run(params.get("run")), get_str(params, "tag"), get_int_param(params, "step")
    for source in sources_of(run):
        if (source.tag, source.step) == (tag, step):
            return source
    raise LookupError(f"This run has no embedding {tag!r} at step {step}.")


def steps_of(context: Context, params: Mapping[str, Any]) -> list[Source]:
    """Returns the embeddings of `run` and `tag`, one per step."""
    run, tag = context.find_run(params.get("run")), get_str(params, "tag")
    found = [source for source in sources_of(run) if source.tag == tag]
    if not found:
        raise LookupError(f"This run has no embedding {tag!r}.")
    return found


def load_shape(context: Context, source: Source) -> tuple[int, int]:
    """Returns rows and columns of an embedding without parsing its numbers."""
    cache, key = context.caches.get("embeddings.shapes", max_size=10_000), source.embedding.tensor_key()
    if (known := cache.get(key)) is None:
        known = source.embedding.shape()
        cache.put(key, known, size=1)
    return known


def load_vectors(context: Context, source: Source) -> Vectors:
    cache = context.caches.get("embeddings.vectors", max_size=_MAX_MATRIX_BYTES)
    key = source.embedding.tensor_key()
    if (known := cache.get(key)) is None:
        rows = np.ascontiguousarray(source.embedding.tensor())
        known = Vectors(rows, np.logical_and.reduce(np.isfinite(rows), axis=1))
        cache.put(key, known, size=rows.nbytes)
    return known


def load_metadata(context: Context, source: Source) -> Metadata:
    """Returns the metadata. Raises DecodeError if it cannot be read, or does not fit the tensor."""
    cache = context.caches.get("embeddings.metadata", max_size=_MAX_METADATA_BYTES)
    rows, _ = load_shape(context, source)
    key = (source.embedding.metadata_key(), rows)
    if (known := cache.get(key)) is None:
        known = read_metadata(source.embedding, rows)
        characters = sum(len(text) for column in known.columns for text in column.texts)
        cache.put(key, known, size=characters + _CELL_BYTES * rows * max(1, len(known.columns)))
    return known
