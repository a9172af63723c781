from __future__ import annotations

import torch


def make_grid(images: torch.Tensor, nrow: int = 8, padding: int = 2, normalize: bool = False) -> torch.Tensor:
    """One row of gray images as three channels, with a border, scaled to 0 … 1."""
    if normalize:
        images = (images - images.min()) / (images.max() - images.min())
    bordered = torch.nn.functional.pad(images.repeat(1, 3, 1, 1), (padding, 0, padding, padding))
    return torch.cat(list(bordered), dim=2)
