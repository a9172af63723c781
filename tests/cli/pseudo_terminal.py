"""A program in a pseudo terminal, with its screen as text."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

_SEQUENCE = re.compile(r"\x1b\[\??([0-9;]*)([A-Za-z])")
_TIMEOUT_SECS = 120


class PseudoTerminal:
    """Starts a program. `output` is everything that it wrote, `screen` is what a person sees."""

    def __init__(self, command: Sequence[str], *, columns: int = 100, lines: int = 12, **environment: str) -> None:
        self._master, slave = os.openpty()
        self.slave = slave
        self.settings_before = termios.tcgetattr(slave)
        self._output = b""
        self.resize(columns, lines)
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, preexec_fn=self._take_control,
            env={**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment},
        )  # fmt: skip

    def _take_control(self) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)  # so that resizing and Ctrl-C reach the program as signals

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)
        os.close(self.slave)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def wait_for(self, condition: Callable[[list[str]], Any]) -> list[str]:
        """Reads until the screen fulfills a condition, and returns its lines."""
        deadline = time.monotonic() + _TIMEOUT_SECS
        while not condition(self.screen):
            assert time.monotonic() < deadline, "\n".join(self.screen)
            self._read()
        return self.screen

    def wait_for_end(self) -> int:
        """Reads until the program ends, and returns its status."""
        deadline = time.monotonic() + _TIMEOUT_SECS
        while self.process.poll() is None:
            assert time.monotonic() < deadline, "\n".join(self.screen)
            self._read()
        self._read()
        return self.process.returncode

    def _read(self) -> None:
        if select.select([self._master], [], [], 0.1)[0]:
            self._output += os.read(self._master, 1 << 16)

    @property
    def output(self) -> str:
        return self._output.decode(errors="ignore")  # the last character may be incomplete

    @property
    def screen(self) -> list[str]:
        """The lines that are complete, by the sequences that `lossboard.cli.terminal` writes."""
        lines: dict[int, str] = {}
        row, text, at = 0, "", 0
        output = self.output
        for sequence in _SEQUENCE.finditer(output):
            text += output[at : sequence.start()]
            at = sequence.end()
            numbers, command = sequence.groups()
            if command == "H":
                row, text = int(numbers.split(";")[0]), ""
            elif command == "K":
                lines[row] = text
            elif command == "J":
                lines = {} if numbers == "2" else {number: line for number, line in lines.items() if number < row}
        return [lines.get(number, "") for number in range(1, max(lines, default=0) + 1)]
