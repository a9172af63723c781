"""Who may ask at all: each test is an attack, or a use that must not be taken for one."""

import json

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
    def test_this_machine_is_let_in(self, local, host):
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
    def test_any_other_name_is_refused(self, local, host):
        answer = local.get("/", Host=host)
        assert (answer.status, answer.error) == (403, "host")

    def test_two_hosts_are_refused(self, local):
        async def twice(scope, receive, send):
            scope["headers"] = [*scope["headers"], (b"host", b"localhost")]
            await local.app(scope, receive, send)

        assert Client(twice).get("/").status == 403

    def test_a_name_can_be_allowed(self):
        assert guarded(allowed=["board.lab"]).get("/", Host="board.lab:443").status == 200

    def test_a_rebound_name_is_refused_even_on_an_open_board(self, remote):
        assert remote.get("/", Host="evil.example:6006").status == 403

    def test_an_open_board_answers_to_its_addresses(self, remote):
        assert remote.get("/", Host="192.168.1.5:6006").status == 200


class TestOrigin:
    def test_the_boards_own_page_is_let_in(self, local):
        assert local.get("/api/board", Origin="http://localhost:6006", Sec_Fetch_Site="same-origin").status == 200

    @pytest.mark.parametrize(
        "origin",
        ["http://evil.example", "null", "http://localhost:6007", "http://localhost:6006.evil.example", "file://"],
    )
    def test_another_origin_is_refused(self, local, origin):
        answer = local.get("/api/board", Origin=origin)
        assert (answer.status, answer.error) == (403, "origin")

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_another_site_is_refused_even_without_an_origin(self, local, site):
        assert local.get("/api/board", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors").status == 403

    def test_a_link_in_a_chat_opens_the_page(self, local):
        link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
        assert local.get("/", **link).status == 200

    def test_but_not_the_data(self, local):
        link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
        assert local.get("/api/board", **link).status == 403

    def test_nor_a_frame(self, local):
        link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}
        assert local.get("/", **link).status == 403

    def test_no_answer_invites_other_origins(self, local):
        answer = local.get("/api/board", Origin="http://localhost:6006")
        assert not [name for name in answer.headers if name.startswith("access-control")]


class TestMethodsAndTypes:
    @pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
    def test_only_three_methods_exist(self, local, method):
        answer = local.request(method, "/api/board")
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, POST")

    def test_a_form_cannot_post(self, local):
        answer = local.post("/api/runs/edit", b"{}", Content_Type="text/plain")
        assert answer.status == 415

    def test_a_post_needs_the_header_that_no_foreign_page_can_send(self, local):
        assert local.request("POST", "/x", headers={"Content-Type": "application/json"}).error == "header"


class TestSizes:
    def test_a_long_address(self, local):
        assert local.get("/?" + "x" * 9000).status == 414

    def test_long_headers(self, local):
        assert local.get("/", X_Filler="x" * 17_000).status == 431

    def test_a_long_body(self, local):
        assert local.post("/", b"x" * (MAX_BODY_BYTES + 1)).status == 413

    @pytest.mark.parametrize("length", ["-1", "1e3", "99999999999999999999", "0x10"])
    def test_a_length_that_is_none(self, local, length):
        assert local.post("/", b"{}", Content_Length=length).status == 413


class TestToken:
    def test_data_wants_it(self, remote):
        answer = remote.get("/api/board")
        assert (answer.status, answer.error) == (401, "token")

    def test_the_page_itself_holds_no_data(self, remote):
        assert remote.get("/").status == 200

    def test_the_link_becomes_a_cookie_and_the_address_forgets_it(self, remote):
        answer = remote.get(f"/?view=x&token={TOKEN}")
        assert answer.status == 303
        assert answer.headers["location"] == "/?view=x"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert remote.get("/api/board", Cookie=cookie.split(";")[0]).status == 200

    @pytest.mark.parametrize(
        "cookie", ["lossboard_6006=wrong", "lossboard_6006=", "other=1", "\x00;=;;", "lossboard_6006"]
    )
    def test_a_wrong_cookie_is_refused(self, remote, cookie):
        assert remote.get("/api/board", Cookie=cookie).status == 401

    def test_scripts_may_carry_it(self, remote):
        assert remote.get("/api/board", Authorization=f"Bearer {TOKEN}").status == 200

    def test_guessing_is_stopped(self, remote):
        for _ in range(10):
            assert remote.get("/?token=guess").status == 401
        assert remote.get(f"/?token={TOKEN}").status == 429

    def test_a_path_like_a_host_is_no_way_out(self, remote):
        answer = remote.get(f"//evil.example/?token={TOKEN}")
        assert answer.headers["location"] == "/evil.example/"

    def test_a_token_in_the_query_must_be_the_parameter(self, remote):
        assert remote.get("/?token=").status == 401

    def test_a_board_without_one_only_tidies_the_address(self, local):
        answer = local.get("/?token=left-over")
        assert (answer.status, answer.headers["location"]) == (303, "/")
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/api/board", "/nothing"])
def test_every_answer_is_locked_down(local, path):
    headers = local.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_refusals_are_locked_down_too(local):
    answer = local.get("/", Host="evil.example")
    assert "content-security-policy" in answer.headers
    assert json.loads(answer.body)["error"]["message"]


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
def test_what_loopback_is(host, expected):
    assert is_loopback(host) is expected
