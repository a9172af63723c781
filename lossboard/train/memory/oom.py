"""Recognizes out-of-memory errors of torch, TensorFlow and numpy, so training can continue with less memory."""

from __future__ import annotations

from types import TracebackType

# The frameworks' own classes, by name, because this module imports neither. numpy's is a MemoryError.
_OOM_CLASSES = {"OutOfMemoryError", "ResourceExhaustedError"}
# On CPU, only the message tells that memory was the problem. The third is from oneDNN, the last from C++.
_OOM_MESSAGES = (
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "could not create a primitive",
    "std::bad_alloc",
)
MAX_MESSAGE_CHARS = 300


class CatchOom:
    """Ends a `with` block that runs out of memory and sets `message`.

    After the block, the traceback that held the activations is gone, so memory can be released. With `enabled=False`,
    the error is raised.
    """

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        self.message = ""

    def __enter__(self) -> CatchOom:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if error is None or not self._enabled or not is_out_of_memory(error):
            return False
        self.message = describe_error(error)
        return True


def is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or any(cls.__name__ in _OOM_CLASSES for cls in type(error).__mro__):
        return True
    return isinstance(error, Exception) and any(message in str(error) for message in _OOM_MESSAGES)


def describe_error(error: BaseException) -> str:
    """Returns the first line of an error. TensorFlow adds hundreds of lines about its graph."""
    lines = str(error).strip().splitlines()
    return lines[0][:MAX_MESSAGE_CHARS] if lines else type(error).__name__
