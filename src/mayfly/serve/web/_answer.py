"""Answers as plain ASCII without secrets, and errors: {"error": {"code", "message", "fix"}} and a status."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from mayfly.core import (
    ConflictError,
    HelpNeeded,
    InputError,
    LimitError,
    MachineError,
    MayflyError,
    Refusal,
    StoreError,
    one_line,
    utf8,
    without_secrets,
    without_secrets_in,
)

# Items of a list that lies on disk which go into one answer; the number of all of them is beside it.
ITEMS = 10_000


class JsonAnswer(JSONResponse):
    """JSON in ASCII, so that nothing in it is acted on by a terminal or lost half of a character."""

    def render(self, content: Any) -> bytes:
        """Write *content*; what is no number becomes null, as JSON has no word for it."""
        try:
            return _dumps(content)
        except ValueError:
            return _dumps(_finite(content))


def _dumps(content: Any) -> bytes:
    return json.dumps(content, allow_nan=False, separators=(",", ":"), default=plain_data).encode("ascii")


def plain_data(value: object) -> object:
    """Let what is nearly JSON be written as what it stands for."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, Sequence):
        return list(value[:ITEMS])
    return str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(item) for item in value]
    return value


def recorded(fields: Any) -> JsonAnswer:
    """Answer with what was recorded, without secrets that came into it."""
    return JsonAnswer(without_secrets_in(fields))


log = logging.getLogger("mayfly.serve")


class NotFound(InputError):
    """There is nothing of that name or id."""

    code = "NOT_FOUND"


class BusyError(MayflyError):
    """So much is under way or was asked for that more is sent away."""

    code = "BUSY"

    def __init__(self, message: str, *, seconds: int, status: int = 503) -> None:
        super().__init__(message, fix=f"try again in {seconds} s")
        self.seconds = seconds
        self.status = status


# The first that fits says the status; what a limit or a missing answer stopped was understood and not done.
_STATUS: tuple[tuple[type[MayflyError], int], ...] = (
    (NotFound, 404),
    (ConflictError, 409),
    (InputError, 400),
    (Refusal, 403),
    (LimitError, 422),
    (HelpNeeded, 422),
    (MachineError, 503),
    (StoreError, 503),
    (MayflyError, 422),
)


@contextmanager
def looked_up() -> Iterator[None]:
    """Turn the caller's mistake into 404: for bodies that look up what the path names, and as a decorator."""
    try:
        yield
    except (NotFound, ConflictError):
        raise
    except InputError as error:
        raise NotFound(error.message, fix=error.fix) from None


def error_fields(code: str, message: str, fix: str | None = None, **more: Any) -> dict[str, Any]:
    """Return an error as data: one line, with no secrets and nothing that a terminal would act on."""
    said = {"code": code, "message": _safe_line(message), "fix": _safe_line(fix or "")}
    return {"error": {**said, **more}}


def error_bytes(code: str, message: str, fix: str | None = None) -> bytes:
    """Return an error as it is sent."""
    return json.dumps(error_fields(code, message, fix)).encode()


ErrorPage = Callable[[Request, int, Mapping[str, str]], Response]


def handle_errors(app: FastAPI, error_page: ErrorPage) -> None:
    """Let every exception of the application end in such an answer, or in the *error_page* for who asked for a page."""

    def answer(
        request: Request, said: dict[str, Any], status: int, headers: Mapping[str, str] | None = None
    ) -> Response:
        wants_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api")
        made = error_page(request, status, said["error"]) if wants_page else JSONResponse(said, status)
        made.headers.update(headers or {})
        return made

    @app.exception_handler(MayflyError)
    def ours(request: Request, error: MayflyError) -> Response:
        status = next(status for kind, status in _STATUS if isinstance(error, kind))
        headers: dict[str, str] = {}
        if isinstance(error, BusyError):
            status, headers = error.status, {"Retry-After": str(error.seconds)}
        more = getattr(error, "details", {})
        return answer(request, error_fields(error.code, error.message, error.fix, **more), status, headers)

    @app.exception_handler(RequestValidationError)
    def unfit(request: Request, error: RequestValidationError) -> Response:
        return answer(request, error_fields("INPUT", _misfit(error.errors()), "see /api/openapi.json"), 422)

    @app.exception_handler(HTTPException)
    def plain(request: Request, error: HTTPException) -> Response:
        code = {404: "NOT_FOUND", 405: "METHOD"}.get(error.status_code, "INPUT")
        message = (
            f"there is no {request.method} {request.url.path}" if error.status_code in (404, 405) else error.detail
        )
        said = error_fields(code, message, "see /api/openapi.json")
        return answer(request, said, error.status_code, dict(error.headers or {}))

    @app.exception_handler(Exception)
    def unforeseen(request: Request, error: Exception) -> Response:
        # The log of the server has the traceback; who asked gets the kind of error and nothing of the insides.
        log.error("%s %s", request.method, one_line(request.url.path, limit=200), exc_info=error)
        fix = "try again; the log of the server says more"
        return answer(request, error_fields("UNEXPECTED", f"unexpected {type(error).__name__}", fix), 500)


def _misfit(errors: Any) -> str:
    """Say what does not fit and where, of the first few things that do not."""
    told = []
    for one in list(errors)[:3]:
        where = ".".join(str(part) for part in one["loc"] if part != "body")
        told.append(f"{where}: {one['msg']}" if where else str(one["msg"]))
    return "; ".join(told) or "the request does not fit"


def _safe_line(text: str) -> str:
    return utf8(one_line(without_secrets(text)))


# What the routes of the API may answer besides what they return, for OpenAPI.
_MEANINGS: Mapping[int, str] = {
    400: "something given is wrong",
    401: "a token is needed",
    403: "the rules, or the door of the server, said no",
    404: "there is nothing of that name or id",
    409: "it contradicts what is recorded: somebody else was first",
    413: "the request is too large",
    422: "the request does not fit its schema, or was understood and could not be done",
    429: "too many requests from this address",
    503: "too much is under way, or the machine or the store cannot do it now",
}
_SHAPE = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "fix"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "fix")},
        }
    },
}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": meaning, "content": {"application/json": {"schema": _SHAPE}}}
    for status, meaning in _MEANINGS.items()
}
