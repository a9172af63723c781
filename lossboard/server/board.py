"""State of a served board, and the documents that describe its runs and tags."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from lossboard import __version__
from lossboard.doctor.diagnose import create_doctor
from lossboard.doctor.engine import Doctor
from lossboard.errors import UsageError
from lossboard.kinds.context import Context
from lossboard.select.facts.table import Facts
from lossboard.select.runs import select_runs
from lossboard.server.documents import BoardInfo, TrashList
from lossboard.server.live import LogdirFollower
from lossboard.server.live_doctor import LiveDoctor
from lossboard.server.run_rows import RunRows
from lossboard.server.tag_lists import TagTotals
from lossboard.store.annotations import Annotations
from lossboard.store.run_ids import run_labels
from lossboard.store.series_index import SeriesIndex

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir

log = logging.getLogger(__name__)

_TAG_TEXTS_BYTES = 16 << 20
_ENTRY_BYTES = 500
"""Size of a cache entry apart from its text, roughly."""


@dataclass(frozen=True)
class BoardState:
    """A served logdir: the context of its requests, the facts about its runs, and the threads that follow it."""

    context: Context
    facts: Facts
    doctor: Doctor
    follower: LogdirFollower
    live_doctor: LiveDoctor
    rows: RunRows
    totals: TagTotals
    title: str = ""

    @classmethod
    def create(cls, logdir: Logdir, *, title: str = "", interval_secs: float = 1.0, follow: bool = True) -> BoardState:
        context = new_context(logdir)
        refresh = context.annotations.refresh
        follower = LogdirFollower(
            logdir, context.index, sidecar_changed=refresh, interval_secs=interval_secs, follow=follow
        )
        facts = Facts(logdir, context.index, context.annotations, state=follower.state)
        doctor = _create_doctor(logdir, context.index)
        live_doctor = LiveDoctor(doctor, logdir, follower)
        rows = RunRows(context.annotations, follower, live_doctor)
        return cls(context, facts, doctor, follower, live_doctor, rows, TagTotals(context.index), title)


def new_context(logdir: Logdir) -> Context:
    return Context(logdir, SeriesIndex(), Annotations(logdir), partial(select_runs, logdir))


def _create_doctor(logdir: Logdir, index: SeriesIndex) -> Doctor:
    try:
        return create_doctor(logdir, index)
    except UsageError as error:
        log.warning("%s The settings of the doctor are not used.", error)
        return Doctor(logdir, index)


def describe_board(board: BoardState) -> BoardInfo:
    loading = not board.follower.loaded.is_set()  # read before the runs: loaded must mean that the list is complete
    context = board.context
    runs = dict(context.logdir.runs)
    labels = run_labels(runs, root=context.logdir.roots[0].path)
    totals = board.totals.of(runs)
    why_not = context.annotations.why_not_writable()
    described: BoardInfo = {
        "title": board.title,
        "logdirs": [str(root.path.absolute()) for root in context.logdir.roots],
        "missing": [str(root.path.absolute()) for root in context.logdir.roots if not root.path.exists()],
        "version": __version__,
        "cursor": context.logdir.cursor,
        "judged": board.live_doctor.judged_cursor,
        "kinds": totals.kinds,
        "unknown_plugins": totals.unknown_plugins,
        "runs": board.rows.of(runs, labels),
        "views": context.annotations.views(),
        "trashed": len(context.annotations.deleted_runs()),
        "writable": not why_not,
        "loading": loading,
    }
    if why_not:
        described["why_not"] = why_not
    return described


def describe_trash(context: Context) -> TrashList:
    return {"runs": context.annotations.deleted_runs(), "folders": context.annotations.trash_folders()}
