"""Background jobs of routes: computations that take longer than a request should."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from lossboard.bounded_cache import BoundedCache
from lossboard.errors import LossboardError

log = logging.getLogger(__name__)

JobState: TypeAlias = Literal["waiting", "running", "done", "failed", "cancelled"]

MAX_RUNNING = 1
"""A job may use both threads of the core, so a second one would only slow down the first."""
MAX_WAITING = 16
MAX_RESULT_BYTES = 256 << 20


class Work(Protocol):
    """A computation that can be cancelled from another thread."""

    def run(self) -> None:
        """Computes. Raises an exception if it was cancelled."""

    def cancel(self) -> None: ...

    @property
    def size_bytes(self) -> int:
        """Memory that the finished work takes."""


W = TypeVar("W", bound=Work)


class Job(Generic[W]):
    """One piece of work, and the pages that wait for it."""

    def __init__(self, id: str, work: W) -> None:
        self.id = id
        self.work = work
        self.state: JobState = "waiting"
        self.message = ""
        self.pages: set[str] = set()

    @property
    def is_cancelled(self) -> bool:
        return self.state == "cancelled"


class TooManyJobs(LossboardError):
    """No more jobs can wait."""


class Jobs(Generic[W]):
    """Runs jobs one after the other. A job that no page waits for any more is cancelled. Finished ones are kept up to
    a size, so that equal requests find them."""

    def __init__(self) -> None:
        self._open: dict[str, Job[W]] = {}
        self._finished: BoundedCache[Job[W]] = BoundedCache(MAX_RESULT_BYTES)
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(MAX_RUNNING, thread_name_prefix="lossboard-job")

    def start(self, id: str, page: str, make: Callable[[], W]) -> Job[W]:
        """Returns the job with this id, which names all that its result depends on. It replaces the job that the page
        waited for until now."""
        with self._lock:
            self._leave(page, but=id)
            job = self._open.get(id) or self._finished.get(id)
            if job is None or job.state == "failed":
                if len(self._open) >= MAX_WAITING + MAX_RUNNING:
                    raise TooManyJobs("Too many computations are waiting. Try again when one of them is finished.")
                job = Job(id, make())
                self._open[id] = job
                self._threads.submit(self._run, job)
            job.pages.add(page)
            return job

    def get(self, id: str) -> Job[W]:
        with self._lock:
            job = self._open.get(id) or self._finished.get(id)
        if job is None:
            raise LookupError("This computation was cancelled, or its result is no longer in memory. Start it again.")
        return job

    def leave(self, page: str) -> None:
        """Ends the waiting of a page."""
        with self._lock:
            self._leave(page)

    def close(self) -> None:
        """Cancels everything. The threads end as soon as their work notices it."""
        with self._lock:
            for job in list(self._open.values()):
                self._cancel(job)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _leave(self, page: str, but: str = "") -> None:
        for job in list(self._open.values()):
            if job.id != but and page in job.pages:
                job.pages.discard(page)
                if not job.pages:
                    self._cancel(job)

    def _cancel(self, job: Job[W]) -> None:
        job.state = "cancelled"
        del self._open[job.id]
        job.work.cancel()

    def _run(self, job: Job[W]) -> None:
        with self._lock:
            if job.is_cancelled:
                return
            job.state = "running"
        message = ""
        try:
            job.work.run()
        except LossboardError as error:
            message = str(error)
        except Exception:
            if not job.is_cancelled:
                log.exception("A background job failed")
            message = "The computation failed. The log of the server has the details."
        with self._lock:
            if job.is_cancelled:
                return
            job.state, job.message = "failed" if message else "done", message
            del self._open[job.id]
            self._finished.put(job.id, job, size=job.work.size_bytes)
