"""Lines that a crowded chart draws in color."""

from __future__ import annotations

import math

from lossboard.kinds.scalars.line_choice import Candidate, choose_lines


def run(name: str, **facts: object) -> Candidate:
    usual = {"steps": 1000, "last_wall": 0.0, "final_value": 0.5, "is_finished": True}
    return Candidate(name, **(usual | facts))  # type: ignore[arg-type]


def chosen(candidates: list[Candidate], max_lines: int, requested: tuple[str, ...] = ()) -> set[str]:
    return {candidates[i].run for i in choose_lines(candidates, requested=requested, max_lines=max_lines)}


def test_long_runs_come_before_newer_short_tests():
    long = [run(f"long{i}", steps=5_000_000 + i, last_wall=i) for i in range(5)]
    tests = [run(f"test{i}", steps=20, last_wall=1000.0 + i, final_value=i) for i in range(50)]
    assert chosen([*long, *tests], 5) == {one.run for one in long}


def test_requested_runs_come_first_in_their_order():
    runs = [run(f"r{i}", steps=1000 - i) for i in range(10)]
    assert chosen(runs, 2, ("r9", "gone", "r8", "r7")) == {"r9", "r8"}


def test_runs_that_are_still_logging_come_before_longer_finished_ones():
    finished = [run(f"finished{i}", steps=10_000 + i, last_wall=500) for i in range(10)]
    assert "new" in chosen([*finished, run("new", steps=3, last_wall=540, is_finished=False)], 1)


def test_runs_that_stopped_long_before_the_newest_point_are_not_logging():
    runs = [run("long", steps=10_000, last_wall=5000), run("crashed", steps=3, last_wall=10, is_finished=False)]
    assert chosen(runs, 1) == {"long"}


def test_best_runs_get_a_place_whether_low_or_high_is_better():
    runs = [run(f"r{i}", steps=1000 + i, last_wall=i, final_value=0.5) for i in range(100)]
    runs[40] = run("lowest", final_value=0.1)
    runs[50] = run("highest", final_value=0.9)
    runs[60] = run("diverged", final_value=math.nan)
    assert {"lowest", "highest"} <= chosen(runs, 8)


def test_lines_of_a_run_stay_together_as_far_as_they_fit():
    candidates = [run(name, steps=steps) for name, steps in (("a", 10), ("b", 30), ("c", 20)) for _ in range(2)]
    assert choose_lines(candidates, requested=(), max_lines=3) == {2, 3, 4}
