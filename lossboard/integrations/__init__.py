"""Callbacks and loggers for frameworks. Each module imports its framework.

keras.py        LossboardCallback for Model.fit
huggingface.py  LossboardCallback for transformers' Trainer
lightning.py    LossboardLogger for Lightning's Trainer
"""
