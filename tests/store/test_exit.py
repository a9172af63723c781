"""A process exits normally while one of its daemon threads is in the core."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.event_file_builder import scalar, write

PROGRAM = """
import sys, threading
from lossboard import SummaryWriter, _core
from lossboard.store.logdir import Logdir
import numpy as np

logdir = Logdir.parse(sys.argv[1])
logdir.poll()
run = logdir.runs["."]
values = np.ones(1 << 20)
writer = SummaryWriter(sys.argv[1] + "/other")
started = threading.Event()

def work():
    while True:
        {work}
        started.set()

for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
started.wait()
"""


@pytest.mark.parametrize(
    "work",
    [
        "_core.ema(values, 0.9)",
        "run.has('scalars', 'loss')",
        "run.column('loss').values.sum()",
        "Logdir.parse(sys.argv[1]).poll()",
        "writer.flush()",
    ],
)
def test_process_exits_cleanly_while_daemon_threads_are_in_the_core(tmp_path: Path, work: str) -> None:
    write(tmp_path, *(scalar(f"tag{i}", 0, i) for i in range(2000)), scalar("loss", 0, 1))
    command = [sys.executable, "-c", PROGRAM.format(work=work), str(tmp_path)]
    for _ in range(4):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
