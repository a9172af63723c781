"""Fine-tuning kit: trains a BERT model on labeled text. torch and Keras are imported only when training starts.

`config.py` has the settings, `runner.py` starts a run, and `engines` trains it. Each package says what is in it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError
from lossboard.train.config import Config, EngineName
from lossboard.train.hooks import NO_HOOKS, Hooks

if TYPE_CHECKING:
    from pathlib import Path

    from lossboard.train.inference.trained_model import TrainedModel
    from lossboard.train.runner import Result
    from lossboard.train.tasks.task import Prediction

__all__ = ["Config", "Hooks", "finetune", "load", "predict", "resume"]

# OpenMP reads this when torch is imported. By default its threads spin while they wait for each other. If a board, a
# browser or anything else needs the cores, a step then takes 2.5 times as long and 3 times the CPU seconds.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def finetune(config: Config | None = None, *, hooks: Hooks = NO_HOOKS, **settings: Any) -> Result:
    """Fine-tunes a model. Settings given by name override the config. `hooks` has own metrics, callbacks and models.

    `data` and `val_data` may be paths or Python objects: a DataFrame, a list of dicts, a `datasets.Dataset`, a torch
    `Dataset` or `DataLoader`, or a `tf.data.Dataset`.
    """
    from lossboard.train.data.python_rows import stored_settings
    from lossboard.train.runner import finetune

    settings = {**settings, **({"model": _checkpoint(settings["model"])} if "model" in settings else {})}
    paths = {name: value for name, value in settings.items() if name not in ("data", "val_data")}
    chosen = (config or Config()).replace(**paths)
    return finetune(chosen.replace(**stored_settings(settings, chosen)), hooks)


def _checkpoint(model: Any) -> str:
    """Returns the checkpoint as text. The name of this argument makes people pass the model itself."""
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    raise UsageError(
        f"model is a {type(model).__name__}. Set model to the directory of a checkpoint, which has the tokenizer, "
        "and pass the object as hooks=Hooks(model=…)."
    )


def resume(run: str, runs_dir: str = "runs", *, hooks: Hooks = NO_HOOKS) -> Result:
    """Resumes a run, by id or directory; `last` is the newest unfinished run."""
    from pathlib import Path

    from lossboard.train.runner import resume

    return resume(run, Path(runs_dir), hooks)


def load(
    run: str | Path, runs_dir: str | Path = "runs", *, engine: EngineName | None = None, hooks: Hooks = NO_HOOKS
) -> TrainedModel:
    """Loads the model of a run, by id or directory, or a checkpoint directory in Hugging Face format.

    `hooks` has the own head or model of the run, if it was trained with one.
    """
    from lossboard.train.inference.trained_model import load

    return load(run, runs_dir=runs_dir, engine=engine, hooks=hooks)


def predict(run: str | Path, texts: Any, runs_dir: str | Path = "runs") -> list[Prediction]:
    """Returns a prediction for each text. `texts` is a file, or a list of texts or of text pairs."""
    return load(run, runs_dir).predict_all(texts)
