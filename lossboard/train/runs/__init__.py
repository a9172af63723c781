"""Run management: the run directory, its lock and console log, checkpoints, and graceful stops.

Not here: what a run logs (`reporting`) and how it trains (`engines`).
"""
