"""Selection of runs and series, for the server, the export and the CLI.

`runs.py` reads the `runs` parameter of HTTP requests. `series.py` reads the `--runs` and `--tags` options. A new way to
select runs, such as a query language, gets a module here and a case in `runs.py`. The filter of the sidebar is in the
browser only (`ui/src/app/filter.ts`).
"""
