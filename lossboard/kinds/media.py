"""Shared code of media routes: lists of series, one point, one sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NotRequired, Protocol, TypedDict, TypeVar

from lossboard.errors import DecodeError, UsageError
from lossboard.kinds import kind_of
from lossboard.kinds.limits import MAX_LISTED_STEPS, check_size
from lossboard.kinds.params import get_str
from lossboard.kinds.routes import BlobResult
from lossboard.kinds.samples import Sample, SampledPoint
from lossboard.kinds.series import Point, Series

if TYPE_CHECKING:
    from lossboard.kinds.context import Context
    from lossboard.store.run import Run

MAX_SHOWN_BYTES = 64_000_000
"""Larger points are not loaded to be shown, because a hostile log could fill the memory. Exports include them."""

P = TypeVar("P", bound=Point, covariant=True)
S = TypeVar("S", bound=Sample)


class SeriesOpener(Protocol[P]):
    def __call__(self, run: Run, tag: str, /) -> Series[P]: ...


class MediaSeries(TypedDict):
    """Steps of one tag in one run. `broken` says why the newest point cannot be decoded."""

    run: str
    tag: str
    steps: list[int]
    walls: list[float]
    broken: NotRequired[str]


def list_series(
    context: Context, params: Mapping[str, Any], kind: str, open_series: SeriesOpener[P]
) -> Iterator[tuple[MediaSeries, P | None]]:
    """Yields every series of the selected runs, each with its newest point, or None if it cannot be decoded."""
    counts: dict[tuple[Run, str], int] = {}  # two plugins of a kind may share a tag, which is one series then
    for run, infos in context.index.of(context.select_runs(params.get("runs"))):
        for info in infos.values():
            if info.count and kind_of(info.plugin).name == kind:
                counts[run, info.tag] = counts.get((run, info.tag), 0) + info.count
    check_size(sum(counts.values()), MAX_LISTED_STEPS, "steps", "Select fewer runs.")
    for run, tag in counts:
        series = open_series(run, tag)
        document: MediaSeries = {
            "run": run.id,
            "tag": tag,
            "steps": series.steps.tolist(),
            "walls": series.wall_times.tolist(),
        }
        try:
            newest = series[-1]
        except DecodeError as error:
            yield {**document, "broken": str(error)}, None
        else:
            yield document, newest


def get_point(context: Context, params: Mapping[str, Any], open_series: SeriesOpener[P]) -> P:
    """Returns the point at `run`, `tag` and `step`."""
    run = context.find_run(params.get("run"))
    return open_series(run, get_str(params, "tag")).at(get_int_param(params, "step"))


def get_sample(context: Context, params: Mapping[str, Any], open_series: SeriesOpener[SampledPoint[S]]) -> S:
    """Returns the sample at `run`, `tag`, `step` and the index `sample`, by default the first."""
    samples = get_point(context, params, open_series).samples
    index = get_int_param(params, "sample") if "sample" in params else 0
    if 0 <= index < len(samples):
        return samples[index]
    raise LookupError(f"No sample {index}. This step has {len(samples)} samples.")


def sample_blob(sample: Sample) -> BlobResult:
    return BlobResult(sample.data, sample.mime)


def get_int_param(params: Mapping[str, Any], name: str) -> int:
    """Returns an integer, which JSON gives as a number and a URL as digits."""
    try:
        return int(params[name])
    except (KeyError, TypeError, ValueError, OverflowError):  # the last one for Infinity
        raise UsageError(f'Expected "{name}" to be an integer.') from None
