"""Batches: a request for several points or series. One that no longer exists does not fail the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict, TypeVar

from lossboard.errors import DecodeError

T = TypeVar("T")


class Missing(TypedDict):
    """In place of an item of a batch that does not exist or cannot be decoded. A run may be deleted at any time."""

    error: str


def read_or_missing(read: Callable[[Mapping[str, Any]], T], item: Mapping[str, Any]) -> T | Missing:
    try:
        return read(item)
    except LookupError as error:
        if type(error) is not LookupError:  # a KeyError or IndexError is a bug
            raise
        return {"error": str(error)}
    except DecodeError as error:
        return {"error": str(error)}
