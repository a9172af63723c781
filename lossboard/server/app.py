"""The HTTP side: which address is answered by what. Everything that is known of data comes from kinds and store."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from lossboard.errors import LossboardError, UsageError
from lossboard.kinds import kinds
from lossboard.kinds.routes import Download, StreamResult
from lossboard.kinds.routes import Route as KindRoute
from lossboard.server.board import BoardState, describe_board, describe_tags
from lossboard.server.frames import json_bytes
from lossboard.server.guard import Guard, RequestRejected
from lossboard.server.live import ChangeSet, Subscription, grew_message
from lossboard.server.response_cache import Body, ResponseCache, attachment_headers
from lossboard.server.static import StaticFiles

log = logging.getLogger(__name__)

_THREADS = 4
_BODY_SECS = 10
_HEARTBEAT_SECS = 15

Handler = Callable[[Request], Awaitable[Response]]


def build_app(
    board: BoardState,
    *,
    hosts: frozenset[str],
    any_address: bool = False,
    token: str = "",
    prefix: str = "",
    static: StaticFiles | None = None,
) -> ASGIApp:
    """The whole board as an ASGI application, guard included."""
    server = Handlers(board, static or StaticFiles())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        board.follower.start()
        yield
        await asyncio.to_thread(board.follower.stop)
        server.threads.shutdown(cancel_futures=True)

    async def not_found(_request: Request, _error: Exception) -> Response:
        return _nothing_there()

    async def wrong_method(_request: Request, _error: Exception) -> Response:
        return _wrong_method()

    routes = [Route(prefix + path, handler, methods=[method]) for method, path, handler, _ in server.routes()]
    if prefix:
        routes.append(Route(prefix, lambda _: RedirectResponse(f"{prefix}/", 308)))
    routes.append(Route(prefix + "/{name:path}", server.page, methods=["GET"]))
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={404: not_found, 405: wrong_method})
    return Guard(app, hosts=hosts, any_address=any_address, token=token, prefix=prefix)


class Handlers:
    """The handlers of one board."""

    def __init__(self, board: BoardState, static: StaticFiles) -> None:
        self._board = board
        self._static = static
        self.threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="lossboard-answer")
        self._answers = ResponseCache(self.threads)
        self._paths = {path for _, path, _, _ in self.routes()}

    def routes(self) -> list[tuple[str, str, Handler, str]]:
        own: list[tuple[str, str, Handler, str]] = [
            ("GET", "/api", self.listing, "This list"),
            ("GET", "/api/board", self.board, "The runs, the kinds that have data, the saved views"),
            ("GET", "/api/tags", self.tags, "The tags of a kind, with the number of runs that have each"),
            ("GET", "/api/live", self.live, "Server-Sent Events: what grew, which runs came or went"),
            ("POST", "/api/runs/edit", self._change(self._edit_runs), "Sets names, notes, tags, colours of runs"),
            ("POST", "/api/runs/delete", self._change(self._delete_runs), "Moves runs to the trash beside the logs"),
            ("POST", "/api/runs/undelete", self._change(self._undelete_runs), "Brings deleted runs back"),
            ("POST", "/api/views/save", self._change(self._save_view), "Saves a view under a name"),
            ("POST", "/api/views/delete", self._change(self._delete_view), "Removes a saved view"),
        ]
        for kind in kinds().values():
            for route in kind.routes:
                path = f"/api/{kind.name}/{route.path}"
                own.append((route.method, path, self._kind_handler(path, route), route.summary))
        return own

    async def page(self, request: Request) -> Response:
        name = request.path_params["name"]
        if not name.startswith("api/"):
            return self._static.answer(request, name)
        return _wrong_method() if f"/{name}" in self._paths else _nothing_there()

    async def listing(self, request: Request) -> Response:
        routes = [{"method": method, "path": path, "summary": summary} for method, path, _, summary in self.routes()]
        return _respond(request, Body(json_bytes({"routes": routes}), "application/json"))

    async def board(self, request: Request) -> Response:
        return await self._answered(request, lambda: describe_board(self._board))

    async def tags(self, request: Request) -> Response:
        kind = request.query_params.get("kind", "")
        return await self._answered(request, lambda: describe_tags(self._board.context, kind))

    async def live(self, _: Request) -> Response:
        if self._board.follower.is_full:
            return _error(503, "busy", "Too many pages follow this board. Close some.")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self._events(), media_type="text/event-stream", headers=headers)

    async def _events(self) -> AsyncIterator[bytes]:
        with self._board.follower.subscribe() as subscription:
            yield b"retry: 1000\n\n"
            # What happened before the stream was open is told to nobody: a page that asked earlier learns where we are.
            loading = not self._board.follower.loaded.is_set()
            yield _event("at", {"cursor": self._board.context.logdir.cursor, "loading": loading})
            while not subscription.closed:
                for event in self._told(await subscription.next(_HEARTBEAT_SECS), subscription):
                    yield event

    def _told(self, changes: ChangeSet | None, subscription: Subscription) -> list[bytes]:
        if changes is None:
            return [b":\n\n"]
        if subscription.closed:
            return []
        events: list[tuple[str, Any]] = [
            (name, {}) for name, has in (("runs", changes.runs), ("sidecar", changes.sidecar)) if has
        ]
        if changes.grown:
            board = self._board
            events.insert(0, ("grew", grew_message(changes, board.context.logdir.runs, board.follower.state)))
        return [_event(name, data) for name, data in events]

    def _kind_handler(self, path: str, route: KindRoute | Download) -> Handler:
        async def handler(request: Request) -> Response:
            asked = await _body(request) if route.method == "POST" else request.url.query.encode()
            context = self._board.context

            def parameters() -> Mapping[str, Any]:
                return _parameters(asked) if route.method == "POST" else dict(request.query_params)

            match route:
                case Download(handler=download):
                    loop = asyncio.get_running_loop()
                    return _saved(await loop.run_in_executor(self.threads, lambda: download(context, parameters())))
                case KindRoute(handler=handle):
                    key = (path, asked, context.logdir.cursor, context.annotations.version)
                    return _respond(request, await self._answers.get(key, lambda: handle(context, parameters())))

        return _in_words(handler)

    def _change(self, change: Callable[[Mapping[str, Any]], Any]) -> Handler:
        async def handler(request: Request) -> Response:
            asked = _parameters(await _body(request))
            answer = await asyncio.get_running_loop().run_in_executor(self.threads, change, asked)
            self._board.follower.publish(ChangeSet(sidecar=True))
            return Response(json_bytes(answer or {}), media_type="application/json")

        return _in_words(handler)

    async def _answered(self, request: Request, describe: Callable[[], object]) -> Response:
        async def handler(request: Request) -> Response:
            document = await asyncio.get_running_loop().run_in_executor(self.threads, describe)
            return _respond(request, Body(json_bytes(document), "application/json"))

        return await _in_words(handler)(request)

    def _edit_runs(self, asked: Mapping[str, Any]) -> None:
        self._board.context.annotations.edit(self._runs(asked), asked.get("set"))

    def _delete_runs(self, asked: Mapping[str, Any]) -> dict[str, str]:
        runs = self._runs(asked)
        if not runs:
            raise LookupError("No such run: it may have been deleted already.")
        return {"undo": self._board.context.annotations.delete(runs)}

    def _undelete_runs(self, asked: Mapping[str, Any]) -> None:
        self._board.context.annotations.undelete(asked.get("undo"))

    def _save_view(self, asked: Mapping[str, Any]) -> None:
        self._board.context.annotations.save_view(asked.get("name"), asked.get("state"))

    def _delete_view(self, asked: Mapping[str, Any]) -> None:
        self._board.context.annotations.delete_view(asked.get("name"))

    def _runs(self, asked: Mapping[str, Any]) -> list[Any]:
        ids = asked.get("ids")
        if not isinstance(ids, list):
            raise UsageError('Expected "ids" to be a list of run ids.')
        return self._board.context.select_runs({"only": ids})


def _in_words(handler: Handler) -> Handler:
    """Errors as JSON. What went wrong inside is for the log, never for the answer."""

    async def spoken(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestRejected as refusal:
            return _error(refusal.status, refusal.code, refusal.message)
        except LossboardError as error:
            return _error(400 if isinstance(error, UsageError) else 409, "question", str(error))
        except Exception as error:
            if type(error) is LookupError:  # raised in words; a KeyError or IndexError is a mistake of ours
                return _error(404, "missing", str(error))
            log.exception("Answering %s failed", request.url.path)
            return _error(500, "fault", "The board failed to answer this. Its log has the details.")

    return spoken


def _event(name: str, data: Any) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), json_bytes(data))


async def _body(request: Request) -> bytes:
    try:
        return await asyncio.wait_for(request.body(), _BODY_SECS)
    except TimeoutError as error:
        raise RequestRejected(408, "slow", f"The body did not arrive within {_BODY_SECS} s.") from error


def _parameters(body: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UsageError("Expected the body to be JSON.") from error
    if not isinstance(document, dict):
        raise UsageError("Expected the body to be a JSON object.")
    return document


def _respond(request: Request, body: Body) -> Response:
    if request.method == "POST":
        return Response(body.content, media_type=body.mime, headers={"cache-control": "no-store", **body.headers})
    headers = {"cache-control": "no-cache", "etag": body.etag, **body.headers}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(body.content, media_type=body.mime, headers=headers)


def _saved(answer: StreamResult) -> Response:
    headers = {"cache-control": "no-store", **attachment_headers(answer.filename)}
    return StreamingResponse(answer.parts, media_type=answer.mime, headers=headers)


def _nothing_there() -> Response:
    return _error(404, "address", "There is nothing at this address. GET /api lists what there is.")


def _wrong_method() -> Response:
    return _error(405, "method", "This address is asked with another method. GET /api says which.")


def _error(status: int, code: str, message: str) -> Response:
    return Response(json_bytes({"error": {"code": code, "message": message}}), status, media_type="application/json")
