"""Data starvation: a large part of each step is spent waiting for data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    waiting = case.curve("data_time", at_least=int(limits["points"]))
    whole = case.curve("step_time", at_least=int(limits["points"]))
    if waiting is None or whole is None or whole.median <= 0:
        return
    share = waiting.median / max(whole.median, waiting.median)
    if share < limits["share"]:
        return
    yield observe(
        waiting,
        f"Waiting for data takes {share:.0%} of each step.",
        waiting.step(0),
        waiting.last_step,
        beside=[whole, case.curve("throughput")],
        severity="warning" if share >= limits["warning"] else "note",
        share=share,
        data_time=waiting.median,
        step_time=whole.median,
    )


RULE = Rule(
    code="data-starved",
    title="Training waits for data",
    severity="warning",
    needs=("data_time", "step_time"),
    thresholds={
        "points": Threshold(10, "The usual time must be known."),
        "share": Threshold(0.2, "Part of a step spent waiting, from which it is a note."),
        "warning": Threshold(0.5, "Part of a step from which it is a warning."),
    },
    detects="A time for data that is a fifth of the time of a step or more. From half of it on, it is a warning.",
    quiet="Slow first steps, in which loaders start.",
    why="The GPU is idle meanwhile. Without the wait, training takes as much less time as the finding says.",
    advice=(
        "Give the loader more workers (num_workers) and let it prefetch, pin memory, decode and tokenize once, "
        "and store the data on a local disk."
    ),
    check=check,
)
