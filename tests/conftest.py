"""Environment of all tests, independent of how the suite was started."""

import os
import shutil
import signal
import tempfile

from hypothesis import HealthCheck, settings

# A busy machine is slow and not wrong: no limit of time but the one for the whole test. `make test` tries the same
# examples every time, `make test-repeat` new ones.
settings.register_profile("same", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("new", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")


def pytest_configure() -> None:
    # A shell starts background jobs with SIGINT ignored. Python then installs no handler, and programs under test
    # inherit it: nothing would react to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Not the user's cache, also in programs under test.
    os.environ["LOSSBOARD_CACHE_DIR"] = tempfile.mkdtemp(prefix="lossboard-test-cache-")


def pytest_unconfigure() -> None:
    shutil.rmtree(os.environ["LOSSBOARD_CACHE_DIR"], ignore_errors=True)
