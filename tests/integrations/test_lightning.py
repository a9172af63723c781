"""The logger in a real Lightning Trainer."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from lossboard.kinds.graphs.decode import graphs
from lossboard.kinds.hparams.decode import sessions
from lossboard.store.logdir import Logdir
from writer.event_protos import contents
from writer.read_events import scalars


def test_logger_logs_a_lightning_training(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import lightning

        from lossboard.integrations.lightning import LossboardLogger

        class Module(lightning.LightningModule):
            example_input_array = torch.zeros(1, 3)

            def __init__(self, lr: float, amp: bool) -> None:
                super().__init__()
                self.save_hyperparameters()
                self.layer = torch.nn.Linear(3, 1)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return self.layer(x)

            def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
                loss = self(batch[0]).pow(2).mean()
                self.log("train/loss", loss)
                return loss

            def configure_optimizers(self) -> Any:
                return torch.optim.SGD(self.parameters(), lr=self.hparams["lr"])

        data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 3)), batch_size=2)
        loggers = [LossboardLogger(tmp_path, "toy", log_graph=True), LossboardLogger(tmp_path, "toy", version=7)]
        for logger in loggers:
            trainer = lightning.Trainer(
                max_epochs=2,
                logger=logger,
                log_every_n_steps=1,
                accelerator="cpu",
                enable_progress_bar=False,
                enable_model_summary=False,
                enable_checkpointing=False,
            )
            trainer.fit(Module(lr=0.1, amp=True), data)
    assert sorted(path.name for path in (tmp_path / "toy").iterdir()) == ["version_0", "version_7"]
    points = scalars(tmp_path / "toy" / "version_0")["train/loss"]
    assert [step for step, _ in points] == list(range(8))
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    run = logdir.runs["toy/version_0"]
    (session,) = sessions(run)
    assert session.hparams == {"lr": 0.1, "amp": True}
    (graph,) = graphs(run)
    assert any("Linear[layer]" in node.name for node in graph.nodes)
    assert LossboardLogger(tmp_path, "toy").version == 8, "the number after the largest"
    hparams = (tmp_path / "toy" / "version_0" / "hparams.yaml").read_text()
    assert hparams.split() == ["amp:", "true", "lr:", "0.1"]


@pytest.fixture
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@dataclass
class Optimizer:
    name: str = "adam"


PARAMS = {
    "lr": 0.1, "model": {"layers": 2, "act": torch.nn.ReLU}, "amp": True, "sizes": [1, 2], "opt": Optimizer(),
    "stages": [{"width": 4}, {"width": 8}], "space": Namespace(seed=3),
}  # fmt: skip


def log_everything(logger: Any) -> None:
    logger.log_hyperparams(Namespace(**PARAMS), {"best": 0.5}, 1)
    logger.log_metrics({"loss": torch.tensor(0.25), "acc": 1}, 3)
    logger.log_metrics({"both": {"train": 0.5, "val": 0.75}}, 4)
    logger.experiment.add_text("note", "hello", 5)
    logger.save()
    logger.finalize("success")


def without_config_text(found: dict[str, Any]) -> dict[str, Any]:
    return {name: [row for row in rows if row[1] != "config/text_summary"] for name, rows in found.items()}


@pytest.mark.usefixtures("_quiet")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"name": None},
        {"name": "n", "version": 3},
        {"version": "final", "sub_dir": "inner", "prefix": "p"},
        {"purge_step": 2, "filename_suffix": ".end"},
    ],
)
def test_logger_writes_what_lightnings_own_writes(tmp_path: Path, arguments: dict[str, Any]) -> None:
    from lightning.pytorch.loggers import TensorBoardLogger

    from lossboard.integrations.lightning import LossboardLogger

    for who, kind in (("theirs", TensorBoardLogger), ("ours", LossboardLogger)):
        logger = kind(str(tmp_path / who), **arguments)
        log_everything(logger)
        assert logger.save_dir == str(tmp_path / who)
    theirs, ours = contents(tmp_path / "theirs"), contents(tmp_path / "ours")
    assert set(ours) == set(theirs)
    events = {name for name in theirs if not name.endswith(".yaml")}
    yaml = set(theirs) - events
    assert {name: ours[name] for name in yaml} == {name: theirs[name] for name in yaml}
    written = without_config_text({name: ours[name] for name in events})
    expected = without_config_text({name: theirs[name] for name in events})
    for rows in (written, expected):  # a bool stays a bool, a class is logged by its name
        for name in rows:
            rows[name] = [row[:2] if "hparams" in row[2:3] else row for row in rows[name]]
    assert written == expected


@pytest.mark.usefixtures("_quiet")
def test_arguments_match_lightnings_own() -> None:
    from lightning.pytorch.loggers import TensorBoardLogger

    from lossboard.integrations.lightning import LossboardLogger

    theirs = inspect.signature(TensorBoardLogger.__init__).parameters
    ours = inspect.signature(LossboardLogger.__init__).parameters
    assert list(ours) == list(theirs)
    defaults = {name: parameter.default for name, parameter in theirs.items() if name != "save_dir"}
    assert {name: ours[name].default for name in defaults} == defaults
    public = {name for name in dir(TensorBoardLogger) if not name.startswith("_")} - {"LOGGER_JOIN_CHAR"}
    assert public <= set(dir(LossboardLogger))


@pytest.mark.usefixtures("_quiet")
def test_hyperparameters_are_logged_with_and_without_metrics(tmp_path: Path) -> None:
    from lossboard.integrations.lightning import LossboardLogger

    cases: dict[str, dict[str, Any]] = {"default": {}, "none": {"default_hp_metric": False}}
    for name, arguments in cases.items():
        logger = LossboardLogger(tmp_path, name, 0, **arguments)
        logger.log_hyperparams(PARAMS)
        logger.finalize("success")
    logger = LossboardLogger(tmp_path, "number", 0)
    logger.log_hyperparams({"lr": 1.0}, 0.5)
    logger.finalize("success")
    assert scalars(tmp_path / "default" / "version_0") == {"hp_metric": [(0, -1.0)]}
    assert scalars(tmp_path / "none" / "version_0") == {}
    assert scalars(tmp_path / "number" / "version_0") == {"hp_metric": [(0, 0.5)]}
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    for name in cases:
        (session,) = sessions(logdir.runs[f"{name}/version_0"])
        assert session.hparams == {
            "lr": 0.1, "model/layers": 2.0, "model/act": "ReLU", "amp": True, "sizes": "[1, 2]", "opt/name": "adam",
            "stages/0/width": 4.0, "stages/1/width": 8.0, "space/seed": 3.0,
        }  # fmt: skip


@pytest.mark.usefixtures("_quiet")
def test_logger_is_copied_and_pickled_after_use(tmp_path: Path) -> None:
    from lossboard.integrations.lightning import LossboardLogger

    logger = LossboardLogger(tmp_path, "toy")
    logger.log_metrics({"loss": 1.0}, 1)
    for step, other in enumerate((copy.deepcopy(logger), pickle.loads(pickle.dumps(logger))), 2):  # noqa: S301 our own
        assert other.log_dir == logger.log_dir
        other.log_metrics({"loss": float(step)}, step)
        other.finalize("success")
    logger.finalize("failed")
    assert scalars(tmp_path / "toy" / "version_0") == {"loss": [(1, 1.0), (2, 2.0), (3, 3.0)]}


def test_guard_stops_a_training_whose_loss_is_nan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import lightning

    from lossboard.integrations.lightning import LossboardGuard, LossboardLogger

    monkeypatch.setattr("lossboard.doctor.guard._PAUSE_FACTOR", 0)

    class Module(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(3, 1)

        def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
            loss = self.layer(batch[0]).pow(2).mean() * (float("nan") if index == 2 else 1)
            self.log("train/loss", loss)
            return loss

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(16, 3)), batch_size=2)
    guard = LossboardGuard(on={"non-finite": "stop"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = lightning.Trainer(
            max_epochs=2,
            logger=LossboardLogger(tmp_path, "toy"),
            callbacks=[guard],
            log_every_n_steps=1,
            accelerator="cpu",
            enable_progress_bar=False,
            enable_model_summary=False,
            enable_checkpointing=False,
        )
        trainer.fit(Module(), data)
    assert guard.guard is not None and guard.guard.should_stop
    assert trainer.global_step in (3, 4), "the logger has a step's loss at that step or the next"
