from __future__ import annotations

from typing import Any

from lossboard.kinds.profiles.decode import Trace, traces_in
from lossboard.kinds.registry import Kind


def _fields(point: Trace) -> dict[str, Any]:
    return {"worker": point.worker, "format": point.format, "bytes": point.size_bytes}


KIND = Kind(name="profiles", beside=traces_in, fields=_fields)
