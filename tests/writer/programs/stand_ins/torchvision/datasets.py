from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import torch


class FashionMNIST(torch.utils.data.Dataset):  # type: ignore[type-arg]
    """Some of the images, the classes in turn; the file is named by the environment."""

    def __init__(self, root: str, train: bool, download: bool, transform: Callable[[Any], Any]) -> None:
        wanted = slice(0, 64) if train else slice(64, 84)
        with np.load(os.environ["FASHION_MNIST"]) as data:
            labels = data["labels"]
            rows = np.stack([np.flatnonzero(labels == label)[wanted] for label in range(10)], axis=1).ravel()
            self.labels, self.images = labels[rows], data["images"][rows]
        self.transform = transform

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self.transform(self.images[index]), int(self.labels[index])
