"""Logger for Lightning: `Trainer(logger=LossboardLogger("runs", name="bert"))`.

It has the arguments, methods, directories and tags of Lightning's TensorBoardLogger, and needs no TensorBoard.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

from lightning import Callback, LightningModule, Trainer
from lightning.fabric.loggers.logger import rank_zero_experiment
from lightning.pytorch.core.saving import save_hparams_to_yaml
from lightning.pytorch.loggers.logger import Logger
from lightning_utilities.core.rank_zero import rank_zero_only

from lossboard.doctor.guard import Action, Guard, check_actions
from lossboard.writer import SummaryWriter


class LossboardLogger(Logger):
    """Logs to <save_dir>/<name>/<version>/<sub_dir>. The default version is the number after the largest one there is.

    With `log_graph`, also logs the graph of a module that has an `example_input_array`. `prefix` is put before the name
    of each metric, with a dash. With `default_hp_metric`, hyperparameters without metrics get the metric `hp_metric`.
    Other arguments are passed to `SummaryWriter`, for example `purge_step`.
    """

    NAME_HPARAMS_FILE = "hparams.yaml"

    def __init__(
        self,
        save_dir: str | os.PathLike[str] = "runs",
        name: str | None = "lightning_logs",
        version: int | str | None = None,
        log_graph: bool = False,
        default_hp_metric: bool = True,
        prefix: str = "",
        sub_dir: str | os.PathLike[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self._save_dir = os.fspath(save_dir)
        self._name = name or ""
        self._version = version
        self._log_graph = log_graph
        self._default_hp_metric = default_hp_metric
        self._prefix = prefix
        self._sub_dir = None if sub_dir is None else os.fspath(sub_dir)
        self._kwargs = kwargs
        self._experiment: SummaryWriter | None = None
        self.hparams: dict[str, Any] = {}

    @property
    @rank_zero_experiment
    def experiment(self) -> SummaryWriter:
        """The writer, for data that Lightning itself does not log."""
        if self._experiment is None:
            self._experiment = SummaryWriter(self.log_dir, **self._kwargs)
        return self._experiment

    @property
    def save_dir(self) -> str:
        return self._save_dir

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> int | str:
        if self._version is None:
            self._version = self._get_next_version()
        return self._version

    @property
    def root_dir(self) -> str:
        return os.path.join(self._save_dir, self._name)  # noqa: PTH118 with an empty name it ends with a slash, as theirs

    @property
    def sub_dir(self) -> str | None:
        return self._sub_dir

    @property
    def log_dir(self) -> str:
        version = self.version if isinstance(self.version, str) else f"version_{self.version}"
        path = Path(self.root_dir) / version / (self._sub_dir or "")
        return str(Path(os.path.expandvars(path)).expanduser())

    @rank_zero_only
    def log_hyperparams(
        self,
        params: Mapping[str, Any] | Namespace | None,
        metrics: Mapping[str, Any] | float | None = None,
        step: int | None = None,
    ) -> None:
        """Logs hyperparameters, and the metrics to show with them in the table of runs."""
        given = vars(params) if isinstance(params, Namespace) else params or {}
        self.hparams.update(given)
        if metrics is None:
            metrics = {"hp_metric": -1} if self._default_hp_metric else {}
        elif not isinstance(metrics, Mapping):
            metrics = {"hp_metric": metrics}
        self.log_metrics(metrics, step)
        self.experiment.add_config(dict(_flatten(given)), list(metrics), step)

    @rank_zero_only
    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Logs a point of each metric. A metric that is a dictionary becomes a chart with several sub-runs."""
        named = {f"{self._prefix}-{name}" if self._prefix else name: value for name, value in metrics.items()}
        numbers = {name: value for name, value in named.items() if not isinstance(value, Mapping)}
        if numbers:
            self.experiment.add_scalars_dict(numbers, step)
        for name, value in named.items():
            if isinstance(value, Mapping):
                self.experiment.add_scalars(name, value, step)

    @rank_zero_only
    def log_graph(self, model: Any, input_array: Any = None) -> None:
        example = getattr(model, "example_input_array", None) if input_array is None else input_array
        if self._log_graph and example is not None:
            for hook in ("_on_before_batch_transfer", "_apply_batch_transfer_handler"):  # to the model's device
                example = getattr(model, hook, lambda batch: batch)(example)
            self.experiment.add_graph(model, example)

    @rank_zero_only
    def save(self) -> None:
        """Brings the logs to the disk and writes hparams.yaml if there is none yet."""
        self.experiment.flush()
        path = Path(self.log_dir) / self.NAME_HPARAMS_FILE
        if not path.exists():
            save_hparams_to_yaml(str(path), self.hparams)

    @rank_zero_only
    def finalize(self, status: str) -> None:
        if self._experiment is None:
            return
        if status == "success":
            self.save()
        self._experiment.close(finished=status == "success")

    def _get_next_version(self) -> int:
        names = [path.name.removeprefix("version_") for path in Path(self.root_dir).glob("version_*") if path.is_dir()]
        return max((int(name) for name in names if name.isdigit()), default=-1) + 1

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_experiment": None}  # a copy opens its own file


class LossboardGuard(Callback):
    """Judges the run while it is trained. `on` is that of `lossboard.Guard`; "stop" ends the training.

    Reads the logs of the trainer's first logger: `Trainer(logger=LossboardLogger(…), callbacks=[LossboardGuard({…})])`.
    With several workers, the first one judges.
    """

    def __init__(self, on: Mapping[str, Action]) -> None:
        self.guard: Guard | None = None
        self._on = check_actions(on)

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *args: Any, **kwargs: Any) -> None:
        every: int = trainer.log_every_n_steps  # type: ignore[attr-defined] # set by its logger connector
        if trainer.global_step % every == 0:
            self._check(trainer)

    def on_validation_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._check(trainer)

    def _check(self, trainer: Trainer) -> None:
        if self.guard is None and trainer.log_dir is not None:
            self.guard = Guard(trainer.log_dir, self._on)
        if self.guard is not None and trainer.is_global_zero:
            self.guard.check()
        should_stop = self.guard is not None and self.guard.should_stop
        if trainer.strategy.reduce_boolean_decision(should_stop, all=False):
            trainer.should_stop = True


def _flatten(params: Mapping[Any, Any], parent: str = "") -> Iterator[tuple[str, Any]]:
    """Yields hyperparameters by names such as optimizer/lr."""
    for key, value in params.items():
        name = f"{parent}{key}"
        if is_dataclass(value) and not isinstance(value, type):
            value = asdict(value)
        elif isinstance(value, Namespace):
            value = vars(value)
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{name}/")
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            for i, item in enumerate(value):
                yield from _flatten(item, f"{name}/{i}/")
        else:
            yield name, value
