"""Running out of memory in torch, caught so that training can go on with less."""

from __future__ import annotations

from types import TracebackType

import torch

# On CPU torch says only in message that memory was what failed. oneDNN says no more than the last of these.
_MEMORY_WORDS = (
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "could not create a primitive",
)


class CatchOom:
    """Ends a `with` block that runs out of memory, and says so in `message` afterwards: only then is the traceback gone
    that held the activations, and memory can be given back. With `enabled=False` it is an error like any other."""

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
    return isinstance(error, RuntimeError) and any(message in str(error) for message in _MEMORY_WORDS)
