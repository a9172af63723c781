"""The tools that run the test suite."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import repeat
import suite

REPORT = """<testsuites><testsuite>
<testcase classname="a" name="good" time="0.5"/>
<testcase classname="a" name="bad" time="2"><failure message="assert 1 == 2&#10;more"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def no_chromium(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Makes Chromium missing and not installable, and records which parts run."""
    ran: list[str] = []
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(suite, "run_target", lambda name, *words: ran.append(name) or suite.Outcome(name, "ok"))
    return ran


def test_part_with_a_missing_program_is_skipped(no_chromium, monkeypatch, capsys) -> None:
    monkeypatch.delenv("CI", raising=False)
    assert suite.main(["ui", "browser"]) == 0
    assert no_chromium == ["set-up", "ui"]
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith("Skipped browser: chromium is missing. On Debian and Ubuntu: sudo apt-get install chromium.")


def test_skipped_part_fails_the_run_in_ci(no_chromium, monkeypatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert suite.main(["ui", "browser"]) == 1


def test_unknown_part_is_reported() -> None:
    parts = "check, ui, python, sanitize, tf, browser"
    with pytest.raises(SystemExit, match=rf"Unknown part 'brwoser'\. The parts are: {parts}"):
        suite.main(["brwoser"])


def test_failed_part_fails_the_run_after_the_others(monkeypatch, capsys) -> None:
    results = {"set-up": "ok", "ui": "FAILED", "check": "ok"}
    monkeypatch.setattr(suite, "run_target", lambda name, *words: suite.Outcome(name, results[name], 61, 62))
    assert suite.main(["ui", "check"]) == 1
    table = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert table[1:] == [
        ["set-up", "ok", "1:01", "1:02"],
        ["ui", "FAILED", "1:01", "1:02"],
        ["check", "ok", "1:01", "1:02"],
        ["total", "FAILED", "3:03", "3:06"],
    ]


def test_repeated_runs_count_failures_and_keep_the_longest_time(tmp_path: Path) -> None:
    tally, report = repeat.Tally(), tmp_path / "report.xml"
    report.write_text(REPORT)
    assert repeat.take_report(tally, report, status=1) == ["a > bad"]
    report.write_text(REPORT.replace('time="0.5"', 'time="0.7"'))
    repeat.take_report(tally, report, status=1)
    assert (tally.runs, tally.red_runs) == (2, 2)
    assert tally.failures == {"a > bad": 2}
    assert tally.messages == {"a > bad": "assert 1 == 2"}
    assert tally.secs == {"a > good": 0.7, "a > bad": 2.0}


def test_run_without_a_report_counts_as_failed(tmp_path: Path) -> None:
    tally = repeat.Tally()
    assert repeat.take_report(tally, tmp_path / "none.xml", status=2) == ["the run itself (exit status 2)"]
    assert tally.red_runs == 1


@pytest.mark.parametrize(
    ("part", "only", "expected"),
    [
        ("python", "tests/test_suite.py", "tests/test_suite.py"),
        ("tf", "resumes", "resumes"),
        ("browser", "tests/browser/charts.test.ts", "charts.test.ts"),
        ("ui", "a ridge", "a ridge"),
    ],
)
def test_only_selects_a_file_or_a_part_of_a_name(tmp_path: Path, part: str, only: str, expected: str) -> None:
    arguments = repeat.runner_arguments(part, report=tmp_path / "r.xml", seed=7, only=only)
    assert arguments[-1] == expected
    assert (arguments[-2] in ("-k", "-t")) == (expected not in ("tests/test_suite.py", "charts.test.ts"))


def test_signal_tests_pass_if_the_shell_ignores_signals() -> None:
    """As in `nohup make test &`."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/cli/test_board.py", "-k", "status_0"]

    def ignore_signals() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    done = subprocess.run(
        command, cwd=suite.ROOT, capture_output=True, text=True, preexec_fn=ignore_signals, check=False
    )
    assert done.returncode == 0, done.stdout
