"""Non-finite values: a loss, or another series that had numbers before, becomes NaN or infinite."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.roles import Ref
    from lossboard.store.column import Column


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    columns = {ref: case.column(ref) for ref in case.scalars}
    broken = {ref: first for ref, column in columns.items() if (first := _first(column)) is not None}
    losses = [ref for ref in broken if ref in case.losses()]
    ended = [ref for ref in broken if _has_ended(columns[ref], broken[ref], limits)]
    if not (found := losses or ended):
        return
    # Of those at one step, gradients break first, then the loss, then what is computed from it.
    ref = min(found + ended, key=lambda one: (columns[one].steps[broken[one]], one not in losses, one))
    column, first = columns[ref], broken[ref]
    lasts = not losses or any(not np.isfinite(columns[one].values[broken[one] :]).any() for one in losses)
    yield Observation(
        run=ref.run,
        tag=ref.tag,
        message=_message(ref, column, first, lasts),
        first_step=int(column.steps[first]),
        last_step=_last_step(column),
        severity="error" if lasts and losses else "warning",
        evidence=_evidence(column, first),
        curves=tuple(other for other in (*losses, *case.roles.get("gradient_norm", ())) if other != ref),
    )


def _first(column: Column) -> int | None:
    """Returns the index of the first non-finite value."""
    values = column.values
    # A dot product is not finite if one of the values is not. It is much faster than a test of each.
    if math.isfinite(values @ np.zeros(len(values))):
        return None
    bad = ~np.isfinite(values)
    return int(bad.argmax()) if bad.any() else None


def _has_ended(column: Column, first: int, limits: Limits) -> bool:
    """Whether numbers came before, and none since: many logs have NaN for what is not measured yet."""
    after = column.values[first:]
    return first > 0 and len(after) >= limits["points"] and not np.isfinite(after).any()


def _last_step(column: Column) -> int:
    bad = np.flatnonzero(~np.isfinite(column.values))
    return int(column.steps[bad[-1]])


def _message(ref: Ref, column: Column, first: int, lasts: bool) -> str:
    value = column.values[first]
    name = "NaN" if np.isnan(value) else "infinite"
    step = int(column.steps[first])
    after = "and stayed so" if lasts else "and recovered"
    if first == 0:
        return f"{ref.tag} is {name} from its first point at step {step:,}."
    before = column.values[first - 1]
    return f"{ref.tag} became {name} at step {step:,} {after}. The value before was {show(before)}."


def _evidence(column: Column, first: int) -> dict[str, float | int | str]:
    bad = ~np.isfinite(column.values)
    before = column.values[max(0, first - 5) : first]
    return {
        "non_finite_points": int(bad.sum()),
        "points": len(column),
        "values_before": ", ".join(show(value) for value in before) or "none",
    }


RULE = Rule(
    code="non-finite",
    title="NaN or infinite values",
    severity="error",
    needs=(),
    thresholds={
        "points": Threshold(3, "Points without a number after which a series that is not a loss counts as lost."),
    },
    detects=(
        "A training or validation loss that is NaN or infinite at any step, and any other series that had numbers "
        "and then only has NaN or infinite values. The finding names the first step and the first tag."
    ),
    quiet=(
        "Series that begin with NaN, such as metrics that are not measured yet, and single infinite gradient norms: "
        "in mixed precision the loss scale is searched that way, and those steps are skipped."
    ),
    why="After a NaN, every weight that the step touched is NaN, so the rest of the training is lost.",
    advice=(
        "Look at the gradient norm and the batch just before this step. Lower the learning rate or clip gradients "
        "(torch.nn.utils.clip_grad_norm_), check the inputs for NaN and the loss for log(0) or a division by 0, and "
        "continue from a checkpoint before this step. torch.autograd.set_detect_anomaly(True) names the operation."
    ),
    check=check,
)
