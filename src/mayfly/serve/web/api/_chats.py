"""Chats: conversations in the directory that the server works in, held turn by turn, whichever process takes one."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request

from mayfly.core import ConflictError, Stop, one_line
from mayfly.operations import commit_fields, pick_fields
from mayfly.serve.web._answer import JsonAnswer, NotFound, recorded
from mayfly.serve.web._served import Limit, RunId, ServedRuntime, Site, Skip, order_by
from mayfly.serve.web.api._running import ChatOrder, SayOrder, UndoOrder, WordOrder, check_model

if TYPE_CHECKING:
    from mayfly.runtime import Session
    from mayfly.session import SessionLog
    from mayfly.store import Event

router = APIRouter(prefix="/chats", tags=["chats"])
# Characters of a commit's diff that are shown at once.
_DIFF = 200_000


@router.get("", summary="List chats")
def list_chats(served: Site, limit: Limit = 50, skip: Skip = 0) -> JsonAnswer:
    """Return the conversations that people began, the newest first."""
    ledger = served.ledger
    began = [one for one in ledger.read(kind="session.began") if not one.payload.get("parent")]
    page = list(reversed(began))[skip : skip + limit]
    held = ledger.claimed(one.subject for one in page)
    chats = [{"id": one.subject, "at": one.at.isoformat(), "busy": one.subject in held, **one.payload} for one in page]
    for chat in chats:
        asked = ledger.last(kind="session.turn_asked", subject=str(chat["id"]))
        chat["said"] = one_line(str(asked.payload["text"]), limit=200) if asked is not None else ""
    return recorded({"chats": chats, "total": len(began), "next": skip + limit if skip + limit < len(began) else None})


@router.post("", summary="Begin a chat", status_code=201)
async def begin_chat(order: ChatOrder, request: Request, served: Site) -> JsonAnswer:
    """Begin a conversation; nothing is said yet."""
    model = check_model(served, order.model)
    id = f"s-{secrets.token_hex(4)}"

    def work(stop: Stop) -> dict[str, Any]:
        with _opened(served, id, model=model, begins=True) as session:
            return {"id": session.id, "workspace": str(session.workspace), "model": model or ""}

    return JsonAnswer(await served.workroom.do(request, work), 201, {"Location": f"/api/chats/{id}"})


@router.get("/{chat}", summary="Read a chat")
def get_chat(chat: RunId, served: Site) -> JsonAnswer:
    """Return a conversation: each turn with what was asked, said, called and returned, and how it ended."""
    return recorded(chat_data(served, chat))


def chat_data(served: ServedRuntime, chat: str) -> dict[str, Any]:
    """Return a conversation as data."""
    log = _log(served, chat)
    assert log.began is not None, "looked up"
    return {
        "id": chat,
        "workspace": log.began.workspace,
        "model": log.began.model,
        "busy": chat in served.ledger.claimed([chat]),
        "turns": [_turn_fields(turn) for turn in log.turns],
    }


def _turn_fields(turn: Any) -> dict[str, Any]:
    returned = "status text commit held"
    calls = [
        {
            "key": key,
            **pick_fields(called, "tool arguments effect"),
            **(pick_fields(done, returned) if done is not None else dict.fromkeys(returned.split(), "")),
        }
        for key, called in turn.called.items()
        for done in [turn.returned.get(key)]
    ]
    return {
        "number": turn.number,
        "asked": turn.text,
        "personas": list(turn.configured.personas) if turn.configured else [],
        "told": list(turn.configured.told) if turn.configured else [],
        "said": [one.text for one in turn.said if one.text],
        "calls": calls,
        "ended": None if turn.ended is None else pick_fields(turn.ended, "status reason"),
    }


@router.post("/{chat}/say", summary="Say something in a chat", status_code=202)
async def say(chat: RunId, order: SayOrder, request: Request, served: Site) -> JsonAnswer:
    """Take one request to the end of its turn; without `wait` it is 202 at once, and events tell how it goes.

    One turn at a time: 409 while another one is under way, in whatever process.
    """
    _log(served, chat)
    if not order.text.strip():
        raise ConflictError("nothing was said")

    def work(stop: Stop) -> dict[str, Any]:
        with _opened(served, chat) as session, _stopped_by(served, chat, session, stop):
            if session.log.turn is not None:
                session.go_on()
            ended = session.turn(order.text)
        return {"id": chat, **pick_fields(ended, "turn status text reason")}

    if order.wait:
        return recorded(await served.workroom.do(request, work))
    if chat in served.ledger.claimed([chat]):
        raise ConflictError(f"{chat} has a turn under way", fix=f"wait for it, or POST /api/chats/{chat}/stop")
    stop = Stop()
    task = served.workroom.begin(work, stop=stop)
    # What fails at once, such as a store that is gone, is an answer; what takes longer is told by events.
    await asyncio.wait({task}, timeout=0.05)
    if task.done():
        return recorded(task.result())
    task.add_done_callback(lambda done: done.exception())
    return JsonAnswer({"id": chat, "status": "running"}, 202)


@router.post("/{chat}/stop", summary="Stop the turn that is under way")
def stop_turn(chat: RunId, order: WordOrder, served: Site) -> JsonAnswer:
    """Ask the turn to stop, in whatever process it is; the conversation stays."""
    from mayfly.session import TurnStopAsked

    _log(served, chat)
    ledger = served.ledger
    if chat not in ledger.claimed([chat]):
        raise ConflictError(f"{chat} has no turn under way")
    by = order_by(order.by)
    ledger.append(TurnStopAsked(by=by, reason=order.reason), subject=chat)
    return recorded({"id": chat, "stopped": True, "by": by})


@router.get("/{chat}/changes", summary="List what was changed")
def list_changes(chat: RunId, served: Site, limit: Limit = 50) -> JsonAnswer:
    """Return the commits in the workspace of a chat, the newest first, each with its diff."""
    from mayfly.sandbox.workbench import commits

    log = _log(served, chat)
    assert log.began is not None, "looked up"
    found = commits(served.runtime.settings.workbench_state, log.began.workspace)[:limit]
    return recorded({"changes": [{**commit_fields(one), "diff": one.changes.diff()[:_DIFF]} for one in found]})


@router.post("/{chat}/undo", summary="Take a change back")
def undo_change(chat: RunId, order: UndoOrder, served: Site) -> JsonAnswer:
    """Take a change of the workspace back, the last one if none is named; to undo an undo does it again."""
    from mayfly.sandbox.workbench import undo

    log = _log(served, chat)
    assert log.began is not None, "looked up"
    return recorded(commit_fields(undo(served.runtime.settings.workbench_state, log.began.workspace, order.id)))


def _log(served: ServedRuntime, chat: str) -> SessionLog:
    from mayfly.session import SessionLog

    log = SessionLog(served.ledger, chat)
    if log.began is None:
        raise NotFound(f"there is no chat {chat}", fix="see GET /api/chats")
    return log


def _opened(served: ServedRuntime, chat: str, *, model: str | None = None, begins: bool = False) -> Session:
    """Open a session for one turn; between turns nobody holds it, so that any process can take the next one."""
    from mayfly.runtime import Session

    where: dict[str, Any] = {"id": chat} if begins else {"resume": chat}
    return Session(served.runtime.settings, workspace=served.workspace, model=model, **where)


def _stopped_by(served: ServedRuntime, chat: str, session: Session, stop: Stop) -> ExitStack:
    """Let the client's leaving, or a word in the ledger, stop the turn of *session*."""

    def hear(event: Event) -> None:
        if event.kind == "session.stop_asked":
            session.stop()

    stack = ExitStack()
    stack.enter_context(stop.ending(session.stop))
    stack.enter_context(served.feed.watching(chat, hear))
    return stack
