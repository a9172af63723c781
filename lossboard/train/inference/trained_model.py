"""TrainedModel: the model of a run, ready to predict and to be evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lossboard.errors import DataError, UsageError
from lossboard.train.config import Config, EngineName
from lossboard.train.data.columns import GivenColumns
from lossboard.train.data.split import Split
from lossboard.train.data.table import Table
from lossboard.train.data.tables import read_table
from lossboard.train.data.text_list import table_of_texts
from lossboard.train.data.tokenization import Tokenizer
from lossboard.train.hooks import NO_HOOKS, Hooks
from lossboard.train.inference.forward import Forward, compute_outputs, input_chunks
from lossboard.train.models.own_parts import check_own_part, stored_part
from lossboard.train.preparation.examples import read_split
from lossboard.train.runs.run_dir import RunDir
from lossboard.train.runs.trained_model import find_checkpoint
from lossboard.train.tasks import saved_task
from lossboard.train.tasks.task import Evaluation, Prediction, Task

BATCH_SIZE = 32
# Examples whose predictions are in memory at a time.
CHUNK_EXAMPLES = 1024
MAX_NAMED = 5


@dataclass(frozen=True)
class TrainedModel:
    """A checkpoint, its task and its tokenizer. `config` has the settings that the run was trained with."""

    checkpoint: Path
    task: Task
    tokenizer: Tokenizer
    forward: Forward
    config: Config

    def with_settings(self, **settings: Any) -> TrainedModel:
        """Returns the model with other settings than those of its run, such as `max_length` or `text_column`."""
        return replace(self, config=self.config.replace(**settings))

    def predict_all(self, texts: str | Path | Sequence[str] | Sequence[tuple[str, str]]) -> list[Prediction]:
        """Returns a prediction for each text of a file, or of a list of texts or text pairs."""
        if isinstance(texts, (str, Path)):
            return list(self.predict(read_rows(Path(texts))))
        if not len(texts):
            return []
        model = self.with_settings(text_column="text", pair_column=_pair_column(texts))
        return list(model.predict(table_of_texts(texts)))

    def predict(self, table: Table, *, batch_size: int = BATCH_SIZE) -> Iterator[Prediction]:
        """Yields a prediction for each row, in order. Labels are not needed. Memory does not grow with the rows."""
        columns = self.task.choose_inputs(table, self._given())
        split = Split("new", table, columns, np.arange(len(table)), np.zeros(len(table), np.int64), _no_keys(table))
        data = self.task.encode(self.tokenizer, split, max_length=self.config.max_length)
        for rows in input_chunks(data, examples=CHUNK_EXAMPLES):
            outputs = compute_outputs(self.forward, self.task, data, rows, batch_size=batch_size)
            yield from self.task.predictions(outputs, data, rows)

    def evaluate(self, table: Table, *, batch_size: int = BATCH_SIZE) -> tuple[Evaluation, Split]:
        """Returns the metrics on labeled rows, and the rows."""
        columns = self.task.choose_columns(table, self._given())
        split = read_split("test", table, columns, self.task)
        self._refuse_invalid(split)
        data = self.task.encode(self.tokenizer, split, max_length=self.config.max_length)
        rows = np.arange(len(data))
        outputs = compute_outputs(self.forward, self.task, data, rows, batch_size=batch_size)
        return self.task.evaluate(outputs, data, rows), split

    def _given(self) -> GivenColumns:
        return GivenColumns(self.config.text_column, self.config.pair_column, self.config.label_column)

    def _refuse_invalid(self, split: Split) -> None:
        invalid = self.task.invalid_rows(split.labels)
        if len(invalid):
            why = self.task.why_invalid(split.table, split.columns, int(invalid[0]))
            places = ", ".join(split.locations(invalid[:MAX_NAMED].tolist()))
            raise DataError(
                f"{len(invalid)} of {len(split)} examples cannot be evaluated: {places}. The first has {why}. "
                "Remove or correct them."
            )


def _no_keys(table: Table) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Returns placeholders. Keys find duplicates between training and validation sets, which are not involved here."""
    return np.zeros(len(table), np.uint64)


def _pair_column(texts: Sequence[Any]) -> str | None:
    return None if isinstance(texts[0], str) else "pair"


def load(
    name: str | Path, *, runs_dir: str | Path = "runs", engine: EngineName | None = None, hooks: Hooks = NO_HOOKS
) -> TrainedModel:
    """Loads the model of a run, by its id or directory, or a checkpoint directory in Hugging Face format.

    Settings such as the maximum length are those of the run. The engine is the one that the run was trained with.
    A run with an own head or model needs `hooks` that have it. It gets the trained weights.
    """
    checkpoint = find_checkpoint(name, Path(runs_dir))
    part = stored_part(checkpoint)
    call = f"lossboard.train.load({str(name)!r}, hooks=Hooks({part}=…))"
    check_own_part(hooks, part, where=str(name), call=call)
    config = _run_config(checkpoint)
    task = saved_task(checkpoint)
    if (engine or config.engine) == "tensorflow":
        from lossboard.train.inference.keras_forward import KerasForward

        forward: Forward = KerasForward(checkpoint, task, hooks=hooks)
    else:
        from lossboard.train.inference.torch_forward import TorchForward

        forward = TorchForward(checkpoint, task, hooks=hooks)
    return TrainedModel(checkpoint, task, Tokenizer(checkpoint), forward, config)


def _run_config(checkpoint: Path) -> Config:
    """Returns the settings of the run that a checkpoint belongs to; the defaults if it belongs to none."""
    run = run_of(checkpoint)
    return run.config() if run else Config()


def run_of(checkpoint: Path) -> RunDir | None:
    """Returns the run that a checkpoint is in: `<run>/checkpoints/<checkpoint>`."""
    run = RunDir(checkpoint.absolute().parent.parent)
    return run if run.checkpoints == checkpoint.absolute().parent and (run.path / "config.json").is_file() else None


def read_rows(path: Path, *, header: bool | None = None) -> Table:
    """Reads a file of texts."""
    if path.is_dir():
        raise UsageError(f"{path} is a directory. Give a file of texts.")
    return read_table(path, header=header)
