"""Python API for reading logs: `board = lossboard.open("runs")`, `board["name"].scalars("loss").values`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from lossboard.errors import LogdirError, did_you_mean
from lossboard.kinds import asset_kinds, kinds, visible_tags
from lossboard.store.logdir import Logdir
from lossboard.store.run import NOT_AN_EVENT_FILE

if TYPE_CHECKING:
    from lossboard.doctor.engine import Doctor
    from lossboard.events.event_reader import FileInfo
    from lossboard.events.summary import Metadata
    from lossboard.export.facts_table import FactsTable
    from lossboard.export.scalar_table import ScalarTable
    from lossboard.findings import Finding
    from lossboard.kinds.audio.decode import AudioStep
    from lossboard.kinds.custom_scalars.decode import LayoutStep
    from lossboard.kinds.embeddings.decode import Embedding
    from lossboard.kinds.findings.decode import FindingPoint
    from lossboard.kinds.graphs.decode import GraphStep
    from lossboard.kinds.histograms.decode import HistogramStep
    from lossboard.kinds.hparams.decode import Session
    from lossboard.kinds.hparams.experiment import Experiment
    from lossboard.kinds.images.decode import ImageStep
    from lossboard.kinds.meshes.decode import MeshStep
    from lossboard.kinds.pr_curves.decode import PrCurveStep
    from lossboard.kinds.profiles.decode import Trace
    from lossboard.kinds.registry import SeriesReader
    from lossboard.kinds.series import Series
    from lossboard.kinds.tensors.decode import TensorStep
    from lossboard.kinds.text.decode import TextStep
    from lossboard.select.facts.table import Facts, FactTable
    from lossboard.select.group_runs import RunGroup
    from lossboard.series_math.group_curves import Band, Center
    from lossboard.store import run as store
    from lossboard.store.column import Column
    from lossboard.store.logdir import Changes, Stats

T = TypeVar("T")
_Wanted: TypeAlias = list[str] | re.Pattern[str] | None
"""Tags, a pattern that is searched in tags, or all."""


def open(logdir: str | os.PathLike[str] | Sequence[str]) -> Board:
    """Reads all runs of a logdir and returns them as a board.

    `logdir` is a directory, an event file, a list of these, or TensorBoard's `name:path,name:path`.
    """
    return Board(open_logdir(logdir))


def diagnose(logdir: str | os.PathLike[str] | Sequence[str]) -> list[Finding]:
    """Returns what is wrong with the runs of a logdir. The most severe findings of each run come first."""
    return open(logdir).diagnose()


def open_logdir(logdir: str | os.PathLike[str] | Sequence[str]) -> Logdir:
    """Opens and reads a logdir. Raises LogdirError if a path is missing or is not an event file."""
    opened = Logdir.parse(logdir, assets=asset_kinds())
    for root in opened.roots:
        if not root.path.exists():
            raise LogdirError(f"No such logdir: {root.path}. Pass the directory your training writes to, e.g. runs")
        if problem := root.problem():
            raise LogdirError(problem)
    opened.poll()
    for root in opened.roots:
        if root.is_file and any(note.why == NOT_AN_EVENT_FILE for note in opened.runs[root.name or "."].health.notes):
            raise LogdirError(f"{root.path} is not an event file. Pass an event file or a directory.")
    return opened


class Board:
    """All runs of a logdir by name, in TensorBoard's order: by the time of the first event."""

    def __init__(self, logdir: Logdir) -> None:
        self.logdir = logdir
        self._facts: Facts | None = None
        self._doctor: Doctor | None = None

    def __repr__(self) -> str:
        return f"<Board of {len(self)} runs in {', '.join(str(root.path) for root in self.logdir.roots)}>"

    @property
    def runs(self) -> list[str]:
        return list(self.logdir.runs)

    def __len__(self) -> int:
        return len(self.logdir.runs)

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __contains__(self, name: object) -> bool:
        return name in self.logdir.runs

    def __getitem__(self, name: str) -> Run:
        try:
            return Run(self.logdir.runs[name])
        except KeyError:
            similar = did_you_mean(str(name), self.logdir.runs)
            raise KeyError(f"No run {name!r}.{similar} board.runs lists the names.") from None

    @property
    def tags(self) -> dict[str, str]:
        """Maps all tags of all runs to their kind."""
        return {tag: kind for name in self for tag, kind in self[name].tags.items()}

    def scalars(
        self, tags: str | Iterable[str] | re.Pattern[str] | None = None, *, repeated_steps: bool = False
    ) -> ScalarTable:
        """Returns scalars of all runs, as a table in long format for pandas, polars, DuckDB and pyarrow.

        `tags` is a tag, several tags, a compiled regular expression that is searched in the tags, or None for all. With
        `repeated_steps`, the table has every point of a step, otherwise only the last one.
        """
        from lossboard.export.scalar_table import Chunk, ScalarTable

        wanted: _Wanted
        if isinstance(tags, str):
            wanted = [tags]
        else:
            wanted = tags if tags is None or isinstance(tags, re.Pattern) else list(tags)
        chunks = [
            Chunk(name, tag, run.column(tag, repeated_steps=repeated_steps))
            for name, run in self.logdir.runs.items()
            for tag in _scalar_tags(run, wanted)
        ]
        self._check_found(wanted, {chunk.tag for chunk in chunks})
        return ScalarTable(chunks)

    def _check_found(self, wanted: _Wanted, found: set[str]) -> None:
        """Raises LookupError if a tag is in no run, or if no tag matches."""
        if isinstance(wanted, re.Pattern) and not found:
            raise LookupError(f"No scalar tag matches {wanted.pattern!r}. board.tags lists the tags.")
        for tag in wanted if isinstance(wanted, list) else ():
            if tag not in found:
                raise LookupError(_describe_missing(tag, "scalars", self.tags, "any run", "board.tags"))

    def query(self, query: str) -> list[str]:
        """Names of the runs for which a query is true, such as `lr < 1e-3 and last(loss) < 0.5`. docs/query.md has
        the language."""
        from lossboard.select.query.run_query import run_query

        return [run.name for run in run_query(self._table(), query).runs]

    def facts(self, columns: str = "", *, query: str = "") -> FactsTable:
        """A table with a row for each run and a column for each fact that `columns` lists, such as
        `run, lr, last(loss)`; without it, for every hyperparameter and every statistic of every metric."""
        from lossboard.export.facts_table import FactsTable
        from lossboard.select.query.run_query import run_query
        from lossboard.select.select_fields import select_fields

        table = self._table()
        fields = select_fields(table, columns) if columns else {str(field): field for field in table.fields()}
        return FactsTable({name: table.column(field) for name, field in fields.items()}, run_query(table, query).rows)

    def group(
        self, tag: str, by: str = "", *, query: str = "", center: Center = "mean", band: Band | None = None
    ) -> list[RunGroup]:
        """A scalar tag of groups of runs as one line with a band for each group, by the facts that `by` lists. Without
        it, all runs are one group."""
        from lossboard.select.group_runs import group_runs

        return group_runs(self._table(), tag, by=by, query=query, center=center, band=band)

    def _table(self) -> FactTable:
        if self._facts is None:
            from lossboard.select.facts.table import Facts
            from lossboard.store.annotations import Annotations
            from lossboard.store.series_index import SeriesIndex

            self._facts = Facts(self.logdir, SeriesIndex(), Annotations(self.logdir))
        return self._facts.table()

    def hparams(self) -> Experiment | None:
        """Returns all sessions with hyperparameters and metrics, or None if there are none."""
        from lossboard.kinds.hparams.experiment import experiment

        return experiment(self.logdir.runs)

    def embeddings(self) -> list[Embedding]:
        """Returns all embeddings that projector configs in the logdir name."""
        from lossboard.kinds.embeddings.decode import embeddings

        return list(embeddings(self.logdir))

    def profiles(self) -> list[Trace]:
        """Returns all profiler traces in the logdir."""
        from lossboard.kinds.profiles.decode import traces

        return list(traces(self.logdir))

    def findings(self) -> list[FindingPoint]:
        """Returns the findings of all runs, in the order of their runs."""
        from lossboard.kinds.findings.decode import findings

        return list(findings(self.logdir))

    def diagnose(self) -> list[Finding]:
        """Returns what is wrong with the runs: the findings of the doctor, and those that training reported.

        Findings that were dismissed on the board are left out.
        """
        from lossboard.doctor.diagnose import create_doctor, diagnoses, without_dismissed
        from lossboard.store.annotations import Annotations

        if self._doctor is None:
            self._doctor = create_doctor(self.logdir)
        found = diagnoses(self.logdir.runs.values(), self._doctor.check())
        return [one.finding for one in without_dismissed(found, self.logdir, Annotations(self.logdir))]

    def stats(self) -> Stats:
        """Returns counts of runs, tags, points, blobs and bytes, and of skipped corrupt records."""
        return self.logdir.stats()

    def poll(self) -> Changes:
        """Reads new data and returns the changes."""
        return self.logdir.poll()


