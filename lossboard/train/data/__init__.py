"""Training data, from a file to batches of token ids: rows, columns, splits, tokenization. It knows no task.

Rows and token ids are memory-mapped files in a cache (`cache.py`), so memory does not grow with the data. All of it is
numpy and shared by both engines. Not here: what labels mean (`tasks`), checks (`preparation`), and how a framework
feeds batches (`engines`).
"""
