"""Planted faults are found where they were planted, and healthy runs are left alone.

Half of the runs of each kind are held out: thresholds were chosen without them. `pytest -s` prints both figures.
"""

from __future__ import annotations

import pytest

from doctor.recorded import Judged, Recorded, load
from lossboard.findings import Finding

CODES = sorted({run.facts["code"] for run in load("faults")})
# In half of the runs: losses that recover from a rate that is too high, mean of 25 noisy points before a restart.
MAY_MISS = {"divergence": 2, "no-learning": 1, "no-warmup": 1, "restart-jump": 1}
# In all runs: gradients that grow slowly are found when they have grown.
MAY_BE_FAR = {"exploding-gradients": 6, "one-class": 2}
WHERE = 0.05
"""Part of the run's length by which a place may be wrong."""


@pytest.mark.parametrize("held_out", [False, True], ids=["chosen-with", "held-out"])
@pytest.mark.parametrize("code", CODES)
def test_planted_faults_are_found(code: str, held_out: bool, faulty: Judged) -> None:
    planted = [(run, found) for run, found in faulty if run.facts["code"] == code and run.is_held_out == held_out]
    missed = [run.name for run, found in planted if not any(one.code == code for one in found)]
    print(f"{code}: {len(planted) - len(missed)} of {len(planted)} found{', held out' if held_out else ''}. {missed}")
    assert len(planted) >= 10
    assert len(missed) <= MAY_MISS.get(code, 0), missed


@pytest.mark.parametrize("code", CODES)
def test_findings_point_to_where_the_fault_was_planted(code: str, faulty: Judged) -> None:
    far = [
        (run.name, round(distance, 3))
        for run, found in faulty
        if run.facts["code"] == code and (distance := _distance(run, found)) > WHERE
    ]
    assert len(far) <= MAY_BE_FAR.get(code, 0), far


def _distance(run: Recorded, found: list[Finding]) -> float:
    steps = [one.location.first_step for one in found if one.code == run.facts["code"]]
    if not steps or run.facts["onset"] is None:
        return 0.0
    return min(abs((step or 0) - run.facts["onset"]) for step in steps) / run.length


@pytest.mark.parametrize("held_out", [False, True], ids=["chosen-with", "held-out"])
def test_healthy_runs_have_no_warnings(held_out: bool, healthy: Judged) -> None:
    runs = [(run, found) for run, found in healthy if run.is_held_out == held_out]
    alarms = [(run.name, one.code, one.message) for run, found in runs for one in found if one.severity != "note"]
    print(
        f"healthy: {len({name for name, *_ in alarms})} of {len(runs)} with an alarm{', held out' if held_out else ''}"
    )
    assert len(runs) >= 75
    assert len({name for name, *_ in alarms}) <= len(runs) // 100, alarms
