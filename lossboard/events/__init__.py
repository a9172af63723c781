"""Messages of event files. `lossboard.events.read(path)` yields the events of a file."""

from lossboard.events.event_reader import read

__all__ = ["read"]
