"""Response cache: equal requests compute a response once."""

import asyncio
import threading

import pytest

from lossboard.kinds.routes import BlobResult, JsonResult
from lossboard.server.request_threads import RequestThreads
from lossboard.server.response_cache import ResponseCache
from lossboard.server.responses import body_of


@pytest.fixture
def cache():
    threads = RequestThreads(4, name="test")
    yield ResponseCache(threads, max_bytes=20_000)
    threads.stop()


def test_equal_requests_at_the_same_time_compute_once(cache):
    calls = []
    release = threading.Event()

    def compute():
        calls.append(1)
        release.wait(60)
        return JsonResult({"n": len(calls)})

    async def send_together():
        requests = [asyncio.ensure_future(cache.get("key", 1, compute)) for _ in range(50)]
        await asyncio.sleep(0.05)
        release.set()
        return await asyncio.gather(*requests)

    assert {body.content for body in asyncio.run(send_together())} == {b'{"n":1}'}
    assert len(calls) == 1


def test_each_key_and_version_has_its_own_response(cache):
    async def send(key, version, document):
        return (await cache.get(key, version, lambda: JsonResult(document))).content

    assert asyncio.run(send("a", 1, 1)) == b"1"
    assert asyncio.run(send("a", 1, 2)) == b"1"
    assert asyncio.run(send("b", 1, 3)) == b"3"
    assert asyncio.run(send("a", 2, 4)) == b"4"
    assert len(cache._bodies) == 2, "a new version replaces the old one"


def test_error_is_not_cached(cache):
    def fail():
        raise LookupError("gone")

    async def send(compute):
        return (await cache.get("key", 1, compute)).content

    with pytest.raises(LookupError):
        asyncio.run(send(fail))
    assert asyncio.run(send(lambda: JsonResult(1))) == b"1"


def test_oldest_response_is_dropped_at_the_size_limit(cache):
    calls = []

    def compute():
        calls.append(1)
        return BlobResult(b"x" * 1000, "text/plain")

    async def send(key):
        await cache.get(key, 1, compute)

    for key in (*range(11), 0):
        asyncio.run(send(key))
    assert len(calls) == 12


def test_client_that_disconnects_does_not_cancel_others(cache):
    release = threading.Event()

    def compute():
        release.wait(60)
        return JsonResult(1)

    async def send():
        leaving = asyncio.ensure_future(cache.get("key", 1, compute))
        staying = asyncio.ensure_future(cache.get("key", 1, compute))
        await asyncio.sleep(0.05)
        leaving.cancel()
        await asyncio.sleep(0)
        release.set()
        return (await staying).content

    assert asyncio.run(send()) == b"1"


def test_cancelled_response_is_computed_again(cache):
    started, release = threading.Event(), threading.Event()

    def compute_slowly():
        started.set()
        release.wait(60)
        return JsonResult("late")

    async def send():
        leaving = asyncio.ensure_future(cache.get("key", 1, compute_slowly))
        await asyncio.to_thread(started.wait, 60)
        leaving.cancel()
        await asyncio.wait([leaving])
        body = await cache.get("key", 1, lambda: JsonResult("new"))
        release.set()
        return body.content

    assert asyncio.run(send()) == b'"new"'


def test_empty_responses_count(cache):
    async def send(key):
        await cache.get(key, 1, lambda: BlobResult(b"", "text/plain"))

    for key in range(100):
        asyncio.run(send(key))
    assert len(cache._bodies) < 30


@pytest.mark.parametrize("mime", ["text/html", "image/svg+xml", "application/xhtml+xml", "application/octet-stream"])
def test_type_that_can_run_scripts_is_sent_as_attachment(mime):
    body = body_of(BlobResult(b"<script>", mime))
    assert body.headers["content-disposition"].startswith("attachment")
    assert body.headers["content-security-policy"] == "sandbox"


def test_image_is_sent_inline():
    assert body_of(BlobResult(b"", "image/png")).headers == {}


def test_filename_cannot_add_headers():
    body = body_of(BlobResult(b"", "text/csv", 'a"\r\nSet-Cookie: x=1; ../é.csv'))
    assert body.headers["content-disposition"] == 'attachment; filename="aSet-Cookiex1...csv"'
