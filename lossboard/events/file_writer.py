"""Replacement of torch's `SummaryWriter.file_writer`, which programs use to log their own Summary messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lossboard.events.summary import SUMMARY

WriteEvent = Callable[[int, bytes, Any, float | None], None]
"""Field number, message, step, wall time."""


class FileWriter:
    """Writes Summary messages of TensorBoard's protobuf to the event file of a run."""

    def __init__(self, log_dir: str, write: WriteEvent, flush: Callable[[], None], close: Callable[[], None]) -> None:
        self._log_dir = log_dir
        self._write = write
        self.flush = flush
        self.close = close

    def get_logdir(self) -> str:
        return self._log_dir

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        if not hasattr(summary, "SerializeToString"):
            raise TypeError(f"A summary must be a Summary message, got {type(summary).__name__}: {summary!r:.60}")
        self._write(SUMMARY, summary.SerializeToString(), global_step, walltime)
