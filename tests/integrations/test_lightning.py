"""The logger in a real Lightning Trainer."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import torch

from lossboard.kinds.graphs.decode import graphs
from lossboard.kinds.hparams.decode import sessions
from lossboard.store.logdir import Logdir
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
    assert LossboardLogger(tmp_path, "toy").version == "version_1"
