"""The guard in a training loop: it acts once on each finding, and never ends a training by itself."""

from __future__ import annotations

import logging
import math
from pathlib import Path

import pytest

from lossboard import Guard, SummaryWriter
from lossboard.doctor.rules import RULES
from lossboard.errors import UsageError
from lossboard.findings import Finding


def train(log: SummaryWriter, guard: Guard, values: list[float]) -> int:
    """Logs values until the guard asks to stop. Returns the last step."""
    for step, value in enumerate(values):
        log.add_scalar("loss", value, step)
        guard.check_now()
        if guard.should_stop:
            return step
    return len(values) - 1


def test_training_stops_at_the_step_of_the_finding(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as log:
        guard = Guard(log, on={"non-finite": "stop"})
        assert train(log, guard, [1.0, 0.5, math.nan, 0.4]) == 2


def test_function_gets_each_finding_once(tmp_path: Path) -> None:
    found: list[Finding] = []
    with SummaryWriter(tmp_path) as log:
        guard = Guard(log.log_dir, on={"error": found.append})
        train(log, guard, [1.0, math.nan, math.nan, 0.4])
    assert [(one.code, one.location.tag, one.location.first_step) for one in found] == [("non-finite", "loss", 1)]
    assert not guard.should_stop


def test_action_of_a_code_comes_before_that_of_its_severity(tmp_path: Path) -> None:
    found: list[Finding] = []
    with SummaryWriter(tmp_path) as log:
        guard = Guard(log, on={"error": found.append, "non-finite": "stop"})
        train(log, guard, [math.nan])
    assert guard.should_stop and found == []


def test_finding_without_an_action_is_returned(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as log:
        guard = Guard(log, on={})
        log.add_scalar("loss", math.nan, 0)
        assert [one.code for one in guard.check_now()] == ["non-finite"]
        assert guard.check_now() == []


def test_checks_wait_for_their_turn(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as log:
        guard = Guard(log, on={})
        guard._next_check = math.inf
        log.add_scalar("loss", math.nan, 0)
        assert guard.check() == []
        guard._next_check = 0
        assert [one.code for one in guard.check()] == ["non-finite"]
        assert guard._next_check > 0


def test_exception_of_the_function_ends_the_training(tmp_path: Path) -> None:
    def refuse(finding: Finding) -> None:
        raise KeyboardInterrupt(finding.code)

    with SummaryWriter(tmp_path) as log:
        guard = Guard(log, on={"non-finite": refuse})
        with pytest.raises(KeyboardInterrupt, match="non-finite"):
            train(log, guard, [math.nan])


def test_error_in_the_guard_is_logged_and_training_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with SummaryWriter(tmp_path) as log:
        guard = Guard(log, on={"non-finite": "stop"})

        def fail() -> None:
            raise OSError("planted")

        monkeypatch.setattr(guard._logdir, "poll", fail)
        with caplog.at_level(logging.ERROR, "lossboard"):
            assert train(log, guard, [1.0, math.nan]) == 1
    assert "no longer judges the run" in caplog.text and "planted" in caplog.text


@pytest.mark.parametrize("where", [".", "run"])
def test_settings_of_the_logdir_apply(where: str, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / where / "lossboard.toml").write_text('[doctor]\nsilence = ["non-finite"]\n')
    with SummaryWriter(tmp_path / "run") as log:
        guard = Guard(log, on={"non-finite": "stop"})
        assert train(log, guard, [1.0, math.nan, 1.0]) == 2


@pytest.mark.parametrize(
    ("on", "message"),
    [
        ({"nan": "stop"}, "Unknown code in on: 'nan'"),
        ({"spikes": "stop"}, "Did you mean 'spike'?"),
        ({"spike": "halt"}, """on['spike'] must be a function that takes a Finding, or "stop", not 'halt'."""),
    ],
)
def test_mistakes_are_reported_at_once(on: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        Guard(tmp_path, on=on)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_every_code_can_be_guarded(tmp_path: Path) -> None:
    Guard(tmp_path, on=dict.fromkeys(RULES, "stop"))
