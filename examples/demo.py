"""Makes the demo logdir from small real trainings, in seconds: a sweep over digits, a text model, melodies and a mesh.

    python examples/demo.py .cache/demo

A run appears in the logdir when it is complete. So this can be killed at any time, and then makes what is missing.
"""

import contextlib
import fcntl
import importlib
import io
import shutil
import sys
from pathlib import Path
from typing import Any

# The module of each run, and the arguments of its `train`. The sweep has one learning rate that is too high.
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"digits/lr{rate:g}-width{width}": ("digits", {"learning_rate": rate, "width": width})
        for rate in (0.001, 0.01, 0.1)
        for width in (4, 8)
    },
    "digits/lr0.01-restarted": ("digits", {"learning_rate": 0.01, "interrupt_at": 60}),
    "char-gpt": ("char_gpt", {"batch_size": 16, "max_iters": 100, "eval_interval": 20, "histogram_interval": 20}),
    "denoise": ("denoise", {}),
    "surface": ("surface", {}),
}


def main(logdir: Path) -> None:
    """Makes the missing runs, one after the other. Other processes wait meanwhile."""
    logdir.mkdir(parents=True, exist_ok=True)
    with (logdir.parent / f".{logdir.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [name for name in RUNS if not (logdir / name).exists()]
        for number, name in enumerate(missing, 1):
            print(f"Training for the demo, {number} of {len(missing)}: {name}", flush=True)
            make_run(logdir, name)


def make_run(logdir: Path, name: str) -> None:
    import torch  # late, because it takes seconds, and most of the time no run is missing

    torch.set_num_threads(1)  # the models are too small for more
    module, arguments = RUNS[name]
    part = logdir.parent / f".{logdir.name}.part"
    shutil.rmtree(part, ignore_errors=True)  # of a process that was killed
    with contextlib.redirect_stdout(io.StringIO()):
        importlib.import_module(module).train(part, **arguments)
    (logdir / name).parent.mkdir(parents=True, exist_ok=True)
    part.rename(logdir / name)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
    except KeyboardInterrupt:
        sys.exit(130)
