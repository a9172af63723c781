"""Samples: the encoded images or clips that a tag has at one step."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Generic, TypeVar

from lossboard.kinds.mime import sniff
from lossboard.kinds.series import Point


@dataclass(frozen=True, slots=True)
class Sample:
    """One encoded image or clip, as logged."""

    data: bytes

    @property
    def mime(self) -> str:
        return sniff(self.data)

    def fields(self) -> dict[str, Any]:
        """Returns the fields that every sample has in an export line."""
        return {"sha256": sha256(self.data).hexdigest(), "bytes": len(self.data), "mime": self.mime}


S = TypeVar("S", bound=Sample)


@dataclass(frozen=True, slots=True)
class SampledPoint(Point, Generic[S]):
    """A point that holds several samples."""

    samples: tuple[S, ...]
