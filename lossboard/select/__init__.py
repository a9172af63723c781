"""Selection of runs and series, for the server, the export and the CLI.

`runs.py` reads the `runs` parameter of HTTP requests. `series.py` reads the `--runs` and `--tags` options. `facts/` is
the table of facts about runs, `query/` the query language over it. `groups.py` puts runs with equal facts together. The
filter of the sidebar is in the browser only (`ui/src/app/filter.ts`).
"""
