"""Logger for Lightning: `Trainer(logger=LossboardLogger("runs", name="bert"))`."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lightning.fabric.loggers.logger import rank_zero_experiment
from lightning.pytorch.loggers.logger import Logger
from lightning_utilities.core.rank_zero import rank_zero_only

from lossboard.writer import SummaryWriter


class LossboardLogger(Logger):
    """Logs to <save_dir>/<name>/<version>. The default version is the next free `version_<n>`.

    With `log_graph`, also logs the graph of a module that has an `example_input_array`.
    """

    def __init__(
        self,
        save_dir: str | os.PathLike[str] = "runs",
        name: str = "lightning",
        version: str | int | None = None,
        *,
        log_graph: bool = False,
    ) -> None:
        super().__init__()
        self._save_dir = os.fspath(save_dir)
        self._name = name
        self._version = f"version_{version}" if isinstance(version, int) else version
        self._log_graph = log_graph
        self._experiment: SummaryWriter | None = None

    @property
    @rank_zero_experiment
    def experiment(self) -> SummaryWriter:
        """Returns the writer, for data that Lightning itself does not log."""
        if self._experiment is None:
            self._experiment = SummaryWriter(self.log_dir)
        return self._experiment

    @property
    def save_dir(self) -> str:
        return self._save_dir

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> str:
        if self._version is None:
            taken = {path.name for path in (Path(self._save_dir) / self._name).glob("version_*")}
            self._version = next(f"version_{n}" for n in range(len(taken) + 1) if f"version_{n}" not in taken)
        return self._version

    @property
    def root_dir(self) -> str:
        return str(Path(self._save_dir) / self._name)

    @property
    def log_dir(self) -> str:
        return str(Path(self.root_dir) / self.version)

    @rank_zero_only
    def log_hyperparams(self, params: dict[str, Any] | Namespace, *args: Any, **kwargs: Any) -> None:
        config = vars(params) if isinstance(params, Namespace) else params
        self.experiment.add_config(config)

    @rank_zero_only
    def log_metrics(self, metrics: Mapping[str, float], step: int | None = None) -> None:
        self.experiment.add_scalars_dict(metrics, step)

    @rank_zero_only
    def log_graph(self, model: Any, input_array: Any = None) -> None:
        example = getattr(model, "example_input_array", None) if input_array is None else input_array
        if self._log_graph and example is not None:
            self.experiment.add_graph(model, example)

    @rank_zero_only
    def save(self) -> None:
        self.experiment.flush()

    @rank_zero_only
    def finalize(self, status: str) -> None:
        if self._experiment is not None:
            self._experiment.close()
