"""Progress in a notebook: one display that is updated in place, with a link to the board."""

from __future__ import annotations

import sys
import time
from collections import deque
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lossboard.train.reporting.progress import Pace, evaluation_line, write_to_log

if TYPE_CHECKING:
    from lossboard.train.reporting.step_result import StepResult
    from lossboard.train.tasks.task import Evaluation

# Seconds between two updates. Each is a message to the browser.
UPDATE_SECS = 0.5
# Evaluations and findings below the bar. console.log has all of them.
MAX_LINES = 20


def is_notebook() -> bool:
    """Returns whether this process is the kernel of a notebook. It has imported IPython then."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class NotebookView:
    """A progress bar with the numbers, and below it the latest evaluations and findings."""

    def __init__(self, pace: Pace, *, board_url: str = "") -> None:
        # IPython has no types.
        ipython: Any = import_module("IPython.display")
        self.pace, self.board_url, self.shown = pace, board_url, 0.0
        self.lines: deque[str] = deque(maxlen=MAX_LINES)
        self._html: Any = ipython.HTML
        self._handle: Any = ipython.display(ipython.HTML(self.html()), display_id=True)

    def log_step(self, step: int, result: StepResult, *, memory_mb: float) -> None:
        self.pace.log_step(step, result, memory_mb)
        if time.monotonic() - self.shown >= UPDATE_SECS:
            self._update()

    def log_evaluation(self, step: int, *, train: Evaluation, validation: Evaluation) -> None:
        self.pace.log_evaluation(validation)
        self.say(evaluation_line(step, train, validation, self.pace.metric))

    def say(self, line: str) -> None:
        self.lines.append(line)
        write_to_log(line)
        self._update()

    def close(self) -> None:
        self._update()

    def html(self) -> str:
        """Returns the display. It has no script, so a saved notebook shows the same."""
        pace = self.pace
        link = f'<a href="{escape(self.board_url)}" target="_blank">Open the board</a>' if self.board_url else ""
        facts = "\n".join(pace.facts()) if pace.step > pace.first_step else ""
        return (
            f'<progress value="{pace.step}" max="{pace.total_steps}" style="width: 24em"></progress> '
            f"{pace.step}/{pace.total_steps} {link}"
            f'<pre style="white-space: pre-wrap">{escape(chr(10).join([facts, *self.lines]).strip())}</pre>'
        )

    def _update(self) -> None:
        self.shown = time.monotonic()
        self._handle.update(self._html(self.html()))
