"""`lossboard trash`: lists deleted runs, restores them, or deletes them for good."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from lossboard.cli.formatting import format_table, pluralize, strip_control_chars
from lossboard.errors import LossboardError, UsageError
from lossboard.export.describe_fact import format_bytes, format_time
from lossboard.store.trash import NAME, DeletedRun, Trash, TrashError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory whose runs were deleted")
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        choices=["list", "restore", "empty"],
        help="what to do (default: list); empty deletes the files for good",
    )
    parser.add_argument("runs", nargs="*", metavar="RUN", help="runs to restore or delete, by name or folder")
    parser.add_argument("--all", action="store_true", help="restore all runs in the trash")
    parser.add_argument("--yes", action="store_true", help="empty the trash without asking")


def run(options: argparse.Namespace) -> None:
    logdir = Path(options.logdir)
    if not logdir.is_dir():
        raise LossboardError(f"No such directory: {logdir}")
    trash = Trash(logdir)
    if options.action == "list":
        _list(trash.runs(), logdir)
    elif options.action == "restore":
        if not options.runs and not options.all:
            raise UsageError("No run given. Name the runs to restore, or pass --all.")
        _restore(trash, _select(trash.runs(), options.runs))
    else:
        _empty(trash, _select(trash.runs(), options.runs), is_confirmed=options.yes)


def _list(runs: list[DeletedRun], logdir: Path) -> None:
    if not runs:
        print(f"The trash of {logdir} is empty.")
        return
    print(f"{pluralize(len(runs), 'deleted run')} in {logdir / NAME}\n")
    rows = [
        (strip_control_chars(run.name), format_time(run.deleted_at), str(run.files), format_bytes(run.bytes), run.token)
        for run in runs
    ]
    for line in format_table(("run", "deleted", "files", "size", "folder"), rows):
        print(line)


def _select(runs: list[DeletedRun], names: list[str]) -> list[DeletedRun]:
    """Returns the runs with these names. The name of a run that was deleted several times means the latest deletion."""
    if not names:
        return runs
    known = {run.name: run for run in reversed(runs)} | {run.token: run for run in runs}
    if unknown := [name for name in names if name not in known]:
        raise LossboardError(f"No deleted run is called {unknown[0]}. To see all: lossboard trash LOGDIR")
    return [known[name] for name in dict.fromkeys(names)]


def _restore(trash: Trash, runs: list[DeletedRun]) -> None:
    failed: list[TrashError] = []
    for run in runs:
        try:
            trash.restore(run.token)
        except TrashError as error:
            failed.append(error)
            print(f"lossboard: {strip_control_chars(run.name)}: {error}", file=sys.stderr)
        else:
            print(f"Restored {strip_control_chars(run.name)}")
    if failed:
        raise LossboardError(f"{pluralize(len(failed), 'run')} could not be restored.")


def _empty(trash: Trash, runs: list[DeletedRun], *, is_confirmed: bool) -> None:
    trash.remove_leftovers()
    if not runs:
        print("The trash is empty.")
        return
    what = f"{pluralize(len(runs), 'run')} ({format_bytes(sum(run.bytes for run in runs))})"
    if not is_confirmed:
        if not sys.stdin.isatty():
            raise UsageError(f"This deletes {what} for good. Pass --yes to confirm.")
        if input(f"Delete {what} for good? [y/N] ").strip().lower() not in ("y", "yes"):
            print("Nothing was deleted.")
            return
    for run in runs:
        trash.remove(run.token)
    print(f"Deleted {what}.")
