"""What views of logged things (images, clips, texts) ask first: which series there are, at which steps; and then for
one thing at a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lossboard.errors import DecodeError, UsageError
from lossboard.kinds.params import get_str
from lossboard.kinds.routes import JsonResult, RouteResult
from lossboard.kinds.series import Point, Series

if TYPE_CHECKING:
    from lossboard.kinds.context import Context
    from lossboard.store.run import Run

MAX_SHOWN_BYTES = 64_000_000
"""Larger points are not taken into memory to be shown: a hostile log could fill it. Exports have them."""

P = TypeVar("P", bound=Point)
S = TypeVar("S")


class SeriesOpener(Protocol[P]):
    def __call__(self, run: Run, tag: str, /) -> Series[P]: ...


def list_series(
    context: Context,
    params: Mapping[str, Any],
    plugin: str,
    open_series: SeriesOpener[P],
    describe: Callable[[P], dict[str, Any]],
) -> RouteResult:
    """Every series of the chosen runs with its steps, and what `describe` says of its newest point."""
    cursor, found = context.logdir.cursor, []
    for run in context.select_runs(params.get("runs")):
        for info in run.index():
            if info.plugin == plugin and info.count:
                series = open_series(run, info.tag)
                found.append({"run": run.id, "tag": info.tag, **_steps(series), **_newest(series, describe)})
    return JsonResult({"cursor": cursor, "series": found})


def _steps(series: Series[P]) -> dict[str, Any]:
    return {"steps": series.steps.tolist(), "walls": series.wall_times.tolist()}


def _newest(series: Series[P], describe: Callable[[P], dict[str, Any]]) -> dict[str, Any]:
    try:
        return describe(series[-1])
    except DecodeError as error:
        return {"broken": str(error)}


def get_point(context: Context, params: Mapping[str, Any], open_series: SeriesOpener[P]) -> P:
    """The point that `run`, `tag` and `step` name."""
    run = context.find_run(params.get("run"))
    return open_series(run, get_str(params, "tag")).at(get_int_param(params, "step"))


def get_sample(params: Mapping[str, Any], samples: tuple[S, ...]) -> S:
    """The one of a step's samples that `sample` names; the first if it names none."""
    index = get_int_param(params, "sample") if "sample" in params else 0
    if 0 <= index < len(samples):
        return samples[index]
    raise LookupError(f"This step has {len(samples)} samples, and none with number {index}.")


def get_int_param(params: Mapping[str, Any], name: str) -> int:
    """From JSON a number, from an address its digits."""
    try:
        return int(params[name])
    except (KeyError, TypeError, ValueError):
        raise UsageError(f'Expected "{name}" to be a whole number.') from None