class Run:
    """One run. Each method named after a kind returns the points of a tag."""

    def __init__(self, stored: store.Run) -> None:
        self.stored = stored

    def __repr__(self) -> str:
        return f"<Run {self.name!r}>"

    @property
    def name(self) -> str:
        return self.stored.name

    @property
    def path(self) -> Path:
        return self.stored.path

    @property
    def start(self) -> float | None:
        """Wall time of the first event, or None without events."""
        return self.stored.start

    @property
    def health(self) -> store.Health:
        """Corrupt records that were skipped, with locations and reasons."""
        return self.stored.health

    @property
    def files(self) -> list[FileInfo]:
        """The event files with their format version and the package that wrote them."""
        from lossboard.events.event_reader import describe_file

        return [describe_file(path) for path in self.stored.files]

    def meta_graph(self) -> bytes | None:
        """Returns the last MetaGraphDef, serialized, or None. Reads all event files of the run."""
        from lossboard.events.event_reader import last_meta_graph

        return last_meta_graph(self.stored.files)

    def run_metadata(self) -> dict[str, bytes]:
        """Returns the serialized RunMetadata that TF1 logged, by tag. Reads all event files of the run."""
        from lossboard.events.event_reader import run_metadata_by_tag

        return run_metadata_by_tag(self.stored.files)

    def metadata(self, tag: str) -> Metadata:
        """Returns the metadata of a tag: plugin, content, display_name and description, empty if not logged."""
        from lossboard.events.summary import Metadata

        return Metadata.parse(self.stored.metadata(tag))

    @property
    def tags(self) -> dict[str, str]:
        """Maps tags to kinds. If a tag has several kinds, the one that Lossboard lists first counts."""
        tags: dict[str, str] = {}
        for kind, found in visible_tags(self.stored).items():
            for tag in found:
                tags.setdefault(tag, kind)
        return tags

    def attempts(self, tag: str) -> Any:
        """Returns all points of a tag in logging order. `hidden` marks those that are superseded."""
        tags = self.tags
        if tag not in tags:
            raise self._unknown_tag("", tag)
        return kinds()[tags[tag]].series(self.stored, tag, attempts=True)

    def scalars(self, tag: str, *, repeated_steps: bool = False) -> Column:
        """Returns `.steps`, `.wall_times` and `.values` as read-only arrays, without a copy if the run has one file.

        With `repeated_steps`, the column has every point of a step, otherwise only the last one.
        """
        if not self.stored.has("scalars", tag):
            raise self._unknown_tag("scalars", tag)
        return self.stored.column(tag, repeated_steps=repeated_steps)

    def histograms(self, tag: str) -> Series[HistogramStep]:
        from lossboard.kinds.histograms.decode import histograms

        return self._read(histograms, "histograms", tag)

    def images(self, tag: str) -> Series[ImageStep]:
        from lossboard.kinds.images.decode import images

        return self._read(images, "images", tag)

    def audio(self, tag: str) -> Series[AudioStep]:
        from lossboard.kinds.audio.decode import audio

        return self._read(audio, "audio", tag)

    def text(self, tag: str) -> Series[TextStep]:
        from lossboard.kinds.text.decode import text

        return self._read(text, "text", tag)

    def pr_curves(self, tag: str) -> Series[PrCurveStep]:
        from lossboard.kinds.pr_curves.decode import pr_curves

        return self._read(pr_curves, "pr_curves", tag)

    def meshes(self, name: str) -> Series[MeshStep]:
        from lossboard.kinds.meshes.decode import meshes

        return self._read(meshes, "meshes", name)

    def graphs(self, tag: str = "__run_graph__") -> Series[GraphStep]:
        from lossboard.kinds.graphs.decode import graphs

        return self._read(graphs, "graphs", tag)

    def custom_scalars(self) -> Series[LayoutStep]:
        from lossboard.kinds.custom_scalars.decode import CONFIG_TAG, custom_scalars

        return self._read(custom_scalars, "custom_scalars", CONFIG_TAG)

    def tensors(self, tag: str) -> Series[TensorStep]:
        from lossboard.kinds.tensors.decode import tensors

        return self._read(tensors, "tensors", tag)

    def hparams(self) -> Session | None:
        """Returns the hyperparameters and the status of the session, or None if there is no session."""
        from lossboard.kinds.hparams.decode import START_TAG, sessions

        return next(iter(sessions(self.stored)), None) if self.stored.has("hparams", START_TAG) else None

    def _read(self, series: SeriesReader[T], kind: str, tag: str) -> T:
        try:
            return series(self.stored, tag)
        except LookupError:
            raise self._unknown_tag(kind, tag) from None

    def _unknown_tag(self, kind: str, tag: str) -> LookupError:
        return LookupError(_describe_missing(tag, kind, self.tags, f"run {self.name!r}", "run.tags"))


def _scalar_tags(run: store.Run, wanted: _Wanted) -> list[str]:
    if isinstance(wanted, list):
        return [tag for tag in wanted if run.has("scalars", tag)]
    tags = (tag for plugin, tag in run.series() if plugin == "scalars")
    return [tag for tag in tags if wanted is None or wanted.search(tag)]


def _describe_missing(tag: str, kind: str, tags: Mapping[str, str], where: str, listing: str) -> str:
    """Describes a tag that is not among `tags`, or is there as another kind."""
    if tag in tags:
        return f"Tag {tag!r} has the kind {tags[tag]}, not {kind}."
    similar = did_you_mean(tag, (known for known, other in tags.items() if kind in (other, "")))
    return f"No {kind or 'tag'} {tag!r} in {where}.{similar} {listing} lists the tags."
