"""*Chat* and *Inbox*: conversations with what was called and held; what waits for a person, with its diffs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from mayfly import operations
from mayfly.core import InputError, MayflyError
from mayfly.operations import approval_fields, waiting_of
from mayfly.serve.web._passes import checked_form
from mayfly.serve.web._served import Site
from mayfly.serve.web.api._chats import begin_chat, chat_data, list_chats, say, stop_turn, undo_change
from mayfly.serve.web.api._inbox import approve, deny, settle
from mayfly.serve.web.api._running import ChatOrder, SayOrder, SettleOrder, UndoOrder, WordOrder
from mayfly.serve.web.pages._frame import page, see, word_in

if TYPE_CHECKING:
    from mayfly.serve.web._answer import JsonAnswer
    from mayfly.serve.web._served import ServedRuntime

router = APIRouter()
_CHATS = 30
# Turns on one page, the last of a conversation; earlier ones are a link away.
_TURNS = 20
# Of the arguments of a call this one tells most.
_TELLING = ("command", "path", "pattern", "url", "task", "question", "intent")


@router.get("/chat")
def list_all(request: Request, served: Site, skip: Annotated[int, Query(ge=0, le=10_000_000)] = 0) -> HTMLResponse:
    """Show the conversations, the newest first, and how to begin one."""
    found = _data(list_chats(served, limit=_CHATS, skip=skip))
    return page(
        request,
        "chats.html",
        chats=found["chats"],
        next=found["next"],
        skip=skip,
        workspace=str(served.workspace),
        model=served.runtime.settings.models.name,
    )


@router.post("/chat")
async def begin(request: Request, served: Site) -> RedirectResponse:
    """Begin a conversation with what was said first."""
    form = await checked_form(request)
    text = _said(word_in(form, "text"))
    begun = _data(await begin_chat(ChatOrder(model=None), request, served))
    await say(begun["id"], SayOrder(text=text, wait=False), request, served)
    return see(f"/chat/{begun['id']}")


@router.get("/chat/{chat}")
def show(
    request: Request, chat: str, served: Site, until: Annotated[int, Query(ge=0, le=10_000_000)] = 0
) -> HTMLResponse:
    """Show one conversation; *until* is the turn that a page of earlier ones ends with."""
    found = chat_data(served, chat)
    turns = [one for one in found["turns"] if not until or one["number"] <= until]
    shown = turns[-_TURNS:]
    commits = _commits(served, found["workspace"], shown)
    waiting = _waiting(served, chat)
    for turn in shown:
        for call in turn["calls"]:
            call["short"] = _short(call["arguments"])
            call["change"] = commits.get(call["commit"])
            call["waits"] = waiting.pop(call["held"], None)
    return page(
        request,
        "chat.html",
        chat=chat,
        found=found,
        turns=shown,
        earlier=shown[0]["number"] - 1 if len(turns) > len(shown) else 0,
        until=until,
        waiting=list(waiting.values()),
        busy=found["busy"],
    )


def _waiting(served: ServedRuntime, chat: str) -> dict[str, dict[str, Any]]:
    """Return what of this conversation waits for a person, by its id."""
    found = [approval_fields(one) for one in waiting_of(served.ledger, chat)]
    return {one["id"]: {**one, "diff": diff_of(served, one)} for one in found}


def _commits(served: ServedRuntime, workspace: str, turns: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the changes that calls of these turns made, each with its diff and whether it was taken back since."""
    from mayfly.sandbox.workbench import commits

    wanted = {call["commit"] for turn in turns for call in turn["calls"] if call["commit"]}
    if not wanted:
        return {}
    known = commits(served.runtime.settings.workbench_state, workspace)
    undone = {one.undoes for one in known if one.undoes}
    return {
        one.id: {"id": one.id, "summary": one.changes.summary(), "diff": one.changes.diff(), "undone": one.id in undone}
        for one in known
        if one.id in wanted
    }


