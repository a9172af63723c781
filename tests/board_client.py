"""Client for a board on a real logdir, without a network."""

from __future__ import annotations

import asyncio
import io
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import nanoarrow.ipc
import numpy as np

from lossboard.events.summary import encode_event, encode_simple_value
from lossboard.kinds import asset_kinds
from lossboard.server.app import build_app
from lossboard.server.board import BoardState
from lossboard.server.guard import host_names
from lossboard.server.static import StaticFiles
from lossboard.store.logdir import Logdir, Root
from reference import frame

START = 1_700_000_000.0


def write_scalars(folder: Path, series: dict[str, list[float]], *, start: float = START, first_step: int = 0) -> None:
    """Writes another event file with these series, one point per second."""
    folder.mkdir(parents=True, exist_ok=True)
    events = [
        encode_event(start + i, first_step + i, values=[encode_simple_value(tag, value)])
        for tag, values in series.items()
        for i, value in enumerate(values)
    ]
    name = f"events.out.tfevents.{len(list(folder.iterdir())):03}"
    (folder / name).write_bytes(b"".join(map(frame, events)))


@dataclass
class Response:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return self.json()["error"]["code"]

    def frames(self) -> tuple[Any, list[dict[str, np.ndarray]]]:
        parts, at = [], 0
        while at < len(self.body):
            (length,) = struct.unpack_from("<I", self.body, at)
            parts.append(self.body[at + 4 : at + 4 + length])
            at += 4 + length
        return json.loads(parts[0]), [_table(part) for part in parts[1:]]


def _table(stream: bytes) -> dict[str, np.ndarray]:
    with nanoarrow.ipc.InputStream.from_readable(io.BytesIO(stream)) as source:
        batch = nanoarrow.Array(source)
    names = [field.name for field in batch.schema.fields]
    return {name: np.array(batch.child(i).to_pylist()) for i, name in enumerate(names)}


class Client:
    """Sends requests to an ASGI application like a local browser."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def get(self, path: str, **headers: str) -> Response:
        return self.request("GET", path, headers=headers)

    def post(self, path: str, document: Any, **headers: str) -> Response:
        given = {"X-Lossboard": "1", "Content-Type": "application/json", **headers}
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return self.request("POST", path, headers=given, body=body)

    def request(self, method: str, path: str, *, headers: dict[str, str] | None = None, body: bytes = b"") -> Response:
        return asyncio.run(self._request(method, path, headers or {}, body))

    async def _request(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Response:
        raw, _, query = path.partition("?")
        fields = {"host": "localhost:6006", "content-length": str(len(body))}
        fields |= {name.replace("_", "-").lower(): value for name, value in headers.items()}
        sent: list[dict[str, Any]] = []
        has_sent = False

        async def receive() -> dict[str, Any]:
            nonlocal has_sent
            if has_sent:  # the page waits for its response
                await asyncio.Event().wait()
            has_sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": method,
            "path": unquote(raw),
            "raw_path": raw.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "scheme": "http",
            "http_version": "1.1",
            "server": ("127.0.0.1", 6006),
            "client": ("127.0.0.1", 50000),
            "headers": [(n.encode(), v.encode("latin-1")) for n, v in fields.items()],
        }
        await self.app(scope, receive, send)
        got = {name.decode(): value.decode("latin-1") for name, value in sent[0]["headers"]}
        return Response(sent[0]["status"], got, b"".join(message.get("body", b"") for message in sent[1:]))


class ServedBoard(Client):
    """A board in its own folder. `poll()` does what the follower's thread does."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.logdir = Logdir([Root(folder)], assets=asset_kinds())
        self.board = BoardState.create(self.logdir, title="a title")
        self.context, self.follower = self.board.context, self.board.follower
        options = {"hosts": host_names("localhost"), "static": StaticFiles(folder / "no-web"), **options}
        super().__init__(build_app(self.board, **options))

    def write(self, run: str, series: dict[str, list[float]], **options: Any) -> None:
        write_scalars(self.folder / run, series, **options)

    def poll(self) -> None:
        self.follower._poll_once()

    def charts(self, *charts: dict[str, Any], **params: Any) -> tuple[Any, list[dict[str, np.ndarray]]]:
        params = {"charts": [{"key": str(i), **chart} for i, chart in enumerate(charts)], **params}
        return self.post("/api/scalars/charts", params).frames()
