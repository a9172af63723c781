"""Case: what the rules see of one training: its curves by role, its runs and their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lossboard.doctor.curve import Curve
from lossboard.doctor.roles import Candidate, Ref, Roles, infer_roles
from lossboard.doctor.words import words_of
from lossboard.store.column import Column

if TYPE_CHECKING:
    from lossboard.doctor.subjects import Subject
    from lossboard.store.run import Key, Run, SeriesInfo


class Case:
    """One training at one moment. Curves are read when a rule first asks for them."""

    def __init__(
        self,
        subject: Subject,
        runs: Mapping[str, Run],
        series: Mapping[str, Mapping[Key, SeriesInfo]],
        *,
        roles: Mapping[str, str],
    ) -> None:
        self.subject = subject
        self.runs = {name: runs[name] for name, _ in subject.runs}
        self.scalars: dict[Ref, SeriesInfo] = {
            Ref(name, info.tag): info
            for name in self.runs
            for info in series[name].values()
            if info.plugin == "scalars" and info.count
        }
        words = dict(subject.runs)
        self.roles: Roles = infer_roles(
            (Candidate(ref, (*words[ref.run], *words_of(ref.tag)), info.count) for ref, info in self.scalars.items()),
            roles,
        )
        self._curves: dict[Ref, Curve] = {}

    def curve(self, role: str, *, at_least: int = 1) -> Curve | None:
        """Returns the curve of a role, or None if there is none of this length."""
        return next(self.curves(role, at_least=at_least), None)

    def curves(self, role: str, *, at_least: int = 1) -> Iterator[Curve]:
        for ref in self.roles.get(role, ()):
            curve = self.curve_of(ref)
            if len(curve) >= at_least:
                yield curve

    def curve_of(self, ref: Ref) -> Curve:
        if (curve := self._curves.get(ref)) is None:
            curve = self._curves[ref] = Curve(ref.run, ref.tag, self.column(ref))
        return curve

    def column(self, ref: Ref) -> Column:
        return self.runs[ref.run].column(ref.tag)

    def attempts(self, ref: Ref) -> Column:
        """Returns all points of a series in the order in which they were logged."""
        attempts = self.runs[ref.run].attempts("scalars", ref.tag)
        assert isinstance(attempts, Column)
        return attempts

    def losses(self) -> Sequence[Ref]:
        return [ref for role in ("train_loss", "val_loss") for ref in self.roles.get(role, ())]
