"""Training logger for both engines. Writes event files and console output.

train/…           each step: loss, accuracy, learning_rate, grad_norm, samples_per_second, tokens_per_second,
                  padding_waste, memory_mb, micro_batch, skipped
grad_norm/…       per layer, every detail_interval steps; also update_ratio/…, the change relative to the weights
system/…          CPU, memory and GPUs of each worker, every detail_interval steps
eval/…            train_loss, val_loss, learning_rate: estimates on fixed samples, every eval_interval steps
val/…             the full validation set: loss, accuracy, f1, each class, PR curves, confusion, worst examples
weights/… gradients/…    histograms, every histogram_interval steps
attention/… attention_entropy/…   of fixed probe sentences, every probe_interval steps; embeddings of validation texts
data/… config               as text; hparams with the metrics of the best checkpoint
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from lossboard import SummaryWriter
from lossboard.findings import Finding
from lossboard.train.config import Config, is_due
from lossboard.train.data.batches import Ids
from lossboard.train.distributed.world import World
from lossboard.train.findings import TrainingStopped, no_better_than_chance, rate_too_high, rate_too_low
from lossboard.train.preparation.checks import markdown_report
from lossboard.train.preparation.prepare import PreparedData
from lossboard.train.reporting.evaluation_log import write_evaluation
from lossboard.train.reporting.learning_check import ENOUGH_STEPS, LearningCheck
from lossboard.train.reporting.progress import View, make_view
from lossboard.train.reporting.step_result import Details, StepResult
from lossboard.train.runs.checkpoint import TrainState
from lossboard.train.runs.run_dir import RunDir
from lossboard.train.schedules import total_rate
from lossboard.train.tasks.task import Evaluation, Outputs

# Validation texts in the projector.
EMBEDDED = 500
# Attention maps of all probes at a step, before compression.
MAP_BYTES = 64_000_000
# A training loss below this fraction of the chance loss means that the model has learned something. If its validation
# loss is high nevertheless, it overfits.
LEARNED = 0.9


class TrainLog:
    """Logger of one worker. Rank 0 logs everything; rank k logs its speed and memory in `ranks/k`."""

    def __init__(
        self,
        config: Config,
        run: RunDir,
        prepared: PreparedData,
        *,
        total_steps: int,
        world: World,
        first_step: int = 0,
    ) -> None:
        self.config, self.run, self.prepared, self.total_steps, self.world = config, run, prepared, total_steps, world
        self.task, self.hooks, self.skipped, self.warned = prepared.task, prepared.hooks, 0, False
        self.probed = 0
        balanced = prepared.class_weights is not None or prepared.sampling is not None
        self.chance = self.task.chance_loss(prepared.validation, balanced=False)
        self.train_chance = self.task.chance_loss(prepared.validation, balanced=balanced)
        self.learning = LearningCheck(
            chance_loss=self.train_chance,
            batch_size=config.batch_size,
            travel=total_rate(config, total_steps=total_steps),
        )
        # Points that an earlier process logged after its last checkpoint are superseded.
        has_logs = any(run.logs(world.rank).glob("*.tfevents.*"))
        purge_step = (first_step + 1 if first_step else 0) if has_logs else None
        self.writer: Any = SummaryWriter(str(run.logs(world.rank)), purge_step=purge_step)
        self.view: View = make_view(
            total_steps=total_steps,
            first_step=first_step,
            metric=self.task.metrics[0],
            visible=world.is_main,
            board_url=self.hooks.board.url if self.hooks.board else "",
        )

    def start(self) -> None:
        data, config = self.prepared.data, self.config
        self.say(f"Run {self.run.id}: {len(data.train)} examples, {self.total_steps} steps of {config.batch_size}")
        for note in data.notes:
            self.say(f"  {note}")
        for finding in self.prepared.findings:
            self.say(f"Data {finding.severity}: {finding.message} {finding.advice}")
        if self.world.is_main:
            rows = [f"| {name} | {escape(str(value))} |" for name, value in config.as_dict().items()]
            self.writer.add_text("config", "\n".join(["| setting | value |", "|---|---|", *rows]), 0)
            self.writer.add_text("data/report", markdown_report(data, self.prepared.findings), 0)

    def log_graph(self, model: Any, inputs: Any = None) -> None:
        if self.world.is_main:
            self.writer.add_graph(model, inputs)

    def say(self, line: str) -> None:
        if self.world.is_main:
            self.view.say(line)

    # ---- steps

    def log_step(self, step: int, result: StepResult, details: Details | None) -> None:
        self.skipped += not result.is_finite
        if is_due(self.config.detail_interval, step):
            self.writer.add_system_metrics(step)
        speed = {
            "train/samples_per_second": result.examples / result.seconds,
            "train/tokens_per_second": result.tokens / result.seconds,
            "train/memory_mb": memory_mb(),
        }
        if not self.world.is_main:
            self.writer.add_scalars_dict(speed, step)
            return
        values = speed | {
            "train/loss": result.loss,
            "train/learning_rate": result.lr,
            "train/grad_norm": result.grad_norm,
            "train/padding_waste": 1 - result.tokens / result.tokens_with_padding,
            "train/micro_batch": result.micro_batch,
            "train/skipped": self.skipped,
        }
        if not math.isnan(result.accuracy):
            values["train/accuracy"] = result.accuracy
        if details:
            values |= {f"grad_norm/{layer}": value for layer, value in details.grad_norms.items()}
            values |= {f"update_ratio/{layer}": value for layer, value in details.update_ratios.items()}
        self.writer.add_scalars_dict(values, step)
        self.view.log_step(step, result, memory_mb=speed["train/memory_mb"])
        if self.hooks.on_step:
            self.hooks.on_step(step, values)
        self._check_rate(step, result)

    def wants_histograms(self, step: int) -> bool:
        return is_due(self.config.histogram_interval, step)

    def log_histograms(self, step: int, tensors: Iterable[tuple[str, Any]]) -> None:
        """Logs histograms by tag. Every worker must call this, because iterating gathers the shards."""
        for tag, values in tensors:
            if self.world.is_main:
                self.writer.add_histogram(tag, values, step)

    # ---- evaluations

    def log_estimate(self, step: int, *, train: Evaluation, estimate: Evaluation, lr: float) -> None:
        if not self.world.is_main:
            return
        values = {"eval/learning_rate": lr}
        for name, evaluation in (("train", train), ("val", estimate)):
            metrics = evaluation.metrics()
            values |= {f"eval/{name}_{metric}": metrics[metric] for metric in ("loss", self.task.metrics[0])}
        self.writer.add_scalars_dict(values, step)
        self.view.log_evaluation(step, train=train, validation=estimate)
        self._check_learning(step, estimate)

    def log_evaluation(self, step: int, validation: Evaluation) -> None:
        if not self.world.is_main:
            return
        split = self.prepared.data.validation
        write_evaluation(self.writer, validation, split, self.task, prefix="val", step=step)
        if self.hooks.on_evaluation:
            self.hooks.on_evaluation(step, validation.metrics() | validation.class_metrics())
        self._check_learning(step, validation)

    def _check_rate(self, step: int, result: StepResult) -> None:
        """Reports a learning rate that the losses and gradients of the steps show to be wrong."""
        judgment, rate = self.learning.observe(result), self.config.learning_rate
        if judgment is None or self.warned:
            return
        self.warned = True
        loss, norm = judgment.loss, judgment.grad_norm
        if judgment.verdict == "too-high":
            self.log_finding(
                rate_too_high(
                    step,
                    loss=loss,
                    grad_norm=norm,
                    guess=self.task.guess,
                    chance=self.train_chance,
                    learning_rate=rate,
                )
            )
        else:
            first = judgment.first_loss
            self.log_finding(rate_too_low(step, loss=loss, first_loss=first, grad_norm=norm, learning_rate=rate))

    def _check_learning(self, step: int, validation: Evaluation) -> None:
        """Reports a model that halfway through the run is no better than chance, on either set."""
        loss = validation.metrics()["loss"]
        halfway = step >= max(ENOUGH_STEPS, self.total_steps // 2)
        learned = self.learning.judge().loss < LEARNED * self.train_chance
        if halfway and loss >= self.chance and not learned and not self.warned:
            self.warned = True
            rate = self.config.learning_rate
            self.log_finding(
                no_better_than_chance(step, loss=loss, guess=self.task.guess, chance=self.chance, learning_rate=rate)
            )

    def log_embeddings(self, step: int, rows: Ids, outputs: Outputs) -> None:
        """Logs the embedding that the head reads for these validation texts, the same at each step."""
        if not self.world.is_main:
            return
        data, split = self.prepared.validation, self.prepared.data.validation
        examples = data.examples[rows[:EMBEDDED]]
        self.writer.add_embedding(
            outputs.features[:EMBEDDED],
            metadata=[[self.task.label_text(split, i), " ".join(split.texts[i].split())] for i in examples],
            metadata_header=["label", "text"],
            tag="val/cls",
            global_step=step,
        )

    def log_attention(self, step: int, probes: Ids, maps: list[npt.NDArray[np.float32]]) -> None:
        """Logs attention maps of shape (layer, head, from, to), one for each probe sentence."""
        if not self.world.is_main:
            return
        # Large maps are kept only at some of the steps, so that they stay within the budget on average.
        every = -(-sum(attention.size for attention in maps) // MAP_BYTES)
        keep: Literal["maps", "summary"] = "maps" if every <= 1 or self.probed % every == 0 else "summary"
        self.probed += 1
        for number, (row, attention) in enumerate(zip(probes, maps, strict=True)):
            tokens = self.prepared.tokenizer.tokens(self.prepared.probe_data.ids(row).tolist())
            self.writer.add_attention(
                f"attention/probe_{number}",
                attention,
                tokens,
                step,
                keep=keep,
                statistics=number == 0,  # scalars for each head of one text only, because there are many
            )

    # ---- findings and the end of the run

    def log_finding(self, finding: Finding) -> None:
        self.say(str(finding))
        self._record(finding)

    def _record(self, finding: Finding) -> None:
        if not self.world.is_main:
            return
        self.run.append_finding(finding)
        self.writer.flush()
        if self.hooks.on_finding:
            self.hooks.on_finding(finding)

    def stop(self, finding: Finding) -> NoReturn:
        """Records the finding and stops the run. Whoever catches the error prints it."""
        self._record(finding)
        self.close()
        raise TrainingStopped(finding)

    def save_bad_batch(self, step: int, batch: Ids, result: StepResult) -> str:
        """Saves the examples of a skipped step, and returns the file."""
        name = f"bad-batch-{step:06d}.json"
        split = self.prepared.data.train
        examples = [
            {
                "place": split.location(i),
                "text": split.texts[i],
                "pair": split.pairs and split.pairs[i],
                "label": self.task.label_text(split, i),
            }
            for i in self.prepared.train.examples[batch]
        ]
        if self.world.is_main:
            facts = {
                "step": step,
                "loss": repr(result.loss),
                "grad_norm": repr(result.grad_norm),
                "learning_rate": result.lr,
            }
            self.run.write_json(name, facts | {"examples": examples})
        return str(self.run.path / name)

    def finish(self, last: Evaluation, state: TrainState) -> None:
        """Writes the result: the metrics of the best checkpoint, and those of the last step beside them."""
        if self.world.is_main:
            best = state.best_metrics or last.metrics()
            settings = {name: value for name, value in self.config.as_dict().items() if value is not None}
            hparams = {f"hparam/{name}": value for name, value in best.items()}
            self.writer.add_hparams(settings, hparams, run_name=".", global_step=state.step)
            facts: dict[str, Any] = {"task": self.task.name, "metric": self.prepared.metric}
            facts |= {"step": state.step, "best_step": state.best_step, "skipped": state.skipped}
            self.run.write_json("result.json", {**facts, **best, "last": last.metrics()})
        self.close()

    def close(self) -> None:
        self.view.close()
        self.writer.close()


def memory_mb() -> float:
    """Returns the resident memory of this process, or its peak if the system reports no more."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * 4096 / 2**20
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
