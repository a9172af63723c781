"""Misuse of steps: all points at one step, steps that begin again and again, or a huge gap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.roles import Ref


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    """Reports one series per kind of misuse: a script usually does it to all of them."""
    refs = sorted(case.scalars, key=lambda ref: (ref not in case.losses(), ref))
    for kind in (_one_step, _going_back, _gap):
        if (seen := next((one for ref in refs if (one := kind(case, ref, limits))), None)) is not None:
            yield seen


def _one_step(case: Case, ref: Ref, limits: Limits) -> Observation | None:
    info = case.scalars[ref]
    if info.count != 1 or info.hidden < limits["points"]:
        return None
    steps = case.attempts(ref).steps
    if int(steps.min()) != int(steps.max()):
        return None
    step = int(steps[0])
    return _seen(ref, f"All {len(steps):,} points of {ref.tag} are at step {step}.", step, step, points=len(steps))


def _going_back(case: Case, ref: Ref, limits: Limits) -> Observation | None:
    if case.scalars[ref].hidden < limits["points"]:
        return None
    steps = case.attempts(ref).steps
    backs = np.flatnonzero(np.diff(steps) < 0)
    if len(backs) < limits["restarts"] or int(steps.min()) == int(steps.max()):
        return None
    first = int(steps[backs[0]])
    return _seen(
        ref,
        f"The steps of {ref.tag} go back {len(backs):,} times, first after step {first:,}. Each time, the points after "
        "that step are superseded.",
        int(steps[backs[0] + 1]),
        int(steps.max()),
        times=len(backs),
        superseded_points=case.scalars[ref].hidden,
    )


def _gap(case: Case, ref: Ref, limits: Limits) -> Observation | None:
    info = case.scalars[ref]
    if info.count < 2 * limits["points"] or info.first_step is None or info.last_step is None:
        return None
    # A quick test that nearly all series pass: the points are about even.
    if info.last_step - info.first_step < limits["gap"] * info.count:
        return None
    steps = case.column(ref).steps
    gaps = np.diff(steps)
    at = int(gaps.argmax())
    usual = float(np.median(gaps))
    if gaps[at] < limits["gap"] * usual or gaps[at] < (steps[-1] - steps[0]) / 2:
        return None
    if min(at + 1, len(steps) - at - 1) < limits["points"]:
        return None
    return _seen(
        ref,
        f"The steps of {ref.tag} jump from {int(steps[at]):,} to {int(steps[at + 1]):,}, {gaps[at] / usual:,.0f} times "
        "the usual distance.",
        int(steps[at]),
        int(steps[at + 1]),
        usual_distance=usual,
        gap=int(gaps[at]),
    )


def _seen(ref: Ref, message: str, first: int, last: int, **evidence: float | int | str) -> Observation:
    return Observation(run=ref.run, tag=ref.tag, message=message, first_step=first, last_step=last, evidence=evidence)


RULE = Rule(
    code="step-misuse",
    title="Steps are logged wrongly",
    severity="warning",
    needs=(),
    thresholds={
        "points": Threshold(3, "Points at one step, or on each side of a gap."),
        "restarts": Threshold(3, "Steps that go back less often come from restarts."),
        "gap": Threshold(100, "Gap in parts of the usual distance. It must also be more than half of the axis."),
    },
    detects=(
        "Points all at one step, steps that go back again and again, as a step counted within each epoch does, "
        "and a gap that takes more than half of the axis."
    ),
    quiet="Restarts from a checkpoint, different intervals of different tags, and single values such as final metrics.",
    why="Charts put the points on top of each other, or hide those that a later point supersedes.",
    advice="Pass the number of optimizer steps since the beginning of the training, also in later epochs and restarts.",
    check=check,
)
