"""Exceptions. Each message says what happened and what to do."""


class LossboardError(Exception):
    """Base class of all Lossboard errors."""


class LogdirError(LossboardError):
    """A logdir cannot be opened."""


class DecodeError(LossboardError):
    """The content of a record cannot be decoded."""


class TooLarge(DecodeError):
    """A record is too large to load for this purpose."""


class UsageError(LossboardError):
    """A command or function got an argument that it cannot use."""


class DataError(LossboardError):
    """Training data cannot be read. The message names the file and the line or field."""


class WriteError(LossboardError, OSError):
    """The log directory of a run cannot be written. Raised only when a writer is created, never while logging."""
