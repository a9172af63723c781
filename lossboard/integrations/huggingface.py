"""Transformers: a callback for its Trainer, and the attention weights of its models.

Trainer(..., callbacks=[LossboardCallback("runs/bert")])
writer.add_attention("probe", attention_of(model, inputs), tokens, step)
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any, Literal

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from lossboard.doctor.guard import Action, Guard, check_actions
from lossboard.writer import ModelWatch, SummaryWriter, default_run_dir

_log = logging.getLogger("lossboard")
_PREFIXES = {"eval_": "eval/", "test_": "test/"}


class LossboardCallback(TrainerCallback):
    """Logs the Trainer's metrics under the tags of its TensorBoard callback, and its settings.

    `log_dir` is by default a new directory for each training, runs/<date>_<host> in the Trainer's output_dir. With
    `watch_every`, also logs norms and histograms of parameters and gradients every so many backward passes.
    """

    def __init__(self, log_dir: str | os.PathLike[str] | None = None, *, watch_every: int | None = None) -> None:
        self.log_dir = log_dir
        self.watch_every = watch_every
        self.writer: SummaryWriter | None = None
        self._watch: ModelWatch | None = None
        self._has_trained = False
        self._skipped: set[str] = set()

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if not state.is_world_process_zero:
            return
        if self._has_trained and self.log_dir is None:
            self.writer = None  # another training is another run
        self._has_trained = True
        model = kwargs.get("model")
        writer = self._open(args, state, model)
        if self.watch_every is not None and model is not None:
            self._watch = writer.watch(model, every=self.watch_every, step=lambda: state.global_step)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not state.is_world_process_zero:
            return
        writer = self._open(args, state, kwargs.get("model"))  # evaluate() may come without train()
        found = {_tag(name): value for name, value in (logs or {}).items()}
        numbers = {tag: value for tag, value in found.items() if isinstance(value, (Real, Decimal))}
        writer.add_scalars_dict(numbers, state.global_step)
        for tag, value in found.items():
            if isinstance(value, str):
                writer.add_text(tag, value, state.global_step)
            elif tag not in numbers and tag not in self._skipped:
                self._skipped.add(tag)
                _log.warning("Metric %s is not logged: it is a %s, not a number or text.", tag, type(value).__name__)

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if self._watch is not None:
            self._watch.remove()
            self._watch = None
        if self.writer is not None:
            self.writer.close()

    def _open(self, args: TrainingArguments, state: TrainerState, model: Any) -> SummaryWriter:
        if self.writer is None:
            self.writer = SummaryWriter(self.log_dir or _new_run_dir(args, state))
            config = getattr(model, "config", None)
            model_config = json.loads(config.to_json_string()) if config is not None else {}
            self.writer.add_config({"args": json.loads(args.to_json_string()), "model": model_config})
        return self.writer


class LossboardGuard(TrainerCallback):
    """Judges the run while it is trained. `on` is that of `lossboard.Guard`; "stop" ends the training.

    `run` is the `LossboardCallback` that logs it, or the directory of its logs:
    `callbacks=[logger, LossboardGuard(logger, {"non-finite": "stop"})]`. With several workers, the first one judges.
    """

    def __init__(self, run: LossboardCallback | str | os.PathLike[str], on: Mapping[str, Action]) -> None:
        self.guard: Guard | None = None
        self._run = run
        self._on = check_actions(on)

    def on_log(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if state.is_world_process_zero and (guard := self._open()) is not None:
            guard.check()
        should_stop = self.guard is not None and self.guard.should_stop
        if _decision_of_first_worker(should_stop):
            control.should_training_stop = True

    def _open(self) -> Guard | None:
        if self.guard is None:
            run = self._run.writer if isinstance(self._run, LossboardCallback) else self._run
            self.guard = Guard(run, self._on) if run is not None else None
        return self.guard


def _decision_of_first_worker(should_stop: bool) -> bool:
    """Returns what the first worker decided, so that all of them stop at the same step."""
    import torch
    from torch import distributed

    if not (distributed.is_available() and distributed.is_initialized()):
        return should_stop
    device = torch.device("cuda", torch.cuda.current_device()) if distributed.get_backend() == "nccl" else "cpu"
    flag = torch.tensor(int(should_stop), device=device)
    distributed.broadcast(flag, src=0)
    return bool(flag.item())


def _new_run_dir(args: TrainingArguments, state: TrainerState) -> Path:
    """Returns a directory that does not exist yet, with the name of the trial of a hyperparameter search."""
    wanted = Path(args.output_dir or ".") / default_run_dir("")
    if state.is_hyper_param_search and state.trial_name is not None:
        wanted = wanted / state.trial_name
    run_dir, n = wanted, 1
    while run_dir.exists():
        n += 1
        run_dir = wanted.with_name(f"{wanted.name}_{n}")
    return run_dir


def _tag(name: str) -> str:
    """Returns the tag of a metric: `eval/loss` for `eval_loss`, `train/loss` for `loss`."""
    for prefix, folder in _PREFIXES.items():
        if name.startswith(prefix):
            return folder + name.removeprefix(prefix)
    return f"train/{name}"


def attention_of(
    model: Any, inputs: Mapping[str, Any], *, part: Literal["self", "encoder", "decoder", "cross"] = "self"
) -> list[Any]:
    """Returns the attention weights of one text: for each layer a tensor of 1 × heads × queries × keys.

    Runs the model once, in evaluation mode and without gradients, with the implementation that returns weights, and
    restores both. `inputs` is what a tokenizer returns for one text. `part` is for encoder–decoder models.
    """
    import torch

    fast, was_training = model.config._attn_implementation, model.training
    model.eval()
    model.set_attn_implementation("eager")
    try:
        with torch.no_grad():
            outputs = model(**inputs, output_attentions=True)
    finally:
        model.set_attn_implementation(fast)
        model.train(was_training)
    weights = outputs.get("attentions" if part == "self" else f"{part}_attentions")
    if weights is None:
        known = [name.removesuffix("_attentions") for name in outputs if name.endswith("_attentions")]
        advice = f"Set part to one of: {', '.join(known)}." if known else "It is not a model that returns attention."
        raise ValueError(f"{type(model).__name__} returned no {part} attention. {advice}")
    return list(weights)
