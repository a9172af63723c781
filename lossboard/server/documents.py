"""JSON documents of the server's own routes and events. `contract.py` makes TypeScript interfaces of them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from lossboard.doctor.documents import FindingCount
from lossboard.kinds.json_numbers import JsonNumber
from lossboard.select.documents import FactJson
from lossboard.store.annotations import DeletedRunInfo, RunAnnotations
from lossboard.store.run_files import FileType
from lossboard.store.run_state import RunState


class RouteRow(TypedDict):
    method: str
    path: str
    summary: str


class RouteList(TypedDict):
    routes: list[RouteRow]


class DamageLocation(TypedDict):
    file: str
    offset: int
    bytes: int
    why: str


class Damage(TypedDict):
    """Corrupt records of a run. `where` lists the first ones, and files that cannot be read."""

    records: int
    bytes: int
    where: list[DamageLocation]


class RunRow(RunAnnotations):
    """One run. `start` and `last` are null before its first event."""

    id: str
    name: str
    label: str
    path: str
    start: float | None
    last: float | None
    state: RunState
    bytes: int
    damage: NotRequired[Damage]
    findings: NotRequired[FindingCount]


class BoardInfo(TypedDict):
    """The state of a board. `judged` is the cursor when the doctor last judged all runs, or -1.

    `missing` are the logdirs that do not exist. `unknown_plugins` are plugins whose data no kind reads.
    `trashed` is the number of runs in the trash. `why_not` says why the board is not writable.
    """

    title: str
    logdirs: list[str]
    missing: list[str]
    version: str
    cursor: int
    judged: int
    kinds: dict[str, int]
    unknown_plugins: list[str]
    runs: list[RunRow]
    views: dict[str, str]
    trashed: int
    writable: bool
    why_not: NotRequired[str]
    loading: bool


class TagTexts(TypedDict, total=False):
    """Texts that were logged with a tag."""

    display: str
    description: str


class TagRow(TagTexts):
    """One tag. `runs` is the number of runs that have it."""

    tag: str
    runs: int


class TagList(TypedDict):
    cursor: int
    tags: list[TagRow]


class RunMetric(TypedDict):
    """One scalar of a run. `rank` is the place of its best value among the `ranked` runs that have the metric."""

    tag: str
    count: int
    first: JsonNumber | None
    last: JsonNumber | None
    min: JsonNumber | None
    min_step: JsonNumber | None
    max: JsonNumber | None
    max_step: JsonNumber | None
    direction: Literal["min", "max"] | None
    rank: NotRequired[int]
    ranked: NotRequired[int]


class RunDetails(TypedDict):
    """Details of one run. `config` has dotted names. `note_html` is sanitized, or null to show the source."""

    id: str
    config: dict[str, FactJson]
    command: str
    environment: dict[str, FactJson]
    metrics: list[RunMetric]
    metric_count: int
    note_html: str | None


class RunDetailsList(TypedDict):
    cursor: int
    runs: list[RunDetails]
    missing: list[str]


class RunFileRow(TypedDict):
    """An entry of a run's folder. A folder has the number and size of the files below it."""

    name: str
    type: FileType
    bytes: int
    modified: float
    files: int


class RunFileList(TypedDict):
    """The folder of a run. `console` are the files with console output, the most likely one first."""

    folder: str
    files: list[RunFileRow]
    is_complete: bool
    console: list[str]


class ConsoleOutput(TypedDict):
    """The last lines of a file of `bytes` bytes. `is_cut` is true if it has lines before these."""

    bytes: int
    text: str
    is_cut: bool


class CopiedTable(TypedDict):
    text: str
    rows: int


class Undo(TypedDict):
    """Response to a deletion."""

    undo: str


class TrashList(TypedDict):
    """The deleted runs that can be restored, the latest first. `folders` are the trashes on disk."""

    runs: list[DeletedRunInfo]
    folders: list[str]


class Empty(TypedDict):
    """Response to a change, and data of an event without any."""


class ErrorInfo(TypedDict):
    code: str
    message: str


class ErrorResponse(TypedDict):
    error: ErrorInfo


class At(TypedDict):
    """First event of the live stream: the current position."""

    cursor: int
    loading: bool


class GrownRun(TypedDict):
    """Growth of a run. A long list of tags is shortened to "*"."""

    state: RunState
    last: float | None
    bytes: int
    kinds: dict[str, list[str] | Literal["*"]]


class Grew(TypedDict):
    """Event of the live stream: runs that grew or changed state. `new_tags` are kinds of which a run has new tags."""

    cursor: int
    new_tags: list[str]
    runs: dict[str, GrownRun]
