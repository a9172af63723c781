from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch


class Compose:
    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, value: Any) -> Any:
        for transform in self.transforms:
            value = transform(value)
        return value


class ToTensor:
    def __call__(self, image: Any) -> torch.Tensor:
        return torch.from_numpy(image).float().div(255).unsqueeze(0)


class Normalize:
    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        self.mean, self.std = mean[0], std[0]

    def __call__(self, image: torch.Tensor) -> torch.Tensor:
        return (image - self.mean) / self.std
