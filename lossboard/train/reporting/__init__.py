"""Reports of a run: metrics, the confusion matrix, event files and console output. The same for both engines.

Not here: the numbers themselves, which the engines compute, and what is kept in the run directory (`runs`).
"""
