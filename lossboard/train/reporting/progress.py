"""Console output of training: a live view in a terminal or a notebook, plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING, Protocol

from lossboard.train.tasks.metrics import format_metric

if TYPE_CHECKING:
    from lossboard.train.reporting.step_result import StepResult
    from lossboard.train.tasks.task import Evaluation

# Seconds between two plain lines.
LINE_SECS = 5.0


class View(Protocol):
    def log_step(self, step: int, result: StepResult, *, memory_mb: float) -> None: ...
    def log_evaluation(self, step: int, *, train: Evaluation, validation: Evaluation) -> None: ...
    def say(self, line: str) -> None: ...
    def close(self) -> None: ...


def make_view(*, total_steps: int, first_step: int, metric: str, visible: bool, board_url: str = "") -> View:
    from lossboard.train.reporting.notebook import NotebookView, is_notebook

    if not visible:
        return Silent()
    pace = Pace(total_steps, first_step, metric)
    if is_notebook():
        return NotebookView(pace, board_url=board_url)
    view = LiveView(pace) if sys.stdout.isatty() else Lines(pace)
    if board_url:
        view.say(f"Board: {board_url}")
    return view


class Pace:
    """Numbers that both views show: a smoothed loss, the last metric, the speed, the time left."""

    def __init__(self, total_steps: int, first_step: int, metric: str) -> None:
        self.total_steps, self.first_step, self.started = total_steps, first_step, time.monotonic()
        self.metric = metric
        self.step, self.lr, self.samples_per_second, self.memory_mb = first_step, 0.0, 0.0, 0.0
        self.loss, self.evaluated = math.nan, ""

    def log_step(self, step: int, result: StepResult, memory_mb: float) -> None:
        weight = 0.0 if self.step == self.first_step else 0.9
        self.step, self.lr, self.memory_mb = step, result.lr, memory_mb
        if result.is_finite:
            self.loss = result.loss if math.isnan(self.loss) else 0.9 * self.loss + 0.1 * result.loss
        speed = result.examples / result.seconds
        self.samples_per_second = weight * self.samples_per_second + (1 - weight) * speed

    def log_evaluation(self, validation: Evaluation) -> None:
        self.evaluated = format_metric(self.metric, validation.metrics()[self.metric], digits=1) + "  "

    def left(self) -> str:
        done = self.step - self.first_step
        seconds = (time.monotonic() - self.started) / max(1, done) * (self.total_steps - self.step)
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"

    def facts(self) -> tuple[str, str]:
        """Returns two lines: the metrics, and the speed."""
        return (
            f"loss {self.loss:.4f}  {self.evaluated}lr {self.lr:.2e}",
            f"{self.samples_per_second:.1f} samples/s  {self.memory_mb:.0f} MB  {self.left()} left",
        )


class Silent:
    """No output, for workers other than rank 0."""

    def log_step(self, step: int, result: StepResult, *, memory_mb: float) -> None:
        pass

    def log_evaluation(self, step: int, *, train: Evaluation, validation: Evaluation) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def close(self) -> None:
        pass


class Lines:
    """Prints one line every few seconds, for logs and pipes."""

    def __init__(self, pace: Pace) -> None:
        self.pace, self.shown = pace, 0.0

    def log_step(self, step: int, result: StepResult, *, memory_mb: float) -> None:
        self.pace.log_step(step, result, memory_mb)
        if time.monotonic() - self.shown >= LINE_SECS or step == self.pace.total_steps:
            self.shown = time.monotonic()
            self.say("  ".join([f"step {step}/{self.pace.total_steps}", *self.pace.facts()]))

    def log_evaluation(self, step: int, *, train: Evaluation, validation: Evaluation) -> None:
        self.pace.log_evaluation(validation)
        self.say(evaluation_line(step, train, validation, self.pace.metric))

    def say(self, line: str) -> None:
        print(line, flush=True)

    def close(self) -> None:
        pass


class LiveView:
    """A progress bar with the numbers; evaluations and findings scroll above it."""

    def __init__(self, pace: Pace) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        # Draws on the terminal directly: the console log gets plain lines, not control codes.
        columns = (
            BarColumn(bar_width=24),
            TextColumn("{task.completed}/{task.total}"),
            TextColumn("{task.fields[facts]}"),
        )
        self.pace = pace
        self.bar = Progress(
            *columns, console=Console(file=sys.__stdout__), redirect_stdout=False, redirect_stderr=False
        )
        self.task = self.bar.add_task("train", total=pace.total_steps, completed=pace.first_step, facts="")
        self.bar.start()

    def log_step(self, step: int, result: StepResult, *, memory_mb: float) -> None:
        self.pace.log_step(step, result, memory_mb)
        self.bar.update(self.task, completed=step, facts="\n".join(self.pace.facts()))

    def log_evaluation(self, step: int, *, train: Evaluation, validation: Evaluation) -> None:
        self.pace.log_evaluation(validation)
        self.say(evaluation_line(step, train, validation, self.pace.metric))

    def say(self, line: str) -> None:
        self.bar.console.print(line, markup=False, highlight=False)
        write_to_log(line)

    def close(self) -> None:
        self.bar.stop()


def write_to_log(line: str) -> None:
    """Writes a line to the console log of the run, if there is one. For views that do not print it."""
    if log := getattr(sys.stdout, "log_line", None):
        log(line)


def evaluation_line(step: int, train: Evaluation, validation: Evaluation, metric: str) -> str:
    metrics = validation.metrics()
    return (
        f"step {step}  train loss {train.metrics()['loss']:.4f}  validation loss {metrics['loss']:.4f}  "
        f"{format_metric(metric, metrics[metric])} of {len(validation.examples)}"
    )
