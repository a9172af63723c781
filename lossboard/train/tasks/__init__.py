"""Tasks that a model can be fine-tuned for. `task.py` says what a task is; each other module has one of them.

Not here: what a framework computes (`engines`), and what is logged of an evaluation (`reporting`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lossboard.errors import UsageError
from lossboard.train.config import TaskName
from lossboard.train.data.columns import GivenColumns
from lossboard.train.data.table import Table
from lossboard.train.models.heads import HEADS
from lossboard.train.models.own_parts import TASK_KEY
from lossboard.train.tasks.classification import Classification
from lossboard.train.tasks.multi_label import MultiLabel
from lossboard.train.tasks.question_answering import QuestionAnswering
from lossboard.train.tasks.regression import Regression
from lossboard.train.tasks.task import Task
from lossboard.train.tasks.token_classification import TokenClassification

# In the order in which data is compared with them. The last one fits any data.
_ALL: tuple[type[Task], ...] = (QuestionAnswering, TokenClassification, MultiLabel, Regression, Classification)
TASKS: dict[TaskName, type[Task]] = {task.name: task for task in _ALL}


def detect_task(table: Table, given: GivenColumns) -> type[Task]:
    """Returns the task that the columns and values of a table are for."""
    return next(task for task in TASKS.values() if task.fits(table, given))


def saved_task(folder: Path) -> Task:
    """Returns the task that a checkpoint was trained for, with its classes."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if name := config.get(TASK_KEY):
        return TASKS[name].from_classes(_class_names(config))
    architecture = (config.get("architectures") or [""])[0]
    tasks = [task for task in TASKS.values() if architecture.endswith(HEADS[task.head].model_class)]
    if not tasks:
        raise UsageError(f"{folder} was not trained for a task that Lossboard knows: {architecture or 'no head'}.")
    names = _class_names(config)
    if len(names) == 1:
        # transformers takes a single output as a number, if a checkpoint does not say what it is.
        config.setdefault("problem_type", "regression")
    settings = (all(config.get(name) == value for name, value in task.model_settings.items()) for task in tasks)
    # Checkpoints of others may not say more than their head.
    chosen = next((task for task, fits in zip(tasks, settings, strict=True) if fits), tasks[-1])
    return chosen.from_classes(names)


def _class_names(config: Mapping[str, Any]) -> list[str]:
    names: dict[str, str] = config.get("id2label") or {}
    return [names[index] for index in sorted(names, key=int)]
