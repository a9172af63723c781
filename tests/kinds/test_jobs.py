"""Background jobs: one at a time, shared by equal requests, cancelled when no page waits."""

import threading

import pytest

from lossboard.errors import DecodeError
from lossboard.kinds import jobs as jobs_module
from lossboard.kinds.jobs import Job, Jobs, TooManyJobs


class Blocked:
    """Work that runs until it is released or cancelled."""

    size_bytes = 8

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.running, self.released, self.cancelled = threading.Event(), threading.Event(), False

    def run(self) -> None:
        self.running.set()
        assert self.released.wait(30)
        if self.error is not None:
            raise self.error
        if self.cancelled:
            raise RuntimeError("cancelled")

    def cancel(self) -> None:
        self.cancelled = True
        self.released.set()


@pytest.fixture
def jobs():
    made: Jobs[Blocked] = Jobs()
    yield made
    made.close()


def wait_until_finished(jobs: Jobs[Blocked], job: Job[Blocked]) -> None:
    """Jobs run one after the other, so the next one starts when this one is finished."""
    job.work.released.set()
    last = jobs.start("last", "a page that waits", Blocked)
    assert last.work.running.wait(30)


def test_equal_requests_share_one_job(jobs: Jobs[Blocked]) -> None:
    first = jobs.start("a", "page 1", Blocked)
    assert jobs.start("a", "page 2", Blocked) is first
    assert first.work.running.wait(30)
    wait_until_finished(jobs, first)
    assert (jobs.get("a"), first.state) == (first, "done")
    assert jobs.start("a", "page 3", Blocked) is first


def test_a_job_is_cancelled_when_its_last_page_starts_another(jobs: Jobs[Blocked]) -> None:
    first = jobs.start("a", "page 1", Blocked)
    jobs.start("a", "page 2", Blocked)
    jobs.start("b", "page 1", Blocked)
    assert not first.work.cancelled
    jobs.leave("page 2")
    assert (first.work.cancelled, first.state) == (True, "cancelled")
    with pytest.raises(LookupError):
        jobs.get("a")
    assert jobs.start("a", "page 2", Blocked) is not first


def test_a_failed_job_says_why_and_can_be_started_again(jobs: Jobs[Blocked]) -> None:
    failing = jobs.start("a", "page", lambda: Blocked(DecodeError("Too few rows.")))
    wait_until_finished(jobs, failing)
    assert (failing.state, failing.message) == ("failed", "Too few rows.")
    assert jobs.start("a", "page", Blocked) is not failing


def test_the_message_of_an_unexpected_error_stays_in_the_log(
    jobs: Jobs[Blocked], caplog: pytest.LogCaptureFixture
) -> None:
    failing = jobs.start("a", "page", lambda: Blocked(RuntimeError("/a/secret/path")))
    wait_until_finished(jobs, failing)
    assert (failing.state, "secret" in failing.message) == ("failed", False)
    assert "/a/secret/path" in caplog.text


def test_the_number_of_waiting_jobs_is_limited(jobs: Jobs[Blocked], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MAX_WAITING", 1)
    jobs.start("a", "page 1", Blocked)
    jobs.start("b", "page 2", Blocked)
    with pytest.raises(TooManyJobs):
        jobs.start("c", "page 3", Blocked)


def test_close_cancels_running_and_waiting_jobs() -> None:
    jobs: Jobs[Blocked] = Jobs()
    both = [jobs.start(name, name, Blocked) for name in ("a", "b")]
    jobs.close()
    assert [job.state for job in both] == ["cancelled", "cancelled"]
