"""Static files of the built UI."""

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
        return static.respond(request, request.path_params["name"])

    return Client(Starlette(routes=[Route("/{name:path}", page)]))


def test_page_is_revalidated_with_its_etag(client):
    response = client.get("/")
    assert (response.body, response.headers["cache-control"]) == (b"<!doctype html>", "no-cache")
    assert response.headers["content-type"].startswith("text/html")
    assert client.get("/", If_None_Match=response.headers["etag"]).status == 304


def test_hashed_file_is_immutable(client):
    response = client.get("/assets/main-abc123.js")
    assert "immutable" in response.headers["cache-control"]
    assert response.headers["content-type"].startswith("text/javascript")
    assert response.body == SCRIPT


def test_encoding_follows_accept_encoding(client):
    assert client.get("/assets/main-abc123.js", Accept_Encoding="gzip, deflate, br").body == b"brotli"
    response = client.get("/assets/main-abc123.js", Accept_Encoding="gzip")
    assert (response.headers["content-encoding"], gzip.decompress(response.body)) == ("gzip", SCRIPT)


@pytest.mark.parametrize(
    "path", ["/../secret", "/assets/../../secret", "/assets/main-abc123.js.br", "/nothing", "/assets"]
)
def test_path_that_is_not_a_built_file_returns_404(client, web, path):
    (web.parent / "secret").write_text("secret")
    assert client.get(path).status == 404


def test_new_build_is_served_without_restart(client, web):
    client.get("/")
    (web / "index.html").write_bytes(b"new")
    os.utime(web / "index.html", (1, 1))
    assert client.get("/").body == b"new"


def test_unbuilt_ui_returns_build_instructions(tmp_path):
    static = StaticFiles(tmp_path / "missing")

    async def page(request):
        return static.respond(request, "")

    assert b"make ui" in Client(Starlette(routes=[Route("/", page)])).get("/").body
