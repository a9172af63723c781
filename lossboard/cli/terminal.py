"""Full-screen output and single keys in a terminal, by the escape sequences that all of today's terminals know.

`curses` would need a terminfo entry for every TERM, which is missing on many servers that people reach by SSH.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Self

_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"  # alternate screen, no cursor, no line wrap
_LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_KEYS = {
    "\x1b[A": "up", "\x1bOA": "up", "\x1b[B": "down", "\x1bOB": "down", "\x1b[5~": "page up", "\x1b[6~": "page down",
    "\x1b[H": "home", "\x1b[1~": "home", "\x1b[F": "end", "\x1b[4~": "end", "\x1b": "escape",
    "\r": "enter", "\n": "enter", "\x7f": "backspace", "\b": "backspace",
}  # fmt: skip
_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)
_ESCAPE_SECS = 0.05
"""An escape sequence arrives at once; a person who pressed Esc is slower."""


def is_interactive() -> bool:
    """Whether a person can see the screen and press keys."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class Terminal:
    """Context that takes over the terminal and always gives it back, also after Ctrl-C, SIGTERM or an exception."""

    def __init__(self) -> None:
        self._input, self._output = sys.stdin.fileno(), sys.stdout.fileno()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._drawn: list[str] = []
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)

    def __enter__(self) -> Self:
        self._settings = termios.tcgetattr(self._input)
        self._handlers = {
            signal.SIGWINCH: signal.signal(signal.SIGWINCH, self._on_resize),
            signal.SIGTERM: signal.signal(signal.SIGTERM, _exit),
        }
        tty.setcbreak(self._input)
        mode = termios.tcgetattr(self._input)
        mode[6][termios.VSUSP] = b"\x00"  # a process stopped by Ctrl-Z would leave the terminal as it is here
        termios.tcsetattr(self._input, termios.TCSANOW, mode)
        self._write(_ENTER)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._write(_LEAVE)
        termios.tcsetattr(self._input, termios.TCSAFLUSH, self._settings)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        os.close(self._wake_read)
        os.close(self._wake_write)

    def size(self) -> tuple[int, int]:
        """Returns columns and lines."""
        columns, lines = os.get_terminal_size(self._output)
        return columns or 80, lines or 24  # a terminal that does not know its size reports 0

    def draw(self, lines: Sequence[str]) -> None:
        """Shows lines from the top. Writes only those that changed."""
        changed = [
            f"\x1b[{row + 1};1H{line}\x1b[0m\x1b[K"
            for row, line in enumerate(lines)
            if row >= len(self._drawn) or self._drawn[row] != line
        ]
        if len(lines) < len(self._drawn):
            changed.append(f"\x1b[{len(lines) + 1};1H\x1b[J")
        self._drawn = list(lines)
        if changed:
            self._write("".join(changed))

    def wait(self, timeout_secs: float) -> list[str]:
        """Returns the keys that were pressed, `resize` among them, or nothing after `timeout_secs`."""
        ready, _, _ = select.select([self._input, self._wake_read], [], [], timeout_secs)
        keys = []
        if self._wake_read in ready:
            os.read(self._wake_read, 4096)
            self._drawn = []
            self._write("\x1b[2J")
            keys.append("resize")
        if self._input in ready:
            keys += self._read_keys()
        return keys

    def _read_keys(self) -> list[str]:
        data = os.read(self._input, 4096)
        if not data:
            raise SystemExit(0)  # the terminal was closed
        if data.endswith(b"\x1b") and select.select([self._input], [], [], _ESCAPE_SECS)[0]:
            data += os.read(self._input, 4096)
        return [_KEYS.get(key, key) for key in _KEY.findall(self._decoder.decode(data))]

    def _on_resize(self, number: int, frame: FrameType | None) -> None:
        try:
            os.write(self._wake_write, b"\x00")
        except BlockingIOError:
            pass  # the pipe is full, so the loop wakes up anyway

    def _write(self, text: str) -> None:
        data = text.encode(sys.stdout.encoding or "utf-8", "replace")
        while data:
            data = data[os.write(self._output, data) :]


def _exit(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
