from __future__ import annotations

from hashlib import sha256
from typing import Any

from lossboard.errors import DecodeError
from lossboard.kinds.embeddings.decode import CONFIG_NAME, Embedding, read_config
from lossboard.kinds.registry import AssetKind


def _fields(point: Embedding) -> dict[str, Any]:
    return {"tensor_name": point.tag, **_tensor(point), "metadata_rows": _metadata_rows(point)}


def _tensor(point: Embedding) -> dict[str, Any]:
    """Returns nulls if the tensor cannot be read. The config still names it."""
    try:
        tensor = point.tensor()
    except DecodeError:
        return {"shape": None, "sha256": None}
    return {"shape": tensor.shape, "sha256": sha256(tensor.tobytes()).hexdigest()}


def _metadata_rows(point: Embedding) -> int:
    try:
        return len(point.metadata()[1])
    except DecodeError:  # the named file is missing
        return 0


KIND = AssetKind(
    name="embeddings",
    suffixes=(CONFIG_NAME,),
    read=read_config,
    fields=_fields,
    api="lossboard.kinds.embeddings.api",
)
