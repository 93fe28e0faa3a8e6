"""The API: JSON over HTTP, one module for each thing that is asked about."""

from fastapi import APIRouter

from mayfly.serve.web._answer import ERRORS
from mayfly.serve.web.api import _chats, _events, _inbox, _library, _policy, _runs, _system

__all__ = ["api_router"]


def api_router() -> APIRouter:
    """Return the routes below /api."""
    router = APIRouter(responses=ERRORS)
    for part in (_runs, _inbox, _chats, _library, _policy, _system, _events):
        router.include_router(part.router)
    return router
