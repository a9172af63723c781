"""Catches out-of-memory errors of torch, so training can continue with less memory."""

from __future__ import annotations

from types import TracebackType

import torch

# On CPU, only the message tells that memory was the problem. The last one is from oneDNN.
_OOM_MESSAGES = (
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "could not create a primitive",
)


class CatchOom:
    """Ends a `with` block that runs out of memory and sets `message`.

    After the block, the traceback that held the activations is gone, so memory can be released. With `enabled=False`,
    the error is raised.
    """

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self.message = ""

    def __enter__(self) -> CatchOom:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if error is None or kind is None or not self._enabled or not _is_out_of_memory(error):
            return False
        self.message = str(error) or kind.__name__
        return True


def _is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(message in str(error) for message in _OOM_MESSAGES)
