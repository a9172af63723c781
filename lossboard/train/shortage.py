"""Running out of memory in torch, caught so that training can go on with less."""

from __future__ import annotations

from types import TracebackType

import torch

# On CPU torch says only in words that memory was what failed. oneDNN says no more than the last of these.
_MEMORY_WORDS = (
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "could not create a primitive",
)


class Shortage:
    """Ends a `with` block that runs out of memory, and says so in `words` afterwards: only then is the traceback gone
    that held the activations, and memory can be given back. With `caught=False` it is an error like any other."""

    def __init__(self, *, caught: bool) -> None:
        self._caught = caught
        self.words = ""

    def __enter__(self) -> Shortage:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if error is None or kind is None or not self._caught or not _is_out_of_memory(error):
            return False
        self.words = str(error) or kind.__name__
        return True


def _is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _MEMORY_WORDS)
