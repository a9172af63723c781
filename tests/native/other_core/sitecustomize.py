"""Makes Python load the core from the file that LOSSBOARD_CORE names. Used by `make sanitize` through PYTHONPATH."""

import importlib.util
import os
import sys

spec = importlib.util.spec_from_file_location("lossboard._core", os.environ["LOSSBOARD_CORE"])
assert spec is not None and spec.loader is not None
core = importlib.util.module_from_spec(spec)
sys.modules["lossboard._core"] = core
spec.loader.exec_module(core)
