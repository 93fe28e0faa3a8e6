"""The library: find, look at, call, make, update, roll back and delete tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request

from mayfly import operations
from mayfly.core import InputError
from mayfly.serve.web._answer import JsonAnswer, error_fields, looked_up, recorded
from mayfly.serve.web._served import Limit, ServedRuntime, Site, Skip, order_by
from mayfly.serve.web.api._running import CallOrder, RollbackOrder, ToolOrderGiven, ToolUpdate, WordOrder, check_model

router = APIRouter(prefix="/tools", tags=["library"])
# A tool is a function: its name is one of Python's, and nothing in it can name another place.
ToolName = Annotated[str, Path(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$", description="The name of a tool.")]
Version = Annotated[int, Query(ge=0, le=2**31, description="A version; the one that serves if 0.")]
# What a call that gave no value is answered with; the call itself was taken and recorded.
_STATUS = {"ok": 200, "unknown": 404, "refused": 422, "timeout": 504, "killed": 503, "cancelled": 499}


@router.get("", summary="List or find tools")
def list_tools(
    served: Site,
    find: Annotated[str, Query(max_length=2000, description="What a tool should do, in words.")] = "",
    state: Annotated[Literal["", "serving", "retired"], Query(description="Only tools that stand so.")] = "",
    limit: Limit = 50,
    skip: Skip = 0,
) -> JsonAnswer:
    """Return tools by name; with `find` those that may be meant, the likeliest first."""
    tools = served.runtime.tools
    found = operations.list_tools(tools, find=find, most=skip + limit) if find.strip() else tools.list(state=state)
    page = [one.to_json() for one in found[skip : skip + limit]]
    return recorded({"tools": page, "next": skip + limit if skip + limit < len(found) else None, "total": len(found)})


@router.post("", summary="Make a tool", status_code=200)
async def write_tool(order: ToolOrderGiven, request: Request, served: Site) -> JsonAnswer:
    """Make a tool; `decision` says whether it serves, and where it does not, the verdicts say why."""
    given = _order(served, order)
    made = await served.workroom.call(request, served.runtime.tools.write, order.intent, **given)
    return recorded(made.to_json())


@router.get("/{name}", summary="Look at a tool")
def get_tool(name: ToolName, served: Site, version: Version = 0) -> JsonAnswer:
    """Return the card of a tool, its source, how it stands, and the tests that prove it."""
    with looked_up():
        return recorded(operations.tool_view(served.runtime.tools, name, version).to_json())


@router.get("/{name}/versions", summary="List the versions of a tool")
def list_versions(name: ToolName, served: Site) -> JsonAnswer:
    """Return every version, the oldest first, and what happened to the tool."""
    with looked_up():
        return recorded(operations.tool_history(served.runtime.tools, name).to_json())


@router.get("/{name}/diff", summary="Compare two versions")
def diff_versions(
    name: ToolName,
    served: Site,
    a: Annotated[int, Query(ge=1, le=2**31, description="The one version.")],
    b: Annotated[int, Query(ge=1, le=2**31, description="The other version.")],
) -> JsonAnswer:
    """Return how source and tests of two versions differ, as a unified diff."""
    with looked_up():
        return recorded({"name": name, "a": a, "b": b, "diff": served.runtime.tools.diff(name, a, b)})


@router.post("/{name}/call", summary="Call a tool")
async def call_tool(name: ToolName, order: CallOrder, request: Request, served: Site) -> JsonAnswer:
    """Call a tool with arguments by name; the client's leaving ends the call."""

    call = served.runtime.tools.call
    outcome = await served.workroom.do(
        request, lambda stop: call(name, order.arguments, version=order.version, seconds=order.seconds, stop=stop)
    )
    fields = outcome.to_json()
    if not outcome.ok:
        fields |= error_fields(outcome.status.upper(), outcome.error or outcome.status, outcome.fix)
        return JsonAnswer(fields, _STATUS.get(outcome.status, 422))
    return JsonAnswer(fields)


@router.post("/{name}/verify", summary="Run the tests of a tool again")
async def verify_tool(name: ToolName, request: Request, served: Site, version: Version = 0) -> JsonAnswer:
    """Run the tests on a card again, where they cannot cheat."""
    verify = looked_up()(operations.verify_tool)
    return recorded((await served.workroom.call(request, verify, served.runtime.tools, name, version)).to_json())


@router.post("/{name}/update", summary="Make the next version")
async def update_tool(name: ToolName, order: ToolUpdate, request: Request, served: Site) -> JsonAnswer:
    """Make the next version; until it is proven, and where it is not, the old one serves."""
    if order.name not in ("", name):
        raise InputError("the name is in the path already", fix="leave name out")
    with looked_up():
        served.runtime.tools.standing(name)
    given = {**_order(served, order), "replace_tests": order.replace_tests}
    given.pop("name")
    made = await served.workroom.call(request, served.runtime.tools.update, name, order.intent, **given)
    return recorded(made.to_json())


@router.post("/{name}/rollback", summary="Let an earlier version serve")
def rollback_tool(name: ToolName, order: RollbackOrder, served: Site) -> JsonAnswer:
    """Let an earlier version serve again, the one before unless said; every process sees it within a second."""
    return _serving(name, lambda: served.runtime.tools.rollback(name, order.to, by=order_by(order.by)))


@router.post("/{name}/restore", summary="Let a retired tool serve again")
def restore_tool(name: ToolName, order: WordOrder, served: Site) -> JsonAnswer:
    """Let a tool that nobody used for long be found and called again."""
    return _serving(name, lambda: served.runtime.tools.restore(name, by=order_by(order.by)))


def _serving(name: str, change: Callable[[], int]) -> JsonAnswer:
    with looked_up():
        version = change()
    return recorded({"name": name, "serves": version, "version": version})


@router.delete("/{name}", summary="Delete a tool")
def delete_tool(
    name: ToolName,
    served: Site,
    by: Annotated[str | None, Query(max_length=200, description="Who says so.")] = None,
) -> JsonAnswer:
    """Let nothing serve under a name any more; all versions stay in the store, and rollback brings them back."""
    with looked_up():
        version = served.runtime.tools.delete(name, by=order_by(by))
    return recorded({"name": name, "deleted": version, "version": version})


def _order(served: ServedRuntime, order: ToolOrderGiven) -> dict[str, Any]:
    """Return an order as the library takes it."""
    if not (order.intent.strip() or order.source):
        raise InputError("there is neither an intent nor a source", fix="say what it does, or hand its source in")
    return {
        **operations.pick_fields(order, "name summary source tests grants accept_weak seconds"),
        "examples": [one.model_dump() for one in order.examples],
        "model": check_model(served, order.model),
        "by": order_by(order.by),
    }
