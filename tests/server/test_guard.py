"""Request guard: attacks are rejected, legitimate requests are accepted."""

import json
import re
from urllib.parse import urljoin, urlsplit

import pytest
from starlette.responses import PlainTextResponse

from board_client import Client
from lossboard.server.guard import MAX_BODY_BYTES, Guard, host_names, is_loopback

TOKEN = "a-token-of-this-board"


async def everything(scope, receive, send):
    await PlainTextResponse("let in")(scope, receive, send)


def guarded(host="localhost", **options):
    return Client(Guard(everything, hosts=host_names(host, options.pop("allowed", ())), **options))


@pytest.fixture
def local():
    return guarded()


@pytest.fixture
def remote():
    return guarded("0.0.0.0", any_address=True, token=TOKEN)


class TestHost:
    @pytest.mark.parametrize(
        "host", ["localhost", "localhost:6006", "LOCALHOST:6006", "127.0.0.1:6006", "[::1]:6006", "localhost:8080"]
    )
    def test_loopback_names_are_accepted(self, local, host):
        assert local.get("/api/board", Host=host).status == 200

    @pytest.mark.parametrize(
        "host",
        [
            "evil.example",
            "evil.example:6006",
            "localhost.evil.example",
            "127.0.0.1.evil.example:6006",
            "evil.example:6006@localhost",
            "192.168.1.5:6006",
            "10.0.0.1",
            "0.0.0.0:6006",
            "",
            "[::2]:6006",
        ],
    )
    def test_unknown_host_is_rejected(self, local, host):
        response = local.get("/", Host=host)
        assert (response.status, response.error) == (403, "host")

    def test_two_host_headers_are_rejected(self, local):
        async def twice(scope, receive, send):
            scope["headers"] = [*scope["headers"], (b"host", b"localhost")]
            await local.app(scope, receive, send)

        assert Client(twice).get("/").status == 403

    def test_allowed_host_is_accepted(self):
        assert guarded(allowed=["board.lab"]).get("/", Host="board.lab:443").status == 200

    def test_rebound_name_is_rejected_on_a_public_board(self, remote):
        assert remote.get("/", Host="evil.example:6006").status == 403

    def test_public_board_accepts_ip_addresses(self, remote):
        assert remote.get("/", Host="192.168.1.5:6006").status == 200


class TestOrigin:
    def test_same_origin_is_accepted(self, local):
        assert local.get("/api/board", Origin="http://localhost:6006", Sec_Fetch_Site="same-origin").status == 200

    @pytest.mark.parametrize(
        "origin",
        ["http://evil.example", "null", "http://localhost:6007", "http://localhost:6006.evil.example", "file://"],
    )
    def test_other_origin_is_rejected(self, local, origin):
        response = local.get("/api/board", Origin=origin)
        assert (response.status, response.error) == (403, "origin")

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_other_site_without_origin_is_rejected(self, local, site):
        assert local.get("/api/board", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors").status == 403

    def test_navigation_from_another_site_opens_the_page(self, local):
        link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
        assert local.get("/", **link).status == 200

    def test_navigation_from_another_site_to_data_is_rejected(self, local):
        link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
        assert local.get("/api/board", **link).status == 403

    def test_frame_of_another_site_is_rejected(self, local):
        link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}
        assert local.get("/", **link).status == 403

    def test_response_has_no_cors_headers(self, local):
        response = local.get("/api/board", Origin="http://localhost:6006")
        assert not [name for name in response.headers if name.startswith("access-control")]


class TestMethodsAndTypes:
    @pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
    def test_unsupported_method_is_rejected(self, local, method):
        response = local.request(method, "/api/board")
        assert (response.status, response.headers["allow"]) == (405, "GET, HEAD, POST")

    def test_form_content_type_is_rejected(self, local):
        response = local.post("/api/runs/edit", b"{}", Content_Type="text/plain")
        assert response.status == 415

    def test_post_without_the_custom_header_is_rejected(self, local):
        assert local.request("POST", "/x", headers={"Content-Type": "application/json"}).error == "header"


class TestSizes:
    def test_long_url_is_rejected(self, local):
        assert local.get("/?" + "x" * 9000).status == 414

    def test_long_headers_are_rejected(self, local):
        assert local.get("/", X_Filler="x" * 17_000).status == 431

    def test_long_body_is_rejected(self, local):
        assert local.post("/", b"x" * (MAX_BODY_BYTES + 1)).status == 413

    @pytest.mark.parametrize("length", ["-1", "1e3", "99999999999999999999", "0x10"])
    def test_invalid_content_length_is_rejected(self, local, length):
        assert local.post("/", b"{}", Content_Length=length).status == 413


class TestToken:
    def test_data_requires_the_token(self, remote):
        response = remote.get("/api/board")
        assert (response.status, response.error) == (401, "token")

    def test_page_does_not_require_the_token(self, remote):
        assert remote.get("/").status == 200

    def test_link_sets_a_cookie_and_redirects(self, remote):
        response = remote.get(f"/?view=x&token={TOKEN}")
        assert response.status == 303
        assert response.headers["location"] == "/?view=x"
        cookie = response.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert remote.get("/api/board", Cookie=cookie.split(";")[0]).status == 200

    @pytest.mark.parametrize(
        "cookie", ["lossboard_6006=wrong", "lossboard_6006=", "other=1", "\x00;=;;", "lossboard_6006"]
    )
    def test_wrong_cookie_is_rejected(self, remote, cookie):
        assert remote.get("/api/board", Cookie=cookie).status == 401

    def test_bearer_token_is_accepted(self, remote):
        assert remote.get("/api/board", Authorization=f"Bearer {TOKEN}").status == 200

    def test_right_token_is_accepted_after_any_number_of_wrong_ones(self, remote, monkeypatch):
        monkeypatch.setattr("lossboard.server.wrong_tokens._DELAY_SECS", 0.001)
        for _ in range(30):
            assert remote.get("/?token=guess").status in (401, 429)
            assert remote.get("/api/board", Cookie="lossboard_6006=old").status in (401, 429)
        assert remote.get(f"/?token={TOKEN}").status == 303
        assert remote.get("/api/board", Cookie=f"lossboard_6006={TOKEN}").status == 200

    @pytest.mark.parametrize("prefix", ["//", "/\\", "/%5C", "/%09/", "/%0a/", "/%2f", "///%5c/", "/./%5C"])
    def test_redirect_stays_on_this_host(self, remote, prefix):
        response = remote.get(f"{prefix}evil.example/?token={TOKEN}")
        as_browsers_read_it = re.sub(r"[\t\r\n]", "", response.headers["location"].replace("\\", "/"))
        assert urlsplit(urljoin("http://board.example/", as_browsers_read_it)).netloc == "board.example"

    def test_empty_token_is_rejected(self, remote):
        assert remote.get("/?token=").status == 401

    def test_token_is_removed_from_the_url_without_a_token(self, local):
        response = local.get("/?token=left-over")
        assert (response.status, response.headers["location"]) == (303, "/")
        assert "set-cookie" not in response.headers


@pytest.mark.parametrize("path", ["/", "/api/board", "/nothing"])
def test_responses_have_security_headers(local, path):
    headers = local.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_rejections_have_security_headers(local):
    response = local.get("/", Host="evil.example")
    assert "content-security-policy" in response.headers
    assert json.loads(response.body)["error"]["message"]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("box", False),
    ],
)
def test_is_loopback(host, expected):
    assert is_loopback(host) is expected
