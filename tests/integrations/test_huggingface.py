"""The callback in a real Trainer, compared with the Trainer's own TensorBoard callback."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from lossboard import SummaryWriter
from writer.read_events import scalars


class Texts(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.arange(6) + index, "labels": torch.tensor(index % 2)}


def trainer(folder: Path, *callbacks: Any) -> Any:
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    args = TrainingArguments(
        output_dir=str(folder / "out"),
        num_train_epochs=2,
        per_device_train_batch_size=4,
        logging_steps=1,
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )
    model = BertForSequenceClassification(BertConfig(vocab_size=50, **sizes))
    return Trainer(model, args, train_dataset=Texts(), eval_dataset=Texts(), callbacks=list(callbacks))


def runs(folder: Path) -> list[Path]:
    return sorted({path.parent for path in (folder / "out").rglob("*tfevents*")})


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_callback_logs_the_same_as_the_trainers_own(tmp_path: Path) -> None:
    from transformers.integrations import TensorBoardCallback

    from lossboard.integrations.huggingface import LossboardCallback

    trainer(
        tmp_path,
        LossboardCallback(tmp_path / "ours", watch_every=2),
        TensorBoardCallback(TorchWriter(str(tmp_path / "torch"))),
        TensorBoardCallback(SummaryWriter(tmp_path / "their callback, our writer")),
    ).train()
    theirs = scalars(tmp_path / "torch")
    assert {"train/loss", "train/learning_rate", "eval/loss"} <= set(theirs)
    assert scalars(tmp_path / "their callback, our writer") == theirs
    ours = scalars(tmp_path / "ours")
    assert {tag: points for tag, points in ours.items() if tag in theirs} == theirs
    assert [step for step, _ in ours["gradients_norm/classifier.weight"]] == [0, 2, 4]


def test_evaluate_without_train_is_logged(tmp_path: Path) -> None:
    from lossboard.integrations.huggingface import LossboardCallback

    trainer(tmp_path, LossboardCallback()).evaluate()
    (run,) = runs(tmp_path)
    assert [step for step, _ in scalars(run)["eval/loss"]] == [0]


def test_trainings_in_the_default_directory_are_separate_runs(tmp_path: Path) -> None:
    from lossboard.integrations.huggingface import LossboardCallback

    first = trainer(tmp_path, LossboardCallback())
    first.train()
    first.evaluate()
    (run,) = runs(tmp_path)
    assert [step for step, _ in scalars(run)["eval/loss"]] == [3, 6, 6], "the last is the evaluation after training"
    first.train()
    trainer(tmp_path, LossboardCallback()).train()
    assert len(runs(tmp_path)) == 3
    for run in runs(tmp_path):
        assert [step for step, _ in scalars(run)["train/loss"]] == [1, 2, 3, 4, 5, 6]


def test_metrics_that_are_no_numbers_are_skipped_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from transformers import TrainerControl, TrainerState, TrainingArguments
    from transformers.integrations import TensorBoardCallback

    from lossboard.integrations.huggingface import LossboardCallback

    args = TrainingArguments(output_dir=str(tmp_path / "out"), report_to="none", use_cpu=True)
    state, control = TrainerState(is_world_process_zero=True), TrainerControl()
    metrics = {"loss": 1.5, "tensor": torch.tensor(1.5), "complex": 1j, "none": None, "list": [1.0], "note": "text"}
    for callback in (
        TensorBoardCallback(TorchWriter(str(tmp_path / "torch"))),
        LossboardCallback(tmp_path / "ours"),
    ):
        callback.on_train_begin(args, state, control)
        callback.on_log(args, state, control, logs=metrics)
        callback.on_log(args, state, control, logs=metrics)
        callback.on_train_end(args, state, control)
    assert scalars(tmp_path / "ours") == scalars(tmp_path / "torch") == {"train/loss": [(0, 1.5)] * 2}
    warned = [record.getMessage() for record in caplog.records if record.name == "lossboard"]
    assert [message.split()[1] for message in warned] == ["train/tensor", "train/complex", "train/none", "train/list"]


def test_attention_of_returns_weights_and_restores_the_model() -> None:
    from transformers import BertConfig, BertModel

    from lossboard.integrations.huggingface import attention_of

    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    model = BertModel(BertConfig(vocab_size=20, **sizes)).train()
    weights = attention_of(model, {"input_ids": torch.tensor([[1, 2, 3]])})
    assert [layer.shape for layer in weights] == [(1, 2, 3, 3)] * 2
    assert all(torch.allclose(layer.sum(-1), torch.ones(1, 2, 3)) and not layer.requires_grad for layer in weights)
    assert (model.config._attn_implementation, model.training) == ("sdpa", True)


def test_attention_of_an_encoder_decoder_model_needs_its_part() -> None:
    from transformers import T5Config, T5ForConditionalGeneration

    from lossboard.integrations.huggingface import attention_of

    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    model = T5ForConditionalGeneration(T5Config(vocab_size=20, decoder_start_token_id=0, **sizes))
    inputs = {"input_ids": torch.tensor([[1, 2, 3]]), "decoder_input_ids": torch.tensor([[0, 4]])}
    assert attention_of(model, inputs, part="cross")[0].shape == (1, 2, 2, 3)
    with pytest.raises(ValueError, match=r"Set part to one of: .*cross"):
        attention_of(model, inputs)


def test_guard_stops_a_training_whose_loss_is_nan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import TrainerCallback

    from lossboard.integrations.huggingface import LossboardCallback, LossboardGuard

    monkeypatch.setattr("lossboard.doctor.guard._PAUSE_FACTOR", 0)

    class Break(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if state.global_step == 2:
                with torch.no_grad():
                    next(kwargs["model"].parameters()).fill_(float("nan"))

    logger = LossboardCallback(tmp_path / "run")
    guard = LossboardGuard(logger, on={"non-finite": "stop"})
    training = trainer(tmp_path, Break(), logger, guard)
    training.args.logging_nan_inf_filter = False
    training.train()
    assert training.state.global_step == 3, "the first step whose loss is NaN"
    assert guard.guard is not None and guard.guard.should_stop
