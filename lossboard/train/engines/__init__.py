"""Training engines: the loop that all engines share, the `Engine` protocol, and its torch and Keras implementations.

`torch_engine` imports torch and `keras_engine` imports TensorFlow, so import them only when that engine is used.
Not here: batches (`data`), models (`models`), logging (`reporting`).
"""
