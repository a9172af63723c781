"""What is logged of an evaluation: metrics, PR curves, the confusion matrix and the worst examples."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from lossboard.train.data.split import Split
from lossboard.train.reporting.confusion import confusion_figure, confusion_table
from lossboard.train.tasks.task import Evaluation, Task

# Examples in the table of the worst.
WORST = 20


def write_evaluation(writer: Any, evaluation: Evaluation, split: Split, task: Task, *, prefix: str, step: int) -> None:
    """Logs an evaluation under tags that start with `prefix`, e.g. `val/accuracy`."""
    values = evaluation.metrics() | evaluation.class_metrics()
    writer.add_scalars_dict({f"{prefix}/{name}": value for name, value in values.items()}, step)
    for name, labels, probabilities in evaluation.pr_curves():
        writer.add_pr_curve(f"{prefix}/{name}", labels, probabilities, step)
    if (confusion := evaluation.confusion()) is not None:
        writer.add_text(f"{prefix}/confusion", confusion_table(confusion, task.classes), step)
        figure = confusion_figure(confusion, task.classes)
        writer.add_image(f"{prefix}/confusion", figure, step, dataformats="HWC")
    writer.add_text(f"{prefix}/worst", _worst_table(evaluation, split, task), step)


def _worst_table(evaluation: Evaluation, split: Split, task: Task) -> str:
    """Returns the examples with the highest loss, which often have a wrong label."""
    rows = ["| loss | label | predicted | text | where |", "|---|---|---|---|---|"]
    for index in np.argsort(-evaluation.losses, kind="stable")[:WORST]:
        example = int(evaluation.examples[index])
        text = " / ".join([split.texts[example]] + ([split.pairs[example]] if split.pairs else []))
        cells = (
            f"{evaluation.losses[index]:.2f}",
            _cell(task.label_text(split, example)),
            _cell(evaluation.predicted(index)),
            _cell(text),
            split.location(example),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(text: str) -> str:
    """Returns the start of a text as a cell of a Markdown table."""
    return escape(" ".join(text.split())[:300]).replace("|", "\\|")
