"""Routes of embeddings: what was logged, projections as background jobs, neighbors, and change over steps."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, get_args

import numpy as np

from lossboard import _core
from lossboard.errors import DecodeError, LossboardError, UsageError
from lossboard.kinds.context import Context
from lossboard.kinds.embeddings.alignment import displacements, separation
from lossboard.kinds.embeddings.documents import (
    EmbeddingList,
    EmbeddingMetadata,
    EmbeddingMoved,
    EmbeddingNeighbor,
    EmbeddingNeighbors,
    EmbeddingSeparation,
    EmbeddingSeries,
    EmbeddingStep,
    MetadataColumn,
    NoDocument,
    ProjectionHead,
    ProjectionState,
    SeparationStep,
)
from lossboard.kinds.embeddings.metadata import Column, Metadata
from lossboard.kinds.embeddings.projection import Axis, Method, Options, Projection
from lossboard.kinds.embeddings.sources import (
    Source,
    Vectors,
    find_source,
    load_metadata,
    load_shape,
    load_vectors,
    sources_of,
    steps_of,
)
from lossboard.kinds.embeddings.sprite import Sprite, read_sprite
from lossboard.kinds.jobs import Job
from lossboard.kinds.params import get_bool, get_float, get_int, get_objects, get_str
from lossboard.kinds.routes import ArrowResult, BlobResult, JsonResult, Route

_MAX_SOURCES = 500
_MAX_NEIGHBORS = 1000
_MAX_COMPONENTS = 50
_MAX_SEED = 2**32 - 1


# ---- what was logged -------------------------------------------------------------------------------------
def series(context: Context, params: Mapping[str, Any]) -> JsonResult[EmbeddingList]:
    cursor = context.logdir.cursor
    found = [
        _describe(context, list(sources))
        for run in context.select_runs(params.get("runs"))
        for _, sources in groupby(sources_of(run), key=lambda source: source.tag)
    ]
    return JsonResult({"cursor": cursor, "series": found})


def _describe(context: Context, sources: list[Source]) -> EmbeddingSeries:
    return {
        "run": sources[0].run,
        "tag": sources[0].tag,
        "steps": [_describe_step(context, source) for source in sources],
        "has_metadata": any(source.embedding.metadata_path for source in sources),
        "has_sprite": any(source.embedding.sprite_path for source in sources),
    }


def _describe_step(context: Context, source: Source) -> EmbeddingStep:
    step: EmbeddingStep = {"step": source.step, "wall": source.embedding.wall_time}
    try:
        step["rows"], step["columns"] = load_shape(context, source)
    except DecodeError as error:
        step["broken"] = str(error)
    return step


def metadata(context: Context, params: Mapping[str, Any]) -> ArrowResult[EmbeddingMetadata]:
    source = find_source(context, params)
    rows, _ = load_shape(context, source)
    head: EmbeddingMetadata = {"rows": rows, "columns": [], "problems": []}
    tables: list[Mapping[str, Any]] = []
    if source.embedding.sprite_path:
        try:
            sprite = _read_sprite(source, rows)
            head["sprite"] = {"width": sprite.width, "height": sprite.height, "columns": sprite.columns}
        except DecodeError as error:
            head["problems"].append(str(error))
    try:
        columns = load_metadata(context, source).columns
    except DecodeError as error:
        head["problems"].append(str(error))
        columns = []
    for column in columns:
        head["columns"].append(_describe_column(column))
        tables.append(_column_table(column))
    return ArrowResult(head, tables)


def _describe_column(column: Column) -> MetadataColumn:
    described: MetadataColumn = {"name": column.name, "type": column.type}
    if column.categories is not None:
        described["categories"] = column.categories
    return described


def _column_table(column: Column) -> Mapping[str, Any]:
    """Numbers as they are, categories as indices, texts as strings. Numbers with few values have both."""
    table: dict[str, Any] = {}
    if column.numbers is not None:
        table["number"] = column.numbers
    if column.codes is not None:
        table["category"] = column.codes
    return table or {"text": column.texts}


def _metadata(context: Context, params: Mapping[str, Any]) -> Metadata:
    return load_metadata(context, find_source(context, params))


def sprite(context: Context, params: Mapping[str, Any]) -> BlobResult:
    source = find_source(context, params)
    found = _read_sprite(source, load_shape(context, source)[0])
    return BlobResult(found.data, found.mime)


def _read_sprite(source: Source, rows: int) -> Sprite:
    return read_sprite(source.embedding, rows)


# ---- projections -----------------------------------------------------------------------------------------
def project(context: Context, params: Mapping[str, Any]) -> JsonResult[ProjectionState]:
    asked = get_objects(params, "sources", maximum=_MAX_SOURCES)
    if not asked:
        raise UsageError('Expected "sources" to name at least one embedding.')
    sources = [find_source(context, one) for one in asked]
    options = _options(params)
    projection = Projection(sources, [load_vectors(context, source) for source in sources], options)
    rows = len(projection.vectors[0].rows)
    if any(row >= rows for axis in options.axes for row in (*axis.start, *axis.end)):
        raise UsageError(f'Expected the rows of "axes" to be less than {rows}.')
    job = context.jobs.start(projection.id, get_str(params, "page"), lambda: projection)
    return JsonResult(_state(job))


def _options(params: Mapping[str, Any]) -> Options:
    method: Method | None = next((one for one in get_args(Method) if one == params.get("method")), None)
    if method is None:
        raise UsageError(f'Expected "method" to be one of {", ".join(get_args(Method))}.')
    dimensions = get_int(params, "dimensions", default=2, minimum=2, maximum=3)
    return Options(
        method=method,
        dimensions=dimensions,
        components=_components(params, dimensions),
        spherize=get_bool(params, "spherize", default=False),
        cosine=get_bool(params, "cosine", default=False),
        neighbors=get_int(params, "neighbors", default=15, minimum=2, maximum=200),
        min_dist=_number(params, "min_dist", default=0.1, minimum=0.0, maximum=1.0),
        perplexity=_number(params, "perplexity", default=30.0, minimum=2.0, maximum=200.0),
        learning_rate=_number(params, "learning_rate", default=0.0, minimum=0.0, maximum=1e6),
        seed=get_int(params, "seed", default=0, minimum=0, maximum=_MAX_SEED),
        axes=_axes(params, dimensions) if method == "custom" else (),
    )


def _number(params: Mapping[str, Any], name: str, *, default: float, minimum: float, maximum: float) -> float:
    value = get_float({name: default, **params}, name)
    if minimum <= value <= maximum:
        return value
    raise UsageError(f'Expected "{name}" to be from {minimum:g} to {maximum:g}.')


def _components(params: Mapping[str, Any], dimensions: int) -> tuple[int, ...]:
    components = params.get("components", list(range(dimensions)))
    if _is_rows(components) and len(components) == dimensions and max(components) < _MAX_COMPONENTS:
        return tuple(components)
    raise UsageError(f'Expected "components" to be {dimensions} numbers from 0 to {_MAX_COMPONENTS - 1}.')


def _axes(params: Mapping[str, Any], dimensions: int) -> tuple[Axis, ...]:
    axes = get_objects(params, "axes", maximum=3)
    if len(axes) != dimensions or not all(_is_rows(axis.get(end)) for axis in axes for end in ("from", "to")):
        raise UsageError(f'Expected "axes" to be {dimensions} objects with the row numbers "from" and "to".')
    return tuple(Axis(tuple(axis["from"]), tuple(axis["to"])) for axis in axes)


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and all(type(row) is int and row >= 0 for row in value)


def progress(context: Context, params: Mapping[str, Any]) -> JsonResult[ProjectionState]:
    return JsonResult(_state(context.jobs.get(get_str(params, "job"))))


def _state(job: Job[Projection]) -> ProjectionState:
    state: ProjectionState = {
        "job": job.id,
        "state": job.state,
        "stage": job.work.stage,
        "fraction": job.work.fraction,
        "version": job.work.frame().version,
    }
    if job.message:
        state["message"] = job.message
    return state


def points(context: Context, params: Mapping[str, Any]) -> ArrowResult[ProjectionHead]:
    job: Job[Projection] = context.jobs.get(get_str(params, "job"))
    is_final = job.state == "done"  # read before the frame: a final frame must not be an older one
    frame = job.work.frame()
    head: ProjectionHead = {
        "job": job.id,
        "version": frame.version,
        "final": is_final,
        "sources": [
            {
                "run": source.run,
                "tag": source.tag,
                "step": source.step,
                "rows": len(vectors.rows),
                "ready": layout is not None,
            }
            for source, vectors, layout in zip(job.work.sources, job.work.vectors, frame.layouts, strict=True)
        ],
        "explained": job.work.explained,
        "notes": list(job.work.notes),
    }
    empty = np.empty((0, job.work.options.dimensions), np.float32)
    return ArrowResult(head, [_axes_table(empty if layout is None else layout) for layout in frame.layouts])


def _axes_table(layout: np.ndarray[Any, np.dtype[np.float32]]) -> Mapping[str, Any]:
    return {name: np.ascontiguousarray(layout[:, i]) for i, name in enumerate("xyz"[: layout.shape[1]])}


def cancel(context: Context, params: Mapping[str, Any]) -> JsonResult[NoDocument]:
    context.jobs.leave(get_str(params, "page"))
    return JsonResult({})


# ---- neighbors and steps ---------------------------------------------------------------------------------
def neighbors(context: Context, params: Mapping[str, Any]) -> JsonResult[EmbeddingNeighbors]:
    vectors = load_vectors(context, find_source(context, params))
    rows = vectors.rows
    row = get_int(params, "row", default=0, minimum=0, maximum=len(rows) - 1)
    count = get_int(params, "count", default=100, minimum=1, maximum=_MAX_NEIGHBORS)
    if not vectors.finite[row]:
        raise DecodeError(f"Row {row} holds NaN or infinity, so it has no neighbors.")
    distances = _core.distances(rows, np.ascontiguousarray(rows[row]), cosine=get_bool(params, "cosine", default=True))
    distances[~vectors.finite] = np.inf
    distances[row] = np.inf
    nearest = _smallest(distances, min(count, int(vectors.finite.sum()) - 1))
    return JsonResult(
        {
            "row": row,
            "norm": float(np.linalg.norm(rows[row].astype(np.float64))),
            "neighbors": [_row_at(int(other), float(distances[other])) for other in nearest],
        }
    )


def _smallest(values: np.ndarray[Any, np.dtype[Any]], count: int) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Returns the indices of the smallest values, smallest first."""
    if count < 1:
        return np.empty(0, np.intp)
    found = np.argpartition(values, count - 1)[:count]
    return found[np.lexsort((found, values[found]))]


