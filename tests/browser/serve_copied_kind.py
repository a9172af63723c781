"""Runs a board with one more kind and its own build of the UI: `python serve_copied_kind.py KIND KINDS WEB FLAGS…`."""

import sys
from functools import partial
from pathlib import Path

from serve import exit_with_the_test_run

from lossboard import kinds
from lossboard.cli.main import main
from lossboard.server import app

if __name__ == "__main__":
    kind, folder, web = sys.argv[1:4]
    del sys.argv[1:4]
    kinds.__path__ = [*kinds.__path__, folder]
    kinds.NAMES = (*kinds.NAMES, kind)
    app.StaticFiles = partial(app.StaticFiles, Path(web))
    exit_with_the_test_run()
    sys.exit(main())
