"""Findings of a training run: one function for each problem that the training loop reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lossboard.errors import LossboardError
from lossboard.findings import Finding, Location, Severity


@dataclass(frozen=True)
class _Code:
    severity: Severity
    why: str
    ends_run: bool = False


# Every code that a run can report.
CODES = {
    "memory": _Code("note", "A step that runs out of memory is computed twice."),
    "does-not-fit": _Code("error", "No further step can be computed.", ends_run=True),
    "not-finite": _Code("warning", "One NaN or infinite gradient would make all weights NaN."),
    "diverged": _Code("error", "Once every step is non-finite, the model no longer learns.", ends_run=True),
    "not-learning": _Code("warning", "A model that is no better than chance has learned nothing from the texts."),
    "interrupted": _Code("note", "The run is incomplete.", ends_run=True),
    "worker-failed": _Code("error", "Each step needs all workers.", ends_run=True),
    "resumed": _Code("note", "The step continues where the last checkpoint ends."),
    "killed": _Code("warning", "The work since the last checkpoint was lost."),
    "refused": _Code("error", "No training started."),
}


# Examples that a finding names.
MAX_NAMED = 5
# Learning rates that fine-tune BERT.
MAX_USUAL_RATE = 1e-4
_USUAL_RATES = "BERT usually trains with 1e-5 to 1e-4."


class TrainingStopped(LossboardError):
    """Training ended early because more steps would have been useless. The checkpoints are kept."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


def _finding(code: str, step: int, message: str, advice: str = "", **evidence: float | int | str) -> Finding:
    return Finding(
        code=code,
        severity=CODES[code].severity,
        message=message,
        why=CODES[code].why,
        advice=advice,
        evidence=evidence,
        location=Location(first_step=step, last_step=step),
    )


def out_of_memory(step: int, *, before: int, after: int) -> Finding:
    return _finding(
        "memory",
        step,
        f"A micro-batch of {before} did not fit in memory. The step was repeated with a micro-batch of {after}, "
        "and gradients are accumulated over more of them.",
        f"Start with --micro-batch-size {after} next time. --gradient-checkpointing or a lower --max-length also help.",
        micro_batch_before=before,
        micro_batch_after=after,
    )


def planned(step: int, *, wanted: int, micro_batch: int, free: str) -> Finding:
    return _finding(
        "memory",
        step,
        f"According to the memory plan, a micro-batch of {wanted} does not fit in the free memory: {free}. "
        f"The micro-batch is {micro_batch}, and gradients are accumulated up to the batch size.",
        "Set --micro-batch-size to override this. `lossboard plan` shows the numbers.",
        micro_batch_before=wanted,
        micro_batch_after=micro_batch,
    )


def no_memory_for_probes(step: int) -> Finding:
    return _finding(
        "memory",
        step,
        "There was not enough memory to compute the attention maps of the probe sentences. Training continues.",
        "Turn probes off with --probe-interval 0, or lower --micro-batch-size.",
    )


def does_not_fit(step: int, *, error: str, micro_batch: int | None = None) -> Finding:
    """Reports an OOM that a smaller micro-batch cannot solve. `micro_batch` is None outside of a step."""
    fits = "Not even one example fits in memory" if micro_batch == 1 else "Memory ran out"
    smaller = "" if micro_batch == 1 else "Lower --micro-batch-size. "
    return _finding(
        "does-not-fit",
        step,
        f"{fits}, so training stopped ({error}).",
        f"{smaller}Lower --max-length, use --gradient-checkpointing or --frozen-layers, or choose a smaller model. "
        "`lossboard plan` shows what fits.",
    )


def not_finite(
    step: int, *, loss: float, grad_norm: float, batch_file: str, rows: Sequence[str] | None = ()
) -> Finding:
    """Reports a skipped step. `rows` are the examples whose output is not finite; None means all of the batch."""
    if rows is None:
        cause = "The output is not finite for every example of the batch."
    elif rows:
        cause = f"The output is not finite for {', '.join(rows[:MAX_NAMED])}{' …' if len(rows) > MAX_NAMED else ''}."
    else:
        cause = "The output of each single example is finite."
    finding = _finding(
        "not-finite",
        step,
        f"The loss was {loss:g} and the gradient norm {grad_norm:g}. "
        f"The step was skipped, so the weights did not change. {cause}",
        f"The examples of the batch are in {batch_file}.",
        loss=loss,
        grad_norm=grad_norm,
        batch_file=batch_file,
    )
    return replace(finding, location=replace(finding.location, rows=tuple(rows or ())[:MAX_NAMED]))


