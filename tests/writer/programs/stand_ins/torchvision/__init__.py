"""Replacement for torchvision, whose operators do not load with a CPU build of torch: only what the program uses."""

from torchvision import datasets, transforms, utils

__all__ = ["datasets", "transforms", "utils"]
