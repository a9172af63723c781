"""The trained model of a run: finds its checkpoint, and exports it without the state for resuming."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from lossboard.errors import UsageError
from lossboard.train.runs.checkpoint import TOKENIZER_FILES
from lossboard.train.runs.run_dir import RunDir


def find_checkpoint(name: str | Path, runs_dir: Path) -> Path:
    """Returns the best checkpoint of a run, by its id or directory, or a checkpoint directory itself."""
    for path in (Path(name), runs_dir / name):
        if (path / "config.json").is_file() and any(path.glob("*.safetensors")):
            return path
        run = RunDir(path)
        if not run.checkpoints.is_dir():
            continue
        # The last one, if training ended before its first evaluation.
        for checkpoint in (run.checkpoints / "best", run.checkpoints / "last"):
            if checkpoint.exists():
                return checkpoint
    raise UsageError(
        f"No trained model in {name}. Give a run by its id or directory, or a checkpoint directory. "
        f"Runs are searched in {runs_dir}; set --runs-dir to another directory."
    )


def export_model(checkpoint: Path, target: Path) -> None:
    """Copies the model and its tokenizer, without the state of the optimizer, into a new directory.

    Checkpoints hold the weights of the whole model. Those of LoRA adapters are merged when they are written.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise UsageError(f"{target} exists already. Choose a new directory.")
    names = ("config.json", "model.safetensors", *TOKENIZER_FILES)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise UsageError(f"Cannot write {target}: {error.strerror}.") from error
    try:
        for name in names:
            if (checkpoint / name).is_file():
                shutil.copyfile(checkpoint / name, draft / name)
        draft.chmod(0o777 & ~_umask())
        draft.replace(target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
