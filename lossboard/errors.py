"""The exception tree. Each message says what we got, what we wanted, and what to do."""


class LossboardError(Exception):
    """The root of every error that Lossboard raises on purpose."""


class LogdirError(LossboardError):
    """A logdir cannot be opened as asked."""


class DecodeError(LossboardError):
    """A record is well framed, but what is in it cannot be read."""


class TooLarge(DecodeError):
    """A record holds more than is taken into memory for the purpose."""


class UsageError(LossboardError):
    """A command was called with something it cannot use."""


class DataError(LossboardError):
    """Training data cannot be read as asked; names the file and the line or field."""


class WriteError(LossboardError, OSError):
    """A run cannot be logged where it was asked to be. Raised only when a writer is made, never while logging."""
