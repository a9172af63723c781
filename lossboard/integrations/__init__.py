"""Frameworks that log through Lossboard, one thin module each; importing one needs its framework.

keras.py        LossboardCallback for Model.fit
huggingface.py  LossboardCallback for transformers' Trainer
lightning.py    LossboardLogger for Lightning's Trainer
"""
