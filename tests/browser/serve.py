"""Runs the board for a browser test: `python serve.py FLAGS…`, as the command line does.

The board ends when its stdin closes. The test run holds the other end, so no board outlives it, however it ends.
"""

import os
import sys
import threading

from lossboard.cli.main import main


def exit_with_the_test_run() -> None:
    threading.Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    # Not through sys.stdin: its lock would block the interpreter's exit while this thread waits.
    while os.read(0, 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    exit_with_the_test_run()
    sys.exit(main())
