"""Facts about runs: one typed table with a row for each run.

`table.py` is the table. The other modules fill it: `config_files.py`, `logged_config.py` and `directory_names.py` read
hyperparameters where people put them, `hyperparameters.py` joins them, `columns.py` holds the values.
"""
