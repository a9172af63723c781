"""Routes of meshes: the series, one sample as columns of numbers, and PLY files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lossboard.events.tensors import Array
from lossboard.kinds.context import Context
from lossboard.kinds.limits import MAX_LISTED_STEPS, check_size
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, get_int_param
from lossboard.kinds.meshes.decode import StoredMesh, stored_meshes
from lossboard.kinds.meshes.documents import MeshHead, MeshSeriesList
from lossboard.kinds.meshes.ply import ply_parts
from lossboard.kinds.meshes.sample import read_sample
from lossboard.kinds.meshes.scene import read_scene
from lossboard.kinds.params import get_str
from lossboard.kinds.routes import ArrowResult, Download, JsonResult, Route, StreamResult
from lossboard.store.run import NO_LIMIT


def series(context: Context, params: Mapping[str, Any]) -> JsonResult[MeshSeriesList]:
    cursor = context.logdir.cursor
    return JsonResult({"cursor": cursor, "series": list(_list_series(context, params))})


def _list_series(context: Context, params: Mapping[str, Any]) -> Iterator[MediaSeries]:
    runs = [
        (run, sum(info.count for info in infos.values() if info.plugin == "mesh"))
        for run, infos in context.index.of(context.select_runs(params.get("runs")))
    ]
    check_size(sum(count for _, count in runs), MAX_LISTED_STEPS, "steps", "Select fewer runs.")
    for run in (run for run, count in runs if count):
        for name, found in stored_meshes(run):
            listed: MediaSeries = {
                "run": run.id,
                "tag": name,
                "steps": found.steps.tolist(),
                "walls": found.wall_times.tolist(),
            }
            if not listed["steps"]:
                listed["broken"] = "The metadata of this tag does not say which part of a mesh it holds."
            yield listed


def mesh(context: Context, params: Mapping[str, Any]) -> ArrowResult[MeshHead]:
    """Returns one sample: tables of vertices, faces and colors, of which the last two may be empty."""
    cursor = context.logdir.cursor
    point = _find(context, params, max_bytes=MAX_SHOWN_BYTES)
    index = get_int_param(params, "sample") if "sample" in params else 0
    found = read_sample(point, index)
    head: MeshHead = {
        "cursor": cursor,
        "step": point.step,
        "wall": point.wall_time,
        "sample": index,
        "samples": found.samples,
        "shapes": {name: list(shape) for name, shape in found.shapes.items()},
        "scene": read_scene(point.config),
        "problems": found.problems,
    }
    tables = [_table("xyz", found.vertices), _table("abc", found.faces), _table("rgb", found.colors)]
    return ArrowResult(head, tables)


def _find(context: Context, params: Mapping[str, Any], *, max_bytes: int) -> StoredMesh:
    run, tag = context.find_run(params.get("run")), get_str(params, "tag")
    found = next((series for name, series in stored_meshes(run, max_bytes=max_bytes) if name == tag), None)
    if found is None:
        raise LookupError(f"Run {run.name!r} has no mesh {tag!r}.")
    return found.at(get_int_param(params, "step"))


def _table(columns: str, array: Array) -> Mapping[str, Array]:
    return {name: array[:, index].copy() for index, name in enumerate(columns)}


def ply(context: Context, params: Mapping[str, Any]) -> StreamResult:
    """Returns one sample as a PLY file."""
    point = _find(context, params, max_bytes=NO_LIMIT)
    index = get_int_param(params, "sample") if "sample" in params else 0
    name = f"{get_str(params, 'tag').replace('/', '-')}-{point.step}-{index}.ply"
    return StreamResult(ply_parts(read_sample(point, index)), "application/octet-stream", name)


ROUTES = (
    Route("series", series, "Meshes of the selected runs: tags and steps", "POST"),
    Route("mesh", mesh, "One sample of a mesh: vertices, faces and colors", "POST"),
    Download("ply", ply, "One sample of a mesh as a PLY file", "GET"),
)