def _short(arguments: object) -> str:
    if not isinstance(arguments, Mapping):
        return ""
    told = next((str(arguments[name]) for name in _TELLING if name in arguments), "")
    return told or ", ".join(f"{name}={value}" for name, value in arguments.items())


@router.post("/chat/{chat}/say")
async def say_something(request: Request, chat: str, served: Site) -> RedirectResponse:
    """Take what a person says; the turn goes on by itself, and the page follows it."""
    form = await checked_form(request)
    await say(chat, SayOrder(text=_said(word_in(form, "text")), wait=False), request, served)
    return see(f"/chat/{chat}")


@router.post("/chat/{chat}/stop")
async def stop(request: Request, chat: str, served: Site) -> RedirectResponse:
    """Stop the turn that is under way."""
    await checked_form(request)
    stop_turn(chat, WordOrder(by=None, reason=""), served)
    return see(f"/chat/{chat}", "stopped")


@router.post("/chat/{chat}/undo")
async def undo(request: Request, chat: str, served: Site) -> RedirectResponse:
    """Take a change back."""
    form = await checked_form(request)
    undo_change(chat, UndoOrder(id=word_in(form, "id", most=200) or None), served)
    return see(f"/chat/{chat}", "undone")


def _said(text: str) -> str:
    if not text:
        raise InputError("nothing was said", fix="type what you want, such as: list the files here")
    return text


def _data(answer: JsonAnswer) -> dict[str, Any]:
    """Return what a route of the API answers."""
    found: dict[str, Any] = json.loads(bytes(answer.body))
    return found


# Things of one sort on one page; who has more settles these first.
_MOST = 30


@router.get("/inbox")
def show_inbox(request: Request, served: Site, all: bool = False) -> HTMLResponse:
    """Show what waits, the oldest first; with *all* also what was settled, the newest first."""
    found = operations.inbox(served.ledger, settled=all).to_json()
    if all:
        found = {name: list(reversed(rows)) for name, rows in found.items()}
    waiting = [one for one in found["approvals"] if one["approved"] is None]
    return page(
        request,
        "inbox.html",
        approvals=[{**one, "diff": diff_of(served, one)} for one in waiting[:_MOST]],
        settled=[one for one in found["approvals"] if one["approved"] is not None][:_MOST],
        calls=found["calls"][:_MOST],
        effects=found["effects"][:_MOST],
        payments=found["payments"][:_MOST],
        more=sum(max(0, len(rows) - _MOST) for rows in found.values()),
        all=all,
    )


def diff_of(served: ServedRuntime, approval: dict[str, Any]) -> str:
    """Return what would be done by an approval; why that cannot be said, where it cannot."""
    try:
        return operations.look_at_approval(served.runtime.settings, served.ledger, approval["id"]).diff
    except MayflyError as error:  # what is held may be damaged; the others are shown all the same
        return f"(it cannot be shown: {error})"


@router.post("/inbox/{id}/approval")
async def settle_approval(request: Request, id: str, served: Site) -> RedirectResponse:
    """Take a person's yes or no; they come back to where they said it."""
    form = await checked_form(request)
    word = WordOrder(by=None, reason=word_in(form, "reason", most=2000))
    chat = word_in(form, "chat")
    back = f"/chat/{chat}" if chat.removeprefix("s-").isalnum() else "/inbox"
    if word_in(form, "say") == "approve":
        await approve(id, word, request, served)
        return see(back, "approved")
    await deny(id, word, request, served)
    return see(back, "denied")


@router.post("/inbox/effects/{id:path}")
async def settle_effect(request: Request, id: str, served: Site) -> RedirectResponse:
    """Take a person's word for what became of an effect."""
    form = await checked_form(request)
    verdict = word_in(form, "verdict")
    if verdict not in operations.VERDICTS:
        raise InputError("nothing was said of it", fix=f"say one of {', '.join(operations.VERDICTS)}")
    settle(id, SettleOrder.model_validate({"verdict": verdict}), served)
    return see("/inbox", "settled")
