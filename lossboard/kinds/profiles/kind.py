from __future__ import annotations

from typing import Any

from lossboard.kinds.profiles.decode import SUFFIXES, Trace, read_trace
from lossboard.kinds.registry import AssetKind


def _fields(point: Trace) -> dict[str, Any]:
    return {"worker": point.worker, "format": point.format, "bytes": point.size_bytes}


KIND = AssetKind(name="profiles", suffixes=SUFFIXES, read=read_trace, fields=_fields)
