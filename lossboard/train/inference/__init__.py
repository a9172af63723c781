"""Trained models in use: predictions for new texts, and metrics on labeled ones.

`torch_forward` imports torch and `keras_forward` imports TensorFlow, so import them only when that engine is used.
Not here: training (`engines`), and files of predictions (`lossboard.cli`).
"""
