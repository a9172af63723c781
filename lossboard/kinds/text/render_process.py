"""Rendering of texts in a process of its own, with a limit of CPU time.

Markdown has no parser that is fast for every text, and logged text is hostile: a few kilobytes can take minutes. In a
thread of the server that would slow down every other request. A process costs 50 ms, and the system ends it when its
time is up. What it has not rendered by then is shown as its source.
"""

from __future__ import annotations

import json
import logging
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from subprocess import PIPE
from tempfile import TemporaryFile
from typing import NoReturn

from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.text.render import Unrenderable, render

log = logging.getLogger(__name__)

# Even the slowest text of this size takes only 0.1 s, so it is not worth a process.
_MAX_CHARACTERS_IN_THREAD = 3_000
_MAX_CHARACTERS = 200_000
_MAX_SECS_PER_TEXT = 0.3
_MAX_SECS = 1
_CHECK_SECS = 0.05
_MAX_BYTES = 1 << 30

Strings = tuple[Sequence[str], Sequence[int]]
"""The strings of a text, and their shape."""


def render_all(texts: Sequence[Strings]) -> dict[int, str | None]:
    """Returns the HTML of each text by its index, or None if it takes too long, is too large, or would lose a part of
    the text. Texts for which there was no time are missing."""
    sizes = [sum(map(len, strings)) for strings, _ in texts]
    if sum(sizes) <= _MAX_CHARACTERS_IN_THREAD:
        return {at: _render_or_none(*one) for at, one in enumerate(texts)}
    fitting = [at for at, size in enumerate(sizes) if size <= _MAX_CHARACTERS]
    # Longer texts are last, because slow ones are often among them.
    fitting.sort(key=lambda at: sizes[at])
    too_large = {at: None for at, size in enumerate(sizes) if size > _MAX_CHARACTERS}
    return too_large | dict(zip(fitting, _run_process([texts[at] for at in fitting]), strict=False))


def _run_process(texts: Sequence[Strings]) -> list[str | None]:
    """Returns the HTML of the first texts, as many as there is time for."""
    # -P keeps the current directory, which may be a stranger's logdir, out of the paths of modules.
    command = [sys.executable, "-P", "-m", __name__]
    try:
        with TemporaryFile() as given:
            given.write(json.dumps(texts).encode())
            given.seek(0)
            process = subprocess.Popen(command, stdin=given, stdout=PIPE, stderr=PIPE, start_new_session=True)
    except OSError as error:
        log.warning("Cannot start a process to render text: %s. Showing the source.", error)
        return []
    with process:
        try:
            out, errors = _output(process)
        except BaseException:
            process.kill()
            raise
    if process.returncode not in (0, -signal.SIGKILL, -signal.SIGXCPU):
        log.error("Rendering text failed:\n%s", errors.decode(errors="replace"))
    return [json.loads(line) for line in out.split(b"\n")[:-1]]


def _output(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Returns the output and the errors of a process. Raises if the request is cancelled before."""
    while True:
        try:
            return process.communicate(timeout=_CHECK_SECS)
        except subprocess.TimeoutExpired:
            check_cancelled()


class _TimeIsUp(Exception):
    pass


def _main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_MAX_SECS, _MAX_SECS))
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_BYTES, _MAX_BYTES))
    signal.signal(signal.SIGPROF, _stop)
    for texts, shape in json.load(sys.stdin):
        print(json.dumps(_render_in_time(texts, shape)), flush=True)


def _render_in_time(texts: Sequence[str], shape: Sequence[int]) -> str | None:
    try:
        signal.setitimer(signal.ITIMER_PROF, _MAX_SECS_PER_TEXT)
        try:
            return _render_or_none(texts, shape)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except (_TimeIsUp, MemoryError):
        return None


def _render_or_none(texts: Sequence[str], shape: Sequence[int]) -> str | None:
    try:
        return render(texts, shape)
    except Unrenderable:
        return None


def _stop(*_: object) -> NoReturn:
    raise _TimeIsUp


if __name__ == "__main__":
    _main()
