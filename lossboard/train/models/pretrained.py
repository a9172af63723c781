"""Pretrained checkpoints: finds a directory on disk or downloads it from the Hugging Face Hub.

Weights are read from safetensors files only, because a pickle can run code when it is loaded.
"""

from __future__ import annotations

from pathlib import Path

from lossboard.errors import UsageError


def resolve_checkpoint(name: str) -> Path:
    """Returns the directory of a checkpoint. Downloads it from the hub if there is no such directory."""
    folder = Path(name)
    if not folder.is_dir():
        folder = _download(name)
    if not (folder / "config.json").is_file():
        raise UsageError(f"{folder} has no config.json. Use a checkpoint directory in Hugging Face format.")
    if not any(folder.glob("*.safetensors")):
        raise UsageError(
            f"{folder} has no .safetensors file. Pickled weights are refused, because loading them can run code. "
            "Convert them once with AutoModel.from_pretrained(folder).save_pretrained(folder)."
        )
    return folder


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=["*.safetensors", "*.json", "*.txt"]))
    except (HFValidationError, HfHubHTTPError, LocalEntryNotFoundError) as error:
        raise UsageError(
            f"Model {name} not found: no such directory, and the Hugging Face Hub download failed: {error}"
        ) from error
