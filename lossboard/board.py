"""Reading logs from Python: `board = lossboard.open("runs")`, `board["name"].scalars("loss").values`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lossboard.errors import LogdirError
from lossboard.kinds import asset_kinds, kinds, visible_tags
from lossboard.store.logdir import Logdir

if TYPE_CHECKING:
    from lossboard.export.scalar_table import ScalarTable
    from lossboard.kinds.audio.decode import AudioStep
    from lossboard.kinds.custom_scalars.decode import LayoutStep
    from lossboard.kinds.embeddings.decode import Embedding
    from lossboard.kinds.graphs.decode import GraphStep
    from lossboard.kinds.histograms.decode import HistogramStep
    from lossboard.kinds.hparams.decode import Session
    from lossboard.kinds.hparams.experiment import Experiment
    from lossboard.kinds.images.decode import ImageStep
    from lossboard.kinds.meshes.decode import MeshStep
    from lossboard.kinds.pr_curves.decode import PrCurveStep
    from lossboard.kinds.profiles.decode import Trace
    from lossboard.kinds.series import Series
    from lossboard.kinds.tensors.decode import TensorStep
    from lossboard.kinds.text.decode import TextStep
    from lossboard.store import run as store
    from lossboard.store.logdir import Changes, Stats


def open(logdir: str | os.PathLike[str] | Sequence[str]) -> Board:
    """A board of every run in a logdir, returned when every byte that is there has been read.

    `logdir` is a folder, a list of them, or TensorBoard's `name:path,name:path`.
    """
    return Board(open_logdir(logdir))


def open_logdir(logdir: str | os.PathLike[str] | Sequence[str]) -> Logdir:
    """The store behind a board, read once; LogdirError where there is no such folder."""
    opened = Logdir.parse(logdir, assets=asset_kinds())
    for root in opened.roots:
        if not root.path.is_dir():
            raise LogdirError(f"No such logdir: {root.path}. Give the folder that training writes to, e.g. runs")
    opened.poll()
    return opened


class Board:
    """Every run of a logdir, by name, in TensorBoard's order: by the time of the first event."""

    def __init__(self, logdir: Logdir) -> None:
        self.logdir = logdir

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
            raise KeyError(f"No run {name!r} on this board; board.runs has the names") from None

    @property
    def tags(self) -> dict[str, str]:
        """Every tag of every run → its kind."""
        return {tag: kind for name in self for tag, kind in self[name].tags.items()}

    def scalars(self, tag: str) -> ScalarTable:
        """One tag of all runs that have it, as a long table that pandas, polars, DuckDB and pyarrow take."""
        from lossboard.export.scalar_table import Chunk, ScalarTable

        found = [(name, run) for name, run in self.logdir.runs.items() if run.has("scalars", tag)]
        return ScalarTable([Chunk(name, tag, run.column(tag)) for name, run in found])

    def hparams(self) -> Experiment | None:
        """Every session with its hyperparameters and metrics; None if nobody logged any."""
        from lossboard.kinds.hparams.experiment import experiment

        return experiment(self.logdir.runs)

    def embeddings(self) -> list[Embedding]:
        """Every embedding that a projector config in the logdir names."""
        from lossboard.kinds.embeddings.decode import embeddings

        return list(embeddings(self.logdir))

    def profiles(self) -> list[Trace]:
        """Every profiler trace beside the logs."""
        from lossboard.kinds.profiles.decode import traces

        return list(traces(self.logdir))

    def stats(self) -> Stats:
        """Counts of runs, tags, points, blobs and bytes, and of what was skipped as damaged."""
        return self.logdir.stats()

    def poll(self) -> Changes:
        """Reads what has been written since, and says what changed."""
        return self.logdir.poll()


class Run:
    """One run. The methods named after kinds give a tag's points: step, wall_time and what the kind has."""

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
        """Wall time of the first event, None before there is one."""
        return self.stored.start

    @property
    def health(self) -> store.Health:
        """What was skipped as damaged: how much, where, and why."""
        return self.stored.health

    @property
    def tags(self) -> dict[str, str]:
        """Tag → kind. A tag of several kinds is under the one that Lossboard lists first."""
        tags: dict[str, str] = {}
        for kind, found in visible_tags(self.stored).items():
            for tag in found:
                tags.setdefault(tag, kind)
        return tags

    def attempts(self, tag: str) -> Any:
        """A tag's points with those that a restart has hidden, as they were logged; `hidden` tells which they are."""
        kind = self.tags.get(tag)
        if kind is None:
            raise LookupError(f"No tag {tag!r} in run {self.name!r}; run.tags has them")
        return kinds()[kind].series(self.stored, tag, attempts=True)

    def scalars(self, tag: str) -> store.Column:
        """`.steps`, `.wall_times`, `.values`: numpy, read-only, not copied where the run has one file."""
        return self.stored.column(tag)

    def histograms(self, tag: str) -> Series[HistogramStep]:
        from lossboard.kinds.histograms.decode import histograms

        return histograms(self.stored, tag)

    def images(self, tag: str) -> Series[ImageStep]:
        from lossboard.kinds.images.decode import images

        return images(self.stored, tag)

    def audio(self, tag: str) -> Series[AudioStep]:
        from lossboard.kinds.audio.decode import audio

        return audio(self.stored, tag)

    def text(self, tag: str) -> Series[TextStep]:
        from lossboard.kinds.text.decode import text

        return text(self.stored, tag)

    def pr_curves(self, tag: str) -> Series[PrCurveStep]:
        from lossboard.kinds.pr_curves.decode import pr_curves

        return pr_curves(self.stored, tag)

    def meshes(self, name: str) -> Series[MeshStep]:
        from lossboard.kinds.meshes.decode import meshes

        return meshes(self.stored, name)

    def graphs(self, tag: str = "__run_graph__") -> Series[GraphStep]:
        from lossboard.kinds.graphs.decode import graphs

        return graphs(self.stored, tag)

    def custom_scalars(self) -> Series[LayoutStep]:
        from lossboard.kinds.custom_scalars.decode import custom_scalars

        return custom_scalars(self.stored)

    def tensors(self, tag: str) -> Series[TensorStep]:
        from lossboard.kinds.tensors.decode import tensors

        return tensors(self.stored, tag)

    def hparams(self) -> Session | None:
        """The run's hyperparameters and how its session ended; None if it has none."""
        from lossboard.kinds.hparams.decode import START_TAG, sessions

        return next(iter(sessions(self.stored)), None) if self.stored.has("hparams", START_TAG) else None
