"""Training data, from a file to batches of token ids: rows, columns, labels, splits, tokenization, checks.

Rows and token ids are memory-mapped files in a cache (`cache.py`), so memory does not grow with the data.

`prepare.py` is the entry point for training and `examples.py` for reading alone. All of it is numpy and shared by both
engines. Not here: metrics on the data (`reporting`) and how a framework feeds batches (`engines`).
"""
