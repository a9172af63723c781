"""Several workers for one run: starting the processes, and the communication between them.

Not here: what a worker does once it runs (`torch_worker.py`, `keras_worker.py`, `engines`).
"""
