"""Tasks that a model can be fine-tuned for. `task.py` says what a task is; each other module has one of them.

Not here: what a framework computes (`engines`), and what is logged of an evaluation (`reporting`).
"""

from __future__ import annotations

import json
from pathlib import Path

from lossboard.errors import UsageError
from lossboard.train.config import TaskName
from lossboard.train.data.columns import GivenColumns
from lossboard.train.data.table import Table
from lossboard.train.models.heads import HEADS
from lossboard.train.tasks.classification import Classification
from lossboard.train.tasks.task import Task

# In the order in which data is compared with them. The last one fits any data.
TASKS: dict[TaskName, type[Task]] = {task.name: task for task in (Classification,)}


def detect_task(table: Table, given: GivenColumns) -> type[Task]:
    """Returns the task that the columns and values of a table are for."""
    return next(task for task in TASKS.values() if task.fits(table, given))


def saved_task(folder: Path) -> Task:
    """Returns the task that a checkpoint was trained for, with its classes."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    architecture = (config.get("architectures") or [""])[0]
    for task in TASKS.values():
        settings = {name: config.get(name) for name in task.model_settings}
        if architecture.endswith(HEADS[task.head].model_class) and settings == dict(task.model_settings):
            names: dict[str, str] = config.get("id2label") or {}
            return task.from_classes([names[index] for index in sorted(names, key=int)])
    raise UsageError(f"{folder} was not trained for a task that Lossboard knows: {architecture or 'no head'}.")
