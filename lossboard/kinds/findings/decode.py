"""Findings of a run, in the file `findings.jsonl` next to its event files.

One JSON object a line, as `lossboard/findings.py` describes it. The fine-tuning kit appends to the file while it
trains, and lines that are incomplete or of another form are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lossboard.findings import MAX_FILE_BYTES, SEVERITIES, Finding, parse_findings
from lossboard.kinds.assets import Asset, find_assets
from lossboard.safe_paths import open_within
from lossboard.store.assets import PLUGIN_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossboard.store.assets import AssetFile
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run

PLUGIN = PLUGIN_PREFIX + "findings"
FILE_NAME = "findings.jsonl"


@dataclass(frozen=True, slots=True)
class FindingPoint(Asset):
    """One finding. The tag is its code, and the step is its first one, or 0 if it has none."""

    finding: Finding = field(hash=False)  # its evidence is a mapping


def read_file(file: AssetFile) -> list[FindingPoint]:
    if file.path.name != FILE_NAME:
        return []
    with open_within(file.path.name, base=file.path.parent, root=file.root) as opened:
        data = opened.read(MAX_FILE_BYTES)
    return [
        FindingPoint(
            step=finding.location.first_step or 0,
            wall_time=file.wall_time,
            hidden=False,
            run=file.run,
            tag=finding.code,
            finding=finding,
        )
        for finding in parse_findings(data)
    ]


def findings(logdir: Logdir) -> Iterator[FindingPoint]:
    """Returns every finding of a logdir."""
    return find_assets(logdir, PLUGIN, FindingPoint)


def findings_of(run: Run) -> list[Finding]:
    """Returns the findings of a run, the most severe first, and those of one severity by step."""
    found = [
        point.finding
        for (plugin, _), series in run.assets.series.items()
        if plugin == PLUGIN
        for point in series.points
        if isinstance(point, FindingPoint)
    ]
    return sorted(found, key=lambda one: (SEVERITIES.index(one.severity), one.location.first_step or 0))
