"""Parts of a BERT-family model (embeddings, layers, head), named from the parameter names. Shared by both engines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lossboard.train.config import Config

_LAYER = re.compile(r"\.layers?\.(\d+)\.|^layers?\.(\d+)\.")


def layer_of(name: str) -> str:
    """Returns the part that a parameter belongs to: `embeddings`, `layer_03` or `head`."""
    if found := _LAYER.search(name):
        return f"layer_{int(found[1] or found[2]):02d}"
    return "embeddings" if "embeddings" in name else "head"


def frozen_parts(config: Config) -> set[str]:
    """Returns the parts that the config keeps from training."""
    layers = {f"layer_{index:02d}" for index in range(config.frozen_layers)}
    return layers | {"embeddings"} if config.frozen_embeddings or config.frozen_layers else layers


def lr_scales(names: Sequence[str], *, decay: float) -> list[float]:
    """Returns the learning-rate factor of each parameter: 1 for the head, times `decay` for each part below it."""
    parts = [layer_of(name) for name in names]
    layers = sorted({part for part in parts if part.startswith("layer")}, reverse=True)
    depth = {part: index for index, part in enumerate(["head", *layers, "embeddings"])}
    return [decay ** depth[part] for part in parts]
