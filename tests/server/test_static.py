"""The built page and what it loads."""

import gzip
import os

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from board_client import Client
from lossboard.server.static import StaticFiles

SCRIPT = b"console.log(1)\n" * 200


@pytest.fixture
def web(tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_bytes(b"<!doctype html>")
    (tmp_path / "assets" / "main-abc123.js").write_bytes(SCRIPT)
    (tmp_path / "assets" / "main-abc123.js.br").write_bytes(b"brotli")
    return tmp_path


@pytest.fixture
def client(web):
    static = StaticFiles(web)

    async def page(request):
        return static.answer(request, request.path_params["name"])

    return Client(Starlette(routes=[Route("/{name:path}", page)]))


def test_the_page_is_asked_for_again_each_time(client):
    answer = client.get("/")
    assert (answer.body, answer.headers["cache-control"]) == (b"<!doctype html>", "no-cache")
    assert answer.headers["content-type"].startswith("text/html")
    assert client.get("/", If_None_Match=answer.headers["etag"]).status == 304


def test_hashed_files_are_kept_for_ever(client):
    answer = client.get("/assets/main-abc123.js")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.body == SCRIPT


def test_compressed_as_the_browser_likes(client):
    assert client.get("/assets/main-abc123.js", Accept_Encoding="gzip, deflate, br").body == b"brotli"
    answer = client.get("/assets/main-abc123.js", Accept_Encoding="gzip")
    assert (answer.headers["content-encoding"], gzip.decompress(answer.body)) == ("gzip", SCRIPT)


@pytest.mark.parametrize(
    "path", ["/../secret", "/assets/../../secret", "/assets/main-abc123.js.br", "/nothing", "/assets"]
)
def test_only_what_was_built_is_there(client, web, path):
    (web.parent / "secret").write_text("secret")
    assert client.get(path).status == 404


def test_a_new_build_is_noticed(client, web):
    client.get("/")
    (web / "index.html").write_bytes(b"new")
    os.utime(web / "index.html", (1, 1))
    assert client.get("/").body == b"new"


def test_a_source_checkout_says_how_to_build(tmp_path):
    static = StaticFiles(tmp_path / "missing")

    async def page(request):
        return static.answer(request, "")

    assert b"make ui" in Client(Starlette(routes=[Route("/", page)])).get("/").body
