"""The query language: text → tokens → syntax tree → typed tree → rows of the table of facts.

`syntax/lexer.py` and `parser.py` read the text, `names.py` finds the facts that it names, `literals.py` reads values
for the type of a fact, `evaluate.py` computes the rows, `complete.py` suggests how a text can go on. docs/query.md
describes the language.
"""
