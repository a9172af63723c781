"""Error responses: JSON documents with a code and a message."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from lossboard.errors import LossboardError, UsageError
from lossboard.kinds.cancellation import Cancelled
from lossboard.server.endpoint import Handler
from lossboard.server.frames import json_bytes

_CLIENT_CLOSED_REQUEST = 499

log = logging.getLogger(__name__)


class RequestRejected(Exception):
    """A request that is rejected before a route handles it."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message

    def response(self, headers: Mapping[str, str] | None = None) -> Response:
        return error_response(self.status, self.code, self.message, headers)


def error_response(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    document = {"error": {"code": code, "message": message}}
    return Response(json_bytes(document), status, headers, media_type="application/json")


def unknown_path() -> Response:
    return error_response(404, "address", "Unknown path. GET /api lists all paths.")


def wrong_method() -> Response:
    return error_response(405, "method", "Wrong method for this path. GET /api lists the methods.")


def with_error_responses(handler: Handler) -> Handler:
    """Returns a handler that turns exceptions into responses. Details of internal errors go to the log only."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestRejected as rejected:
            return rejected.response()
        except (ClientDisconnect, Cancelled):
            return Response(status_code=_CLIENT_CLOSED_REQUEST)  # the client has disconnected
        except LossboardError as error:
            return error_response(400 if isinstance(error, UsageError) else 409, "question", str(error))
        except Exception as error:
            if type(error) is LookupError:  # raised with a message for users; a KeyError or IndexError is a bug
                return error_response(404, "missing", str(error))
            log.exception("Request for %s failed", request.url.path)
            return error_response(500, "fault", "Internal error. The log in the terminal has the details.")

    return handle
