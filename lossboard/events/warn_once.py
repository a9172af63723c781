"""Warnings about calls whose meaning is doubtful: each message is logged once per process."""

from __future__ import annotations

import logging

_log = logging.getLogger("lossboard")
_logged: set[str] = set()


def warn_once(message: str) -> None:
    """Logs to the logger `lossboard`. Python's `warnings` would not do: they can be turned into exceptions."""
    if message not in _logged:
        _logged.add(message)
        _log.warning(message)
