"""The doctor: reads what runs logged and reports what is wrong with them, with evidence and what to try.

`subjects` puts runs together that belong to one training, `roles` says which series is the training loss and so on,
`rules/` has one sign of a problem per file, and `engine` judges what has changed.
"""