def diverged(step: int, *, times: int, learning_rate: float, precision: str, checkpoint: str) -> Finding:
    other = "Use --precision fp32 or bf16." if precision == "fp16" else "Look for broken examples in the saved batches."
    return _finding(
        "diverged",
        step,
        f"{times} consecutive steps had a non-finite loss or gradient, so training stopped. "
        f"The weights from before these steps are in {checkpoint}.",
        f"Lower the learning rate (it was {learning_rate:.2g}, try {learning_rate / 10:.2g}), "
        f"increase --warmup, or lower --max-grad-norm. {other}",
        steps=times,
        learning_rate=learning_rate,
    )


def rate_too_high(
    step: int, *, loss: float, grad_norm: float, guess: str, chance: float, learning_rate: float
) -> Finding:
    """Reports a loss that has risen above `chance`, the loss of a guess that `guess` describes."""
    return _finding(
        "not-learning",
        step,
        f"The training loss has risen to {loss:.3g}, with a gradient norm of {grad_norm:.3g}. "
        f"{guess} gives {chance:.3f}.",
        f"The learning rate ({learning_rate:.2g}) is too high. Try {learning_rate / 10:.2g}, or increase --warmup. "
        f"{_USUAL_RATES}",
        loss=loss,
        grad_norm=grad_norm,
        chance_loss=chance,
        learning_rate=learning_rate,
    )


def rate_too_low(step: int, *, loss: float, first_loss: float, grad_norm: float, learning_rate: float) -> Finding:
    return _finding(
        "not-learning",
        step,
        f"The training loss has not changed: it was {first_loss:.3f} and is {loss:.3f}. "
        f"There are gradients to follow (norm {grad_norm:.2g}), but the weights hardly move.",
        f"The learning rate ({learning_rate:.2g}) is too low for the length of this run. {_USUAL_RATES}",
        loss=loss,
        first_loss=first_loss,
        grad_norm=grad_norm,
        learning_rate=learning_rate,
    )


def no_better_than_chance(step: int, *, loss: float, guess: str, chance: float, learning_rate: float) -> Finding:
    high = learning_rate > MAX_USUAL_RATE
    rate = (
        f"The learning rate ({learning_rate:.2g}) may be too high. {_USUAL_RATES} Otherwise check" if high else "Check"
    )
    return _finding(
        "not-learning",
        step,
        f"The validation loss is {loss:.3f}. {guess} gives {chance:.3f}.",
        f"{rate} that the labels belong to the texts, and that the tokenizer belongs to the model.",
        loss=loss,
        chance_loss=chance,
        learning_rate=learning_rate,
    )


def interrupted(step: int, *, run: str) -> Finding:
    """Reports a stopped run. `step` is that of its last checkpoint; 0 without one."""
    kept = "The last checkpoint includes this step." if step else "There is no checkpoint yet."
    return _finding("interrupted", step, f"Training was interrupted. {kept}", f"Resume with: --resume {run}")


def worker_failed(step: int, *, error: str, run: str) -> Finding:
    """Reports the end of a run because of one worker. `step` is that of its last checkpoint; 0 without one."""
    return _finding("worker-failed", step, f"Training stopped. {error}", f"Resume with: --resume {run}")


def resumed(step: int, *, after: str) -> Finding:
    """Reports a resumed run. `after` is the code of its last finding; without one that ends a run, it was killed."""
    if after in CODES and CODES[after].ends_run:
        return _finding("resumed", step, "The run resumes from its last checkpoint.")
    return _finding(
        "killed",
        step,
        "The previous process ended without shutting down (killed, or the machine went down). "
        "The run resumes from its last checkpoint, and its results do not change.",
        "If a container's memory limit killed it, the limit is too low for this run: see `lossboard plan`.",
    )


def refused(message: str) -> Finding:
    return _finding("refused", 0, message)
