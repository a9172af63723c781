"""Hyperparameters: the session of a run, and the experiment that the run declares.

All data is in the content of the metadata. Only the first metadata of a tag counts.

    HParamsPluginData  version 1 · experiment 2 · session_start_info 3 · session_end_info 4
    SessionStartInfo   hparams 1 (map to google.protobuf.Value) · model_uri 2 · monitor_url 3 · group_name 4 ·
                       start_time_secs 5
    SessionEndInfo     status 1 · end_time_secs 2
    Experiment         description 1 · user 2 · time_created_secs 3 · hparam_infos 4 · metric_infos 5 · name 6
    HParamInfo         name 1 · display_name 2 · description 3 · type 4 · domain_discrete 5 | domain_interval 6
    MetricInfo         name 1 {group 1, tag 2} · display_name 3 · description 4 · dataset_type 5

torch stores a bool as the number 0 or 1. tensorboardX keeps bools, and writes no value for lists.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from lossboard.errors import DecodeError, LogdirError
from lossboard.events.wire import Message
from lossboard.kinds.series import Point, Series, references_of

if TYPE_CHECKING:
    from lossboard.store.run import Run

EXPERIMENT_TAG = "_hparams_/experiment"
START_TAG = "_hparams_/session_start_info"
END_TAG = "_hparams_/session_end_info"

STATUSES = ("STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING")
TYPES = ("", "string", "bool", "number")

HParamValue: TypeAlias = bool | float | str

_DOUBLE = struct.Struct("<d")


@dataclass(frozen=True, slots=True)
class Session(Point):
    """One run with its hyperparameters. Times are wall times in seconds, 0 if they were not logged."""

    hparams: dict[str, HParamValue]
    status: str
    group: str
    start_secs: float
    end_secs: float


@dataclass(frozen=True, slots=True)
class HParamInfo:
    """Declaration of a hyperparameter. `type` is string, bool, number or empty."""

    name: str
    display_name: str = ""
    description: str = ""
    type: str = ""
    choices: tuple[HParamValue, ...] = ()
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A scalar tag that measures a session, in the run of the session or in its sub-run `group`."""

    tag: str
    group: str = ""
    display_name: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class DeclaredExperiment:
    """The experiment that one run declares."""

    name: str
    description: str
    hparams: tuple[HParamInfo, ...]
    metrics: tuple[MetricInfo, ...]


def sessions(run: Run, *, attempts: bool = False) -> Series[Session]:
    """Returns the session of a run, once for each visible start. Raises LookupError if the run has no session."""
    source, hidden = references_of(run, "hparams", START_TAG, attempts=attempts)

    def load(_: int, step: int, wall_time: float, hidden: bool) -> Session:
        return _decode_session(run, step, wall_time, hidden)

    return Series(source.steps, source.wall_times, hidden, load)


def read_session(run: Run) -> Session | None:
    """Returns the session of a run, or None if it has none that can be read."""
    if not run.has("hparams", START_TAG):
        return None
    starts = run.references("hparams", START_TAG)
    try:
        return _decode_session(run, int(starts.steps[0]), float(starts.wall_times[0]), False) if len(starts) else None
    except (DecodeError, LogdirError):  # corrupt, or its file was removed
        return None


def _decode_session(run: Run, step: int, wall_time: float, hidden: bool) -> Session:
    start = _plugin_data(run, START_TAG).message(3)
    status, end_secs = _session_end(run)
    hparams = dict(map(_entry, start.views(1)))
    return Session(
        step,
        wall_time,
        hidden,
        hparams={name: value for name, value in hparams.items() if value is not None},
        status=status,
        group=start.text(4) or run.name,
        start_secs=start.float64(5),
        end_secs=end_secs,
    )


def _session_end(run: Run) -> tuple[str, float]:
    if not run.has("hparams", END_TAG):
        return STATUSES[0], 0.0
    end = _plugin_data(run, END_TAG).message(4)
    status = end.uint64(1)
    return STATUSES[status] if status < len(STATUSES) else STATUSES[0], end.float64(2)


def declared_experiments(runs: Iterable[Run]) -> list[DeclaredExperiment]:
    """Returns the experiments that runs declare, each once. Corrupt ones are left out."""
    contents: dict[bytes, None] = {}  # torch declares the same experiment in every trial
    for run in runs:
        if run.has("hparams", EXPERIMENT_TAG):
            with suppress(LogdirError):
                contents[run.metadata(EXPERIMENT_TAG)] = None
    found = []
    for metadata in contents:
        with suppress(DecodeError):
            found.append(_declared(_content(metadata).message(2)))
    return found


def _declared(experiment: Message) -> DeclaredExperiment:
    return DeclaredExperiment(
        experiment.text(6),
        experiment.text(1),
        tuple(map(_hparam_info, experiment.messages(4))),
        tuple(map(_metric_info, experiment.messages(5))),
    )


def _plugin_data(run: Run, tag: str) -> Message:
    return _content(run.metadata(tag))


def _content(metadata: bytes) -> Message:
    """Returns the content of SummaryMetadata {plugin_data 1 {content 2}}, without reading the rest of it."""
    return Message(metadata).message(1).message(2)


def _entry(data: memoryview) -> tuple[str, HParamValue | None]:
    """An entry of the map: key 1, value 2. Nearly all are short and in this order, which is tried first: a table of
    10,000 sessions has 100,000 entries, and the general way takes five times as long."""
    try:
        at = 2 + data[1]
        start = at + 2
        size = data[at + 1]
        if data[0] == 0x0A and data[at] == 0x12 and start + size == len(data) and data[1] < 0x80 > size:
            name = str(data[2:at], "utf-8", "replace")
            if size == 9 and data[start] == 0x11:
                return name, float(_DOUBLE.unpack_from(data, start + 1)[0])
            if data[start] == 0x1A and data[start + 1] == size - 2:
                return name, str(data[start + 2 :], "utf-8", "replace")
            if size == 2 and data[start] == 0x20 and data[start + 1] < 2:
                return name, data[start + 1] == 1
    except IndexError:
        pass
    entry = Message(data)
    return entry.text(1), _value(entry.message(2))


def _value(value: Message) -> HParamValue | None:
    """Reads a google.protobuf.Value: number 2, string 3, bool 4. Returns None for null, structs and lists."""
    which = value.last_of(1, 2, 3, 4, 5, 6)
    if which == 2:
        return value.float64(2)
    if which == 3:
        return value.text(3)
    return value.flag(4) if which == 4 else None


def _hparam_info(info: Message) -> HParamInfo:
    kind, domain = info.uint64(4), info.last_of(5, 6)
    interval = info.message(6)
    choices = [_value(value) for value in info.message(5).messages(1)] if domain == 5 else []
    return HParamInfo(
        info.text(1),
        info.text(2),
        info.text(3),
        TYPES[kind] if kind < len(TYPES) else "",
        tuple(choice for choice in choices if choice is not None),
        (interval.float64(1), interval.float64(2)) if domain == 6 else None,
    )


def _metric_info(info: Message) -> MetricInfo:
    name = info.message(1)
    return MetricInfo(name.text(2), name.text(1), info.text(3), info.text(4))
