"""Writes the logdir of views.mjs: 201 tensors of a BERT over 200 steps, and 2000 images in four runs."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lossboard import SummaryWriter

LAYERS, STEPS, VALUES = 12, 200, 8_000
RUNS, TAGS, SIDE = 4, 500, 160

_IN_LAYER = (
    *(f"attention.self.{part}" for part in ("query", "key", "value")),
    *("attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"),
)


def main(root: Path) -> None:
    write_tensors(root / "bert", np.random.default_rng(0))
    for run in range(RUNS):
        write_images(root / f"samples-{run}", run)


def tensor_names() -> Iterator[str]:
    """Yields the parameter names of BertForSequenceClassification of transformers."""
    for part in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        yield f"bert.embeddings.{part}.weight"
    for module in ("bert.embeddings.LayerNorm", *_modules(), "bert.pooler.dense", "classifier"):
        yield f"{module}.weight"
        yield f"{module}.bias"


def _modules() -> Iterator[str]:
    return (f"bert.encoder.layer.{layer}.{part}" for layer in range(LAYERS) for part in _IN_LAYER)


def write_tensors(folder: Path, rng: np.random.Generator) -> None:
    """Logs histograms that widen and move at their own rate, as those of fine-tuned weights do."""
    names = list(tensor_names())
    values = {name: _first_values(name, rng) for name in names}
    pace = {name: rng.gamma(1.0, 2e-3) for name in names}
    with SummaryWriter(folder) as log:
        for step in range(0, STEPS * 50, 50):
            log.add_scalar("train/loss", 0.2 + 0.5 * np.exp(-step / 2500) + rng.normal(0, 0.02), step)
            for name in names:
                noise = rng.standard_normal(VALUES, np.float32)
                values[name] += pace[name] * 0.05 * (noise + 0.3)
                log.add_histogram(name, values[name], step)


def _first_values(name: str, rng: np.random.Generator) -> np.ndarray:
    drawn = rng.standard_normal(VALUES, np.float32)
    if "LayerNorm.weight" in name:
        return 0.8 + 0.06 * drawn
    return drawn * (0.02 if name.endswith("bias") else 0.042)


def write_images(folder: Path, run: int) -> None:
    """Logs waves that get finer with each tag and less noisy with each step."""
    rng = np.random.default_rng(run)
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    with SummaryWriter(folder) as log:
        for step in (0, 1000):
            for tag in range(TAGS):
                wave = np.stack([np.sin(x * tag / 5 + run), np.cos(y * tag / 7), np.sin((x + y) * 6)]) / 2 + 0.5
                noise = rng.standard_normal((3, SIDE, SIDE), np.float32) * (0.2 if step == 0 else 0.05)
                log.add_image(f"samples/{tag // 25:02}/{tag:03}", np.clip(wave + noise, 0, 1), step)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
