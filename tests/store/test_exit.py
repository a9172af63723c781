"""A process exits normally while its daemon threads are in the core."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.event_file_builder import event, record, scalar, summary, tensor, text_tensor, write

# A program that starts a thread for each expression and ends as soon as each was evaluated once.
PROGRAM = """
import math, sys, threading
import numpy as np
from lossboard import SummaryWriter, _core
from lossboard.store.logdir import Logdir

logdir = Logdir.parse(sys.argv[1])
logdir.poll()
run = logdir.runs["."]
native = run._native
values = np.arange(1 << 18, dtype=np.float64)
line = (values, 0.0, values, values)
rows = np.random.default_rng(0).random((400, 8), dtype=np.float32)
start = np.ascontiguousarray(rows[:, :2])
pca = _core.pca(rows, 2, _core.Progress())
near = _core.neighbors(rows, 5, exact=True, seed=0, progress=_core.Progress())
writer = SummaryWriter(sys.argv[1] + "/other")
stats = _core.ScalarStats("loss")
stats.update([native])

def repeat(call, started):
    while True:
        call()
        started.set()

def make_row(*fields):  # Python code that the core calls
    return fields

events = []
for work in sys.argv[2:]:
    events.append(threading.Event())
    call = eval("lambda: " + work)
    threading.Thread(target=repeat, args=(call, events[-1]), daemon=True).start()
for event in events:
    event.wait()
"""

ENTRY_POINTS = {
    "polling": ["Logdir.parse(sys.argv[1]).poll()", "logdir.stats()"],
    "series of a run": [
        "list(native.index(make_row))",
        "native.has('scalars', 'loss')",
        "native.points('scalars', 'loss').values.sum()",
        "native.attempts('scalars', 'loss').hidden.sum()",
    ],
    "messages of a run": [
        "native.points('text', 'note').read(0)",
        "native.metadata('note')",
    ],
    "state of a run": [
        "native.summary()",
        "native.is_finished",
        "native.files()",
        "native.places()",
        "native.notes()",
        "native.assets()",
        "native.invalidate_asset(b'none')",
    ],
    "statistics": ["_core.ScalarStats('loss').update([native])", "stats.value_at(0)"],
    "smoothing": ["_core.ema(values, 0.9)", "_core.running_mean(values, 5)", "_core.gaussian(values, 3.0)"],
    "charts": [
        "_core.sample_lines([line] * 4, -math.inf, math.inf, 500)",
        "_core.x_extent([line] * 4)",
        "_core.density([line] * 4, 0, 1e5, 100, 100, math.nan, math.nan, False)",
        "_core.bin_counts(values)",
    ],
    "projections": [
        "_core.pca(rows, 2, _core.Progress())",
        "pca.transform(rows)",
        "_core.neighbors(rows, 5, exact=False, seed=0, progress=_core.Progress())",
        "_core.distances(rows, rows[0], cosine=True)",
        "_core.layout_quality(rows, start, k=5, samples=50, seed=0)",
        "_core.place_rows(rows, start, rows, seed=0, progress=_core.Progress())",
    ],
    "layouts": [
        "_core.umap(*near, start, epochs=[5], min_dist=0.1, seed=0, progress=_core.Progress())",
        "_core.tsne(*near, start, perplexity=2.0, learning_rate=0.0, exaggerated_iterations=5, iterations=5,"
        " progress=_core.Progress())",
    ],
    "writing": [
        "writer.flush()",
        "writer.add_scalar('x', 1.0, 1)",
        "writer.add_scalar('x', np.float32(1), np.int64(1))",  # converted by Python code
        "writer._file.waiting",
        "SummaryWriter(sys.argv[1] + '/more').close()",
    ],
}


@pytest.mark.parametrize("works", ENTRY_POINTS.values(), ids=ENTRY_POINTS)
def test_process_exits_cleanly_while_daemon_threads_are_in_the_core(tmp_path: Path, works: list[str]) -> None:
    note = record(event(0, summary(tensor("note", text_tensor("x"), plugin="text"))))
    write(tmp_path, *(scalar(f"tag{i}", 0, i) for i in range(2000)), scalar("loss", 0, 1), note)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), *works]
    for _ in range(4):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
