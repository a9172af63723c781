"""`python -m lossboard` is the `lossboard` command."""

from __future__ import annotations

import sys

from lossboard.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