def _row_at(row: int, distance: float) -> EmbeddingNeighbor:
    return {"row": row, "distance": distance}


def moved(context: Context, params: Mapping[str, Any]) -> JsonResult[EmbeddingMoved]:
    before = load_vectors(context, find_source(context, {**params, "step": params.get("from")}))
    after = load_vectors(context, find_source(context, {**params, "step": params.get("to")}))
    if before.rows.shape != after.rows.shape:
        raise DecodeError(
            f"The two steps have different shapes, {_shape(before)} and {_shape(after)}, so rows cannot be compared."
        )
    finite = np.flatnonzero(before.finite & after.finite)
    notes = [] if len(finite) == len(before.rows) else [f"{len(before.rows) - len(finite):,} rows are not finite."]
    if not len(finite):
        return JsonResult({"rows": [], "median": 0.0, "notes": notes})
    distances = displacements(before.rows[finite], after.rows[finite])
    count = get_int(params, "count", default=100, minimum=1, maximum=_MAX_NEIGHBORS)
    most = _smallest(-distances, min(count, len(distances)))
    return JsonResult(
        {
            "rows": [_row_at(int(finite[i]), float(distances[i])) for i in most],
            "median": float(np.median(distances)),
            "notes": notes,
        }
    )


def _shape(vectors: Vectors) -> str:
    return " × ".join(map(str, vectors.rows.shape))


