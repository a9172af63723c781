import io
import sys

import numpy as np
import pytest

from lossboard.train.config import Config
from lossboard.train.reporting.progress import LiveView, Pace, make_view
from lossboard.train.reporting.train_log import StepResult
from lossboard.train.runs.run_dir import console_log, new_run
from lossboard.train.tasks.classification import ClassificationEvaluation

LOGITS = np.array([[2.0, 0.0], [0.0, 2.0]], np.float32)
EVALUATION = ClassificationEvaluation(LOGITS, np.array([0, 0]), np.arange(2), ("bad", "good"))


def update(loss: float) -> StepResult:
    return StepResult(
        loss,
        0.5,
        1e-4,
        1.0,
        examples=32,
        tokens=900,
        tokens_with_padding=1000,
        micro_batch=32,
        seconds=0.5,
    )


def test_output_without_a_terminal_is_plain_lines(capsys):
    view = make_view(total_steps=2, first_step=0, metric="accuracy", visible=True)
    view.log_step(1, update(0.7), memory_mb=512.0)
    view.log_step(2, update(0.6), memory_mb=512.0)
    view.log_evaluation(2, train=EVALUATION, validation=EVALUATION)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("step 1/2  loss 0.7000  lr 1.00e-04  64.0 samples/s  512 MB")
    assert lines[1].startswith("step 2/2  loss 0.6900")
    assert lines[2] == "step 2  train loss 1.1269  validation loss 1.1269  accuracy 50.00% of 2"


def test_non_finite_loss_is_left_out_of_the_average():
    pace = Pace(total_steps=3, first_step=0, metric="accuracy")
    for step, loss in enumerate([0.5, float("nan"), 0.5], start=1):
        pace.log_step(step, update(loss), memory_mb=1.0)
    assert pace.loss == pytest.approx(0.5)


def test_live_view_writes_plain_lines_to_the_console_log(tmp_path, monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "__stdout__", terminal)
    run = new_run(Config(runs_dir=tmp_path))
    with console_log(run):
        view = LiveView(Pace(total_steps=4, first_step=0, metric="accuracy"))
        view.log_step(4, update(0.7), memory_mb=512.0)
        view.log_evaluation(4, train=EVALUATION, validation=EVALUATION)
        view.log_step(4, update(0.7), memory_mb=512.0)
        view.close()
    assert "4/4" in terminal.getvalue() and "accuracy 50.00% of 2" in terminal.getvalue()
    assert "loss 0.7000  accuracy 50.0%  lr 1.00e-04" in terminal.getvalue()
    kept = (run.path / "console.log").read_text()
    assert kept == "step 4  train loss 1.1269  validation loss 1.1269  accuracy 50.00% of 2\n"


def test_workers_other_than_rank_0_print_nothing(capsys):
    view = make_view(total_steps=1, first_step=0, metric="accuracy", visible=False)
    view.log_step(1, update(0.7), memory_mb=1.0)
    view.say("nothing")
    view.close()
    assert capsys.readouterr().out == ""
