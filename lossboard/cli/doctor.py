"""`lossboard doctor`: what is wrong with runs, and what to try. `--watch` follows them."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from lossboard.board import open_logdir
from lossboard.doctor.diagnose import create_doctor, diagnoses, without_dismissed
from lossboard.doctor.two_runs import compare, open_side
from lossboard.errors import UsageError
from lossboard.findings import SEVERITIES
from lossboard.store.annotations import Annotations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lossboard.doctor.engine import Checked, Diagnosis, Doctor
    from lossboard.findings import Finding
    from lossboard.store.logdir import Logdir

_WATCH_SECS = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory your training writes to")
    parser.add_argument(
        "other", metavar="OTHER", nargs="?", help="compare two runs: report what differs, and from which step on"
    )
    parser.add_argument("--run", metavar="REGEX", default="", help="only runs whose name contains a match")
    parser.add_argument("--json", action="store_true", help="print one JSON object per finding")
    parser.add_argument(
        "--fail-on", choices=SEVERITIES, help="exit with 1 if there is a finding of this severity or a higher one"
    )
    parser.add_argument("--watch", action="store_true", help="follow the runs and print new findings as they come")
    parser.add_argument(
        "--on-finding", metavar="CMD", help="command to run for each finding, with its JSON on the standard input"
    )


def run(options: argparse.Namespace) -> int:
    try:
        pattern = re.compile(options.run)
    except re.error as error:
        raise UsageError(f"--run is not a valid regular expression: {error}.") from None
    logdir = open_logdir(options.logdir)
    if options.other is not None:
        return _compare(logdir, options)
    doctor = create_doctor(logdir)
    if pattern.pattern and not any(pattern.search(name) for name in logdir.runs):
        raise UsageError(f"No run matches --run {options.run}.")
    if options.watch:
        return _watch(logdir, doctor, pattern, options)
    checked = _select(doctor.check(), pattern)
    every = _diagnoses(logdir, checked)
    found = without_dismissed(every, logdir, Annotations(logdir))
    _print(found, checked, logdir, as_json=options.json, dismissed=len(every) - len(found))
    _notify((one.finding for one in found), options.on_finding)
    return int(_has_failed(found, options.fail_on))


def _compare(logdir: Logdir, options: argparse.Namespace) -> int:
    unused = [name for name in ("run", "fail_on", "watch", "on_finding") if getattr(options, name)]
    if unused:
        raise UsageError(f"--{unused[0].replace('_', '-')} judges the runs of one logdir. Leave it out to compare two.")
    sides = (open_side(logdir), open_side(open_logdir(options.other)))
    comparison = compare(*sides, (options.logdir, options.other))
    if options.json:
        print(json.dumps(comparison.to_json(), ensure_ascii=False))
    else:
        from lossboard.cli.two_runs_report import report_lines

        print("\n".join(report_lines(comparison)))
    return 0


def _select(checked: Iterable[Checked], pattern: re.Pattern[str]) -> list[Checked]:
    return [one for one in checked if any(pattern.search(name) for name, _ in one.subject.runs)]


def _diagnoses(logdir: Logdir, checked: list[Checked]) -> list[Diagnosis]:
    wanted = {name for one in checked for name, _ in one.subject.runs}
    return diagnoses((run for run in logdir.runs.values() if run.name in wanted), checked)


def _has_failed(found: Iterable[Diagnosis], fail_on: str | None) -> bool:
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1] if fail_on else ()
    return any(one.finding.severity in failing for one in found)


def _print(found: list[Diagnosis], checked: list[Checked], logdir: Logdir, *, as_json: bool, dismissed: int) -> None:
    if as_json:
        for one in found:
            print(to_json(one.finding), flush=True)
        return
    from lossboard.cli.doctor_report import print_report

    print_report(found, checked, logdir, dismissed=dismissed)


def to_json(finding: Finding) -> str:
    return json.dumps(finding.to_json(), ensure_ascii=False)


def _watch(logdir: Logdir, doctor: Doctor, pattern: re.Pattern[str], options: argparse.Namespace) -> int:
    """Prints each finding once, until Ctrl-C or until one is as severe as `--fail-on`."""
    from lossboard.cli.doctor_report import print_finding

    annotations = Annotations(logdir)
    known: set[tuple[object, ...]] = set()
    while True:
        started = time.monotonic()
        found = without_dismissed(_diagnoses(logdir, _select(doctor.check(), pattern)), logdir, annotations)
        new = list({key: one for one in found if (key := _key(one.finding)) not in known}.values())
        known.update(_key(one.finding) for one in new)
        for one in new:
            if options.json:
                print(to_json(one.finding), flush=True)
            else:
                print_finding(one, logdir, with_run=True)
        _notify((one.finding for one in new), options.on_finding)
        if _has_failed(new, options.fail_on):
            return 1
        time.sleep(max(_WATCH_SECS, 10 * (time.monotonic() - started)))
        logdir.poll()
        annotations.refresh()


def _key(finding: Finding) -> tuple[object, ...]:
    return finding.key, finding.location.runs


def _notify(found: Iterable[Finding], command: str | None) -> None:
    """Runs the user's command for each finding. One that fails is reported, and the next is run all the same."""
    if not command:
        return
    for finding in found:
        try:
            done = subprocess.run(shlex.split(command), input=to_json(finding) + "\n", text=True, check=False)
            problem = f"exit status {done.returncode}" if done.returncode else ""
        except (OSError, ValueError) as error:
            problem = str(error)
        if problem:
            print(f"lossboard doctor: --on-finding {command}: {problem}", file=sys.stderr)
