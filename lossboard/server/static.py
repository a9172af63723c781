"""Static files: the built UI. Requests can only name files of a table, never paths."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

WEB = Path(__file__).parent.parent / "web"

_COMPRESSED = {"br": ".br", "gzip": ".gz"}
_WORTH_COMPRESSING = ("text/", "application/javascript", "application/json", "application/wasm", "image/svg+xml")
_NOT_BUILT = b"""<!doctype html><meta charset="utf-8"><title>Lossboard</title>
<h1>The web UI is not built</h1>
<p>This is a source checkout. Run <code>make ui</code> in it (requires Node 20), then reload this page.</p>
<p>The HTTP API works without the UI: see <a href="api">the list of routes</a>.</p>
"""


@dataclass(frozen=True)
class StaticFile:
    body: bytes
    mime: str
    etag: str
    immutable: bool
    compressed: dict[str, bytes]

    @classmethod
    def load(cls, path: Path, name: str) -> StaticFile:
        body = path.read_bytes()
        mime = _mime(name)
        compressed = {
            encoding: variant.read_bytes()
            for encoding, suffix in _COMPRESSED.items()
            if (variant := path.with_name(path.name + suffix)).is_file()
        }
        if "gzip" not in compressed and mime.startswith(_WORTH_COMPRESSING) and len(body) > 1000:
            compressed["gzip"] = gzip.compress(body, 6, mtime=0)
        # Vite puts a hash of the content into file names below assets/, so these files never change.
        return cls(body, mime, f'"{hashlib.blake2b(body, digest_size=9).hexdigest()}"', "assets/" in name, compressed)


class StaticFiles:
    """The files of a folder, loaded on first use, and again after a new build."""

    def __init__(self, folder: Path = WEB) -> None:
        self._folder = folder
        self._files: dict[str, Path] = {}
        self._loaded: dict[str, StaticFile] = {}
        self._built_at = -1.0

    def respond(self, request: Request, name: str) -> Response:
        self._find_files()
        name = name or "index.html"
        if name not in self._files:
            if name == "index.html":
                return Response(_NOT_BUILT, media_type="text/html", headers={"cache-control": "no-store"})
            return Response("Page not found.", 404, media_type="text/plain")
        if name not in self._loaded:
            self._loaded[name] = StaticFile.load(self._files[name], name)
        return _respond(request, self._loaded[name])

    def _find_files(self) -> None:
        index = self._folder / "index.html"
        built_at = index.stat().st_mtime if index.is_file() else 0.0
        if built_at == self._built_at:
            return
        self._built_at = built_at
        self._loaded = {}
        self._files = {
            path.relative_to(self._folder).as_posix(): path
            for path in self._folder.rglob("*")
            if path.is_file() and path.suffix not in _COMPRESSED.values()
        }


def _respond(request: Request, file: StaticFile) -> Response:
    caching = "public, max-age=31536000, immutable" if file.immutable else "no-cache"
    headers = {"etag": file.etag, "cache-control": caching, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=headers)
    accepted = {part.split(";")[0].strip() for part in request.headers.get("accept-encoding", "").split(",")}
    for encoding in _COMPRESSED:
        if encoding in accepted and encoding in file.compressed:
            return Response(
                file.compressed[encoding], media_type=file.mime, headers=headers | {"content-encoding": encoding}
            )
    return Response(file.body, media_type=file.mime, headers=headers)


def _mime(name: str) -> str:
    # The system's table of types may be wrong or missing, and browsers do not run a script of the wrong type.
    known = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm"}
    return known.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
