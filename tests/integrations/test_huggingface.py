"""The callback in a real Trainer, compared with the Trainer's own TensorBoard callback."""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from lossboard import SummaryWriter
from lossboard.integrations.huggingface import LossboardCallback
from writer.read_events import scalars


class Texts(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.arange(6) + index, "labels": torch.tensor(index % 2)}


def test_callback_logs_the_same_as_the_trainers_own(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
        from transformers.integrations import TensorBoardCallback

        sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
        model = BertForSequenceClassification(BertConfig(vocab_size=50, **sizes))
        args = TrainingArguments(
            output_dir=str(tmp_path / "out"),
            num_train_epochs=2,
            per_device_train_batch_size=4,
            logging_steps=1,
            eval_strategy="epoch",
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        callbacks = [
            LossboardCallback(tmp_path / "ours", watch_every=2),
            TensorBoardCallback(TorchWriter(str(tmp_path / "torch"))),
            TensorBoardCallback(SummaryWriter(tmp_path / "their callback, our writer")),
        ]
        Trainer(model, args, train_dataset=Texts(), eval_dataset=Texts(), callbacks=callbacks).train()
    theirs = scalars(tmp_path / "torch")
    assert {"train/loss", "train/learning_rate", "eval/loss"} <= set(theirs)
    assert scalars(tmp_path / "their callback, our writer") == theirs
    ours = scalars(tmp_path / "ours")
    assert {tag: points for tag, points in ours.items() if tag in theirs} == theirs
    assert [step for step, _ in ours["gradients_norm/classifier.weight"]] == [0, 2, 4]
