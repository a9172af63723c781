"""State of a run: running, stalled or finished, and when each applies.

Most writers do not log that they finished, so the state follows from the time of the last growth. Wall times in the
future come from a wrong clock. For such runs only the growth that was seen counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from lossboard.store.run import Run

RunState: TypeAlias = Literal["live", "stalled", "finished"]
"""`live` is a run that is running."""

LIVE_SECS = 30
STALLED_SECS = 3600


def run_state(run: Run, *, grew_at: float, now: float) -> RunState:
    """Returns the state at the time `now`. `grew_at` is when the run was last seen to grow, or 0."""
    if run.is_finished:
        return "finished"
    last = run.last_event or 0.0
    written = grew_at if last - now > LIVE_SECS else last
    if now - max(min(written, now), grew_at) < LIVE_SECS:
        return "live"
    return "stalled" if now - written < STALLED_SECS else "finished"


def changes_with_time(state: RunState) -> bool:
    """Returns whether the state can change although the run does not grow."""
    return state != "finished"
