"""Request guard: checks Host, Origin, token and size before routing.

A web page can make a browser send requests to a local board, and with DNS rebinding even read the responses. So every
request must name this board in its Host header, must not come from another origin, and must be small. A board that is
bound to an address other than loopback also requires its token. SECURITY.md has the reasons.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import socket
import time
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lossboard.server.error_responses import RequestRejected
from lossboard.server.wrong_tokens import WrongTokens

MAX_URL_BYTES = 8 << 10
MAX_HEADER_BYTES = 16 << 10
MAX_BODY_BYTES = 1 << 20

_METHODS = "GET, HEAD, POST"
_OTHER_ORIGIN = "Requests from pages of other origins are not allowed."
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

_CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "media-src 'self' blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
SECURITY_HEADERS = [
    (b"content-security-policy", _CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def host_names(bound_to: str, allowed: Iterable[str] = ()) -> frozenset[str]:
    """Returns the host names that requests to a board may use."""
    names = {*_LOOPBACK_NAMES, *allowed}
    if not is_loopback(bound_to):
        names |= {bound_to, f"[{bound_to}]" if ":" in bound_to else bound_to, socket.gethostname(), socket.getfqdn()}
    return frozenset(name.lower() for name in names)


class Guard:
    """ASGI middleware that passes a request on or rejects it."""

    def __init__(
        self, app: ASGIApp, *, hosts: frozenset[str], any_address: bool = False, token: str = "", prefix: str = ""
    ) -> None:
        self.app = app
        self._prefix = prefix
        self._hosts = hosts
        self._any_address = any_address
        self._token = token
        self._wrong_tokens = WrongTokens()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        respond = _with_security_headers(send)
        try:
            headers = self._check(scope)
            if scope["query_string"].startswith(b"token=") or b"&token=" in scope["query_string"]:
                await self._exchange_token(scope, respond)
                return
            await self._check_token(scope, headers)
        except RequestRejected as rejected:
            await _reject(rejected, scope, receive, respond)
            return
        await self.app(scope, _limited(receive), respond)

    def _check(self, scope: Scope) -> dict[bytes, bytes]:
        _check_sizes(scope)
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if sum(name == b"host" for name, _ in scope["headers"]) != 1 or not self._is_known(host):
            raise RequestRejected(
                403, "host", "Unknown host name. Start Lossboard with --allow_host NAME to accept it."
            )
        if scope["method"] not in _METHODS.split(", "):
            raise RequestRejected(405, "method", f"Unsupported method. Use one of {_METHODS}.")
        _check_origin(scope, headers, host, data=self._is_data(scope))
        if scope["method"] == "POST":
            _check_post(headers)
        return headers

    def _is_known(self, host: str) -> bool:
        # Any port is accepted, because an SSH tunnel may use another one. DNS rebinding needs a name of its own.
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name in self._hosts:
            return True
        return self._any_address and _is_address(name)

    async def _exchange_token(self, scope: Scope, send: Send) -> None:
        """Sets a cookie that scripts cannot read, and redirects to the address without the token."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next(value for key, value in query if key == "token")
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        # A leading // would redirect to another host. Browsers read a backslash as /, and skip a tab or line break.
        location = "/" + quote(scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
        headers = [(b"location", location.encode("latin-1", "replace")), (b"cache-control", b"no-store")]
        if self._token:
            await self._compare_token(scope, given)
            cookie = f"{self._cookie_name(scope)}={given}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
            headers.append((b"set-cookie", cookie.encode("latin-1")))
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _check_token(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        if not self._token or not self._is_data(scope):
            return
        bearer = headers.get(b"authorization", b"").decode("latin-1").removeprefix("Bearer ")
        given = bearer or _cookie(headers, self._cookie_name(scope))
        if not given:
            raise RequestRejected(
                401, "token", "Token required. Open the link printed in the terminal when Lossboard started."
            )
        await self._compare_token(scope, given)

    async def _compare_token(self, scope: Scope, given: str) -> None:
        if hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode()):
            return
        address = (scope.get("client") or ("", 0))[0]
        delay_secs = self._wrong_tokens.delay_secs(address, time.monotonic())
        if delay_secs is None:
            raise RequestRejected(429, "token", "Too many wrong tokens. Wait a minute.")
        await asyncio.sleep(delay_secs)
        raise RequestRejected(
            401, "token", "Wrong token. Open the link printed in the terminal when Lossboard started."
        )

    def _is_data(self, scope: Scope) -> bool:
        """Returns whether responses of this path may contain data of the logdir. The files of the UI do not."""
        path: str = scope["path"].removeprefix(self._prefix)
        return path == "/api" or path.startswith("/api/")

    @staticmethod
    def _cookie_name(scope: Scope) -> str:
        # Browsers send cookies to all ports of a host, and several boards may run on one machine.
        server = scope.get("server") or ("", 0)
        return f"lossboard_{server[1]}"


async def _reject(rejected: RequestRejected, scope: Scope, receive: Receive, send: Send) -> None:
    # The rest of the request is not read, so the connection cannot be used again.
    headers = {"connection": "close"}
    if rejected.status == 405:
        headers["allow"] = _METHODS
    await rejected.response(headers)(scope, receive, send)


def _check_sizes(scope: Scope) -> None:
    if len(scope["raw_path"] or b"") + len(scope["query_string"]) > MAX_URL_BYTES:
        raise RequestRejected(414, "url", f"The URL is longer than {MAX_URL_BYTES} bytes.")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        raise RequestRejected(431, "headers", f"The headers are longer than {MAX_HEADER_BYTES} bytes.")


def _check_origin(scope: Scope, headers: dict[bytes, bytes], host: str, *, data: bool) -> None:
    origin = headers.get(b"origin")
    if origin is not None and origin.decode("latin-1").lower() not in (f"http://{host}", f"https://{host}"):
        raise RequestRejected(403, "origin", _OTHER_ORIGIN)
    site = headers.get(b"sec-fetch-site", b"none")
    if site in (b"same-origin", b"none"):
        return
    # A link to the board in a chat or a wiki may open the page, which then sends its own requests.
    is_navigation = (
        scope["method"] == "GET"
        and headers.get(b"sec-fetch-mode") == b"navigate"
        and headers.get(b"sec-fetch-dest") == b"document"
        and not data
    )
    if not is_navigation:
        raise RequestRejected(403, "origin", _OTHER_ORIGIN)


def _check_post(headers: dict[bytes, bytes]) -> None:
    if headers.get(b"x-lossboard") != b"1":
        raise RequestRejected(403, "header", "A POST request must have the header X-Lossboard: 1.")
    if headers.get(b"content-type", b"").split(b";")[0].strip().lower() != b"application/json":
        raise RequestRejected(415, "type", "A POST request must have the content type application/json.")
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > MAX_BODY_BYTES:
        raise _body_too_long()


def _body_too_long() -> RequestRejected:
    return RequestRejected(413, "body", f"The body is longer than {MAX_BODY_BYTES} bytes.")


def _limited(receive: Receive) -> Receive:
    """Limits a body that arrives in chunks without a content-length."""
    received_bytes = 0

    async def limited() -> Message:
        nonlocal received_bytes
        message = await receive()
        received_bytes += len(message.get("body", b""))
        if received_bytes > MAX_BODY_BYTES:
            raise _body_too_long()
        return message

    return limited


def _with_security_headers(send: Send) -> Send:
    async def secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *SECURITY_HEADERS]
        await send(message)

    return secured


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _cookie(headers: dict[bytes, bytes], name: str) -> str:
    try:
        morsel = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel else ""
