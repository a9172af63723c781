"""Preparation of a run: loads its examples for a task, checks them and tokenizes them.

`prepare.py` is the entry point for training, `examples.py` for reading alone, and `checks` finds problems. Not here:
formats and token ids (`data`), and what labels mean (`tasks`).
"""
