"""BERT-family models: finding a checkpoint, reading its sizes, building a classifier and its optimizer.

Modules named `torch_*` and `keras_*` belong to one framework; import them only when that engine is used.
Not here: training steps (`engines`) and the checkpoints of a run (`runs`).
"""
