"""Lossboard: a training board that opens any TensorBoard logdir at once, live, with every point kept."""

__version__ = "0.1.0"

__all__ = ["__version__"]
