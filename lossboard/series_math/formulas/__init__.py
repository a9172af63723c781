"""Formulas over the scalars of a run, such as `` `eval/loss` - `train/loss` ``: text → tokens → typed tree → points.

`lexer.py` and `parser.py` read the text, `functions.py` lists the functions, `evaluate.py` computes the points of a
run. docs/charts.md describes formulas. No text is ever evaluated as Python.
"""
