"""TypeScript side of the HTTP contract, generated from the documents of the server and the kinds.

    python -m lossboard.server.contract

writes `ui/src/api/contract.ts`. The documents are the TypedDicts that handlers name in their signatures.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from lossboard.doctor.api import ROUTES as DOCTOR_ROUTES
from lossboard.doctor.api import DoctorRoute
from lossboard.kinds import kinds
from lossboard.kinds.json_numbers import JsonNumber
from lossboard.kinds.routes import ArrowResult, JsonResult, Route
from lossboard.select.api import FactsRoute
from lossboard.select.documents import FactJson
from lossboard.server import documents
from lossboard.server.facts_endpoints import FACTS_ROUTES
from lossboard.store.run_state import RunState

COMMAND = "python -m lossboard.server.contract"
TYPESCRIPT = Path(__file__).parents[2] / "ui" / "src" / "api" / "contract.ts"

SERVER_DOCUMENTS: dict[str, Any] = {
    "/api": documents.RouteList,
    "/api/board": documents.BoardInfo,
    "/api/tags": documents.TagList,
    "/api/runs/details": documents.RunDetailsList,
    "/api/runs/files": documents.RunFileList,
    "/api/runs/console": documents.ConsoleOutput,
    "/api/facts/copy": documents.CopiedTable,
    "/api/runs/edit": documents.Empty,
    "/api/runs/delete": documents.Undo,
    "/api/runs/undelete": documents.Empty,
    "/api/trash": documents.TrashList,
    "/api/trash/remove": documents.Empty,
    "/api/views/save": documents.Empty,
    "/api/views/delete": documents.Empty,
}
EVENTS: dict[str, Any] = {"at": documents.At, "grew": documents.Grew}
ERROR = documents.ErrorResponse

_ALIASES: dict[str, Any] = {"JsonNumber": JsonNumber, "RunState": RunState, "FactJson": FactJson}
_SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null"}


def document_of(route: Route | FactsRoute | DoctorRoute) -> Any:
    """Returns the type of a route's JSON document or head; None for a route that returns only bytes."""
    returned = get_type_hints(route.handler)["return"]
    for one in (returned, *get_args(returned)):
        if get_origin(one) in (JsonResult, ArrowResult):
            return get_args(one)[0]
    return None


def route_documents() -> dict[str, Any]:
    """Returns the type of the JSON document of every route that has one, by path."""
    found = dict(SERVER_DOCUMENTS) | {f"/api/{route.path}": document_of(route) for route in FACTS_ROUTES}
    found |= {f"/api/findings/{route.path}": document_of(route) for route in DOCTOR_ROUTES}
    for kind in kinds().values():
        for route in kind.routes:
            if isinstance(route, Route) and (document := document_of(route)) is not None:
                found[f"/api/{kind.name}/{route.path}"] = document
    return found


def typescript() -> str:
    """Returns the content of `contract.ts`, formatted as prettier does it."""
    declarations: dict[str, str] = {}
    for root in (*route_documents().values(), *EVENTS.values(), ERROR):
        for document in _documents(root):
            text = _interface(document)
            if declarations.setdefault(document.__name__, text) != text:
                raise TypeError(f"Two documents are called {document.__name__}. Rename one of them.")
    aliases = [f"export type {name} = {_union(get_args(alias), alias=True)};" for name, alias in _ALIASES.items()]
    head = f"/* Generated from the Python documents by `{COMMAND}`. Do not edit. */\n"
    return "\n".join([head, "\n".join(aliases), *(f"\n{declarations[name]}" for name in sorted(declarations))]) + "\n"


def _documents(hint: Any) -> Iterator[Any]:
    """Yields the TypedDicts in a type, at any depth."""
    if is_typeddict(hint):
        yield hint
        for field in get_type_hints(hint).values():
            yield from _documents(field)
    else:
        for part in get_args(hint):
            yield from _documents(part)


def fields_of(document: Any) -> dict[str, tuple[Any, bool]]:
    """Returns the type of each field of a TypedDict, and whether the field is optional."""
    fields = {}
    for name, hint in get_type_hints(document, include_extras=True).items():
        # __optional_keys__ does not know a NotRequired in an annotation that is a string.
        is_marked = get_origin(hint) is NotRequired
        fields[name] = (get_args(hint)[0] if is_marked else hint, is_marked or name in document.__optional_keys__)
    return fields


def _interface(document: Any) -> str:
    fields = fields_of(document)
    if not fields:
        return f"{_comment(document)}export type {document.__name__} = Record<string, never>;"
    lines = [f"  {name}{'?' if optional else ''}: {_type(hint)};" for name, (hint, optional) in fields.items()]
    return "\n".join([f"{_comment(document)}export interface {document.__name__} {{", *lines, "}"])


def _comment(document: Any) -> str:
    text = inspect.cleandoc(document.__doc__ or "")
    return f"/** {text} */\n" if text and not text.startswith("dict(") else ""


def _type(hint: Any) -> str:
    alias = next((name for name, aliased in _ALIASES.items() if hint == aliased), None)
    if alias or is_typeddict(hint):
        return alias or str(hint.__name__)
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(json.dumps(value) for value in args)
    if origin in (Union, UnionType):
        return _union(args)
    if origin is list or (origin is tuple and args[-1] is Ellipsis):
        item = _type(args[0])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if origin is tuple:
        return f"[{', '.join(map(_type, args))}]"
    if origin is dict:
        return f"Record<{_type(args[0])}, {_type(args[1])}>"
    raise TypeError(f"{hint} has no equivalent in the HTTP contract.")


def _union(args: tuple[Any, ...], *, alias: bool = False) -> str:
    if not alias:
        # A union of an alias and more is one flat union in Python.
        for name, aliased in _ALIASES.items():
            parts = get_args(aliased)
            if get_origin(aliased) in (Union, UnionType) and set(parts) < set(args):
                return " | ".join([name, *(_type(arg) for arg in args if arg not in parts)])
    return " | ".join(json.dumps(arg) if isinstance(arg, str) else _type(arg) for arg in args)


def main() -> None:
    TYPESCRIPT.write_text(typescript(), encoding="utf-8")
    print(f"Wrote {TYPESCRIPT}")


if __name__ == "__main__":
    main()
