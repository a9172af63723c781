from __future__ import annotations

from typing import Any

from lossboard.kinds.findings.decode import FILE_NAME, FindingPoint, read_file
from lossboard.kinds.registry import AssetKind


def _fields(point: FindingPoint) -> dict[str, Any]:
    # Nested, because a finding has a run and a tag of its own.
    return {"finding": point.finding.to_json()}


KIND = AssetKind(
    name="findings",
    suffixes=(FILE_NAME,),
    read=read_file,
    fields=_fields,
)