def class_separation(context: Context, params: Mapping[str, Any]) -> JsonResult[EmbeddingSeparation]:
    name = get_str(params, "column")
    steps: list[SeparationStep] = []
    baseline = 0.0
    for source in steps_of(context, params):
        try:
            column = load_metadata(context, source).column(name)
            if column.codes is None:
                raise DecodeError(f"The column {name!r} has too many different values to be classes.")
            vectors = load_vectors(context, source)
            accuracy = separation(vectors.rows[vectors.finite], column.codes[vectors.finite])
            baseline = float(np.bincount(column.codes).max() / len(column.codes))
        except (LossboardError, LookupError) as error:
            steps.append({"step": source.step, "problem": str(error)})
            continue
        if accuracy is None:
            steps.append({"step": source.step, "problem": "Too few rows for ten neighbors."})
        else:
            steps.append({"step": source.step, "accuracy": accuracy})
    return JsonResult({"column": name, "baseline": baseline, "steps": steps})


ROUTES = (
    Route("series", series, "Embeddings of the selected runs: tags, steps and shapes", "POST"),
    Route("metadata", metadata, "Metadata columns and sprite layout of an embedding", "POST"),
    Route("sprite", sprite, "The sprite image of an embedding"),
    Route("project", project, "Starts a projection, or finds a finished one", "POST", cached=False),
    Route("progress", progress, "State of a projection", "POST", cached=False),
    Route("points", points, "The newest layout of a projection", "POST", cached=False),
    Route("cancel", cancel, "Cancels the projection that a page waits for", "POST", cached=False),
    Route("neighbors", neighbors, "Nearest rows of a row in full dimension", "POST"),
    Route("moved", moved, "Rows that moved most between two steps", "POST"),
    Route("separation", class_separation, "How well classes are separated, by step", "POST"),
)
