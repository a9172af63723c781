"""Wrong tokens: slows down clients that guess, by their address. A right token never waits."""

from __future__ import annotations

from collections import OrderedDict, deque

_FREE_PER_MINUTE = 10
"""Pages that stay open after a restart send the old token a few times."""
_DELAY_SECS = 1.0
_MAX_WAITING = 5
"""Each delayed response keeps a connection open."""
_MAX_ADDRESSES = 1000


class WrongTokens:
    """Counts the wrong tokens of each address in the last minute. Use only from the event loop."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def delay_secs(self, address: str, now: float) -> float | None:
        """Counts a wrong token. Returns how long its response must wait, or None if too many wait already."""
        times = self._times.setdefault(address, deque(maxlen=_FREE_PER_MINUTE + _MAX_WAITING))
        self._times.move_to_end(address)
        while len(self._times) > _MAX_ADDRESSES:
            self._times.popitem(last=False)
        while times and now - times[0] > 60:
            times.popleft()
        times.append(now)
        if len(times) <= _FREE_PER_MINUTE:
            return 0.0
        waiting = sum(now - time < _DELAY_SECS for time in times)
        return _DELAY_SECS if waiting < _MAX_WAITING else None
