"""Answers are worked out once for all who ask the same."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from lossboard.kinds.routes import BlobResult, JsonResult
from lossboard.server.response_cache import ResponseCache, body_of


@pytest.fixture
def answers():
    with ThreadPoolExecutor(2) as threads:
        yield ResponseCache(threads, max_bytes=1000)


def test_equal_questions_at_one_time_are_worked_out_once(answers):
    calls = []
    release = threading.Event()

    def work():
        calls.append(1)
        release.wait(60)
        return JsonResult({"n": len(calls)})

    async def ask_together():
        asked = [asyncio.ensure_future(answers.get("key", work)) for _ in range(50)]
        await asyncio.sleep(0.05)
        release.set()
        return await asyncio.gather(*asked)

    assert {body.content for body in asyncio.run(ask_together())} == {b'{"n":1}'}
    assert len(calls) == 1


def test_another_key_is_another_question(answers):
    async def ask(key, document):
        return (await answers.get(key, lambda: JsonResult(document))).content

    assert asyncio.run(ask(("charts", b"q", 1), 1)) == b"1"
    assert asyncio.run(ask(("charts", b"q", 1), 2)) == b"1"
    assert asyncio.run(ask(("charts", b"q", 2), 2)) == b"2"


def test_an_error_is_not_kept(answers):
    def fail():
        raise LookupError("gone")

    async def ask(work):
        return (await answers.get("key", work)).content

    with pytest.raises(LookupError):
        asyncio.run(ask(fail))
    assert asyncio.run(ask(lambda: JsonResult(1))) == b"1"


def test_old_answers_make_room(answers):
    calls = []

    def work():
        calls.append(1)
        return BlobResult(b"x" * 100, "text/plain")

    async def ask(key):
        await answers.get(key, work)

    for key in (*range(11), 0):
        asyncio.run(ask(key))
    assert len(calls) == 12


def test_a_client_that_leaves_does_not_stop_the_others(answers):
    release = threading.Event()

    def work():
        release.wait(60)
        return JsonResult(1)

    async def ask():
        leaving = asyncio.ensure_future(answers.get("key", work))
        staying = asyncio.ensure_future(answers.get("key", work))
        await asyncio.sleep(0.05)
        leaving.cancel()
        await asyncio.sleep(0)
        release.set()
        return (await staying).content

    assert asyncio.run(ask()) == b"1"


@pytest.mark.parametrize("mime", ["text/html", "image/svg+xml", "application/xhtml+xml", "application/octet-stream"])
def test_what_could_run_is_only_ever_a_download(mime):
    body = body_of(BlobResult(b"<script>", mime))
    assert body.headers["content-disposition"].startswith("attachment")
    assert body.headers["content-security-policy"] == "sandbox"


def test_pictures_are_shown():
    assert body_of(BlobResult(b"", "image/png")).headers == {}


def test_a_file_name_cannot_break_out_of_its_header():
    body = body_of(BlobResult(b"", "text/csv", 'a"\r\nSet-Cookie: x=1; ../é.csv'))
    assert body.headers["content-disposition"] == 'attachment; filename="aSet-Cookiex1...csv"'
