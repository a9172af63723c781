"""Memory for training: what is free, what a run needs (predicted and measured), the micro-batch that fits, OOM errors.

Not here: what a run does when memory runs out (`engines`).
"""
