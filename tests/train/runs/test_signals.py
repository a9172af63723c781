"""Signals during training, in processes of their own: a signal that is not caught ends them."""

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal
from lossboard.train.runs.signals import GracefulStop

try:
    with GracefulStop({argument}) as stop:
        {body}
except RuntimeError:
    os.kill(os.getpid(), signal.SIGTERM)
    print("recorded")
    os.kill(os.getpid(), signal.SIGTERM)
print("ended", stop.requested)
os.kill(os.getpid(), signal.SIGTERM)
"""
FAIL = 'raise RuntimeError("connection closed")'
SIGNAL = "os.kill(os.getpid(), signal.SIGTERM)"


@pytest.mark.parametrize(
    ("argument", "body", "output"),
    [
        ("", FAIL, ""),
        ("hold_after_error=True", FAIL, "recorded\n"),
        ("hold_after_error=True", SIGNAL, "ended True\n"),
    ],
    ids=["an error restores the handlers", "an error holds the first signal", "without an error nothing is held"],
)
def test_signal_after_the_context_ends_the_process_unless_it_is_held(argument, body, output):
    program = PROGRAM.format(argument=argument, body=body)
    done = subprocess.run([sys.executable, "-u", "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == output
    assert done.returncode != 0
    if "KeyboardInterrupt" not in done.stderr:
        assert done.returncode == -signal.SIGTERM
