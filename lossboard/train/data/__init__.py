"""Training data, from a file to batches of token ids: tables, columns, labels, splits, tokenization, checks.

`prepare.py` is the entry point for training and `examples.py` for reading alone. All of it is numpy and shared by both
engines. Not here: metrics on the data (`reporting`) and how a framework feeds batches (`engines`).
"""
