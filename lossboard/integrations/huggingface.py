"""Callback for the transformers Trainer: `Trainer(..., callbacks=[LossboardCallback("runs/bert")])`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from lossboard.writer import SummaryWriter

_PREFIXES = {"eval_": "eval/", "test_": "test/"}


class LossboardCallback(TrainerCallback):
    """Logs the Trainer's metrics under the tags of its TensorBoard callback, and its settings.

    `log_dir` is by default runs/ in the Trainer's output_dir. With `watch_every`, also logs norms and histograms of
    parameters and gradients every so many backward passes.
    """

    def __init__(self, log_dir: str | os.PathLike[str] | None = None, *, watch_every: int | None = None) -> None:
        self.log_dir = log_dir
        self.watch_every = watch_every
        self.writer: SummaryWriter | None = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if not state.is_world_process_zero:
            return
        writer = self.writer = self.writer or SummaryWriter(self.log_dir or f"{args.output_dir}/runs")
        model = kwargs.get("model")
        config = getattr(model, "config", None)
        model_config = json.loads(config.to_json_string()) if config is not None else {}
        writer.add_config({"args": json.loads(args.to_json_string()), "model": model_config})
        if self.watch_every is not None and model is not None:
            writer.watch(model, every=self.watch_every, step=lambda: state.global_step)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if self.writer is None or not state.is_world_process_zero:
            return
        found = {_tag(name): value for name, value in (logs or {}).items()}
        numbers = {tag: value for tag, value in found.items() if isinstance(value, (int, float))}
        self.writer.add_scalars_dict(numbers, state.global_step)
        for tag, value in found.items():
            if isinstance(value, str):
                self.writer.add_text(tag, value, state.global_step)

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if self.writer is not None:
            self.writer.close()


def _tag(name: str) -> str:
    """Returns the tag of a metric: `eval/loss` for `eval_loss`, `train/loss` for `loss`."""
    for prefix, folder in _PREFIXES.items():
        if name.startswith(prefix):
            return folder + name.removeprefix(prefix)
    return f"train/{name}"
