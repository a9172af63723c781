"""A copy of `kinds/_skeleton` under another name, and runs with such data.

The browser tests run it: `python copied_kind.py write KIND RUN STEP…` logs points, and
`python copied_kind.py copy KIND FOLDER` copies the template.
"""

import sys
import time
from pathlib import Path

import numpy as np

from fake_run import tensor_value
from lossboard import kinds
from lossboard.events.summary import encode_event
from lossboard.events.tensors import encode_array
from reference import frame

SKELETON = Path(kinds.__file__).with_name("_skeleton")


def copy_skeleton(kind: str, target: Path) -> None:
    """Does what the instructions for a new kind say: copies the folder and renames what is named after it."""
    (target / kind).mkdir(parents=True)
    for file in SKELETON.glob("*.py"):
        text = file.read_text("utf-8").replace("_skeleton", kind).replace("skeleton", kind)
        (target / kind / file.name).write_text(text.replace("Skeleton", kind.capitalize()), "utf-8")


def write_points(kind: str, run: Path, steps: list[int], *, start: float = 1000.0) -> None:
    """Appends points of the tag `oil` to the event file of a run."""
    run.mkdir(parents=True, exist_ok=True)
    with (run / "events.out.tfevents.1.host").open("ab") as out:
        for step in steps:
            value = tensor_value("oil", kind, encode_array(np.zeros((2, 3 + step), np.float32)))
            out.write(frame(encode_event(start + step, step, values=[value])))


if __name__ == "__main__":
    command, kind, path, *steps = sys.argv[1:]
    if command == "copy":
        copy_skeleton(kind, Path(path))
    else:
        write_points(kind, Path(path), [int(step) for step in steps], start=time.time())
