"""Make and change tools for a client: at once, by the client's model, or in steps in which it hands things in."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, one_line
from mayfly.models import Call, Emit, Failure, Need, Price, Purpose, estimate_tokens
from mayfly.models import Reply as ModelReply
from mayfly.operations import pick_fields
from mayfly.serve._drafts import Drafts, ToolDraft
from mayfly.serve._reply import ToolReply, advice

if TYPE_CHECKING:
    from mayfly.library import ToolMade
    from mayfly.runtime import Runtime
    from mayfly.serve._reply import Errand

Arguments = Mapping[str, Any]
# What an order for a tool is made of, besides who gives it.
_ORDER = (
    "name",
    "summary",
    "source",
    "examples",
    "tests",
    "contract",
    "grants",
    "seconds",
    "accept_weak",
    "replace_tests",
)
_WANTED = {
    "name": "name: what the function is called, such as roman_to_int",
    "contract": "contract: what goes in, what comes out, and what happens where the input is empty, malformed, missing "
    "or tied; say what you assume where the intent is silent",
    "tests": "tests: what has to hold by the intent and the contract alone, edges included; write them before the "
    "source, and look at each expected value a second time",
    "source": "source: one annotated Python function of that name with a docstring, written from intent and contract",
}
# More verdicts than this are not read by a model either.
_VERDICTS = 12


class Making:
    """The tools of the server that make, change and remove tools of the library."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tools = runtime.tools
        self._drafts = Drafts(runtime.ledger, hours=runtime.settings.mcp.draft)

    def create_tool(self, given: Arguments, errand: Errand) -> ToolReply:
        """Make a tool of what is given, or open a draft and say what is missing."""
        self._check_grants(given)
        if "draft" in given:
            return self._go_on(self._drafts.get(given["draft"]), given, errand)
        if "intent" not in given:
            raise InputError("intent is missing", fix="say in words what the tool is for")
        if "source" in given:
            return _told(self._tools.write(given["intent"], **_order(given, errand)))
        self._check_free(given)
        if "tests" in given:  # somebody who wrote tests can write the source
            return self._begin_draft(given, errand)
        made = self._written(given, errand)
        if made is None:
            return self._begin_draft(given, errand)
        if made.accepted or errand.stop.cancelled or made.twin:
            return _told(made)
        return self._begin_draft(given, errand, refused=made)

    def _written(self, given: Arguments, errand: Errand) -> ToolMade | None:
        """Have it written by the server's model, the client's, or from examples; None where there is none of these."""
        settings, order = self._runtime.settings, _order(given, errand)
        if settings.models.name:
            return self._tools.write(given["intent"], **order)
        if settings.mcp.sampling == "on" and offers_sampling(errand):
            with self._runtime.parts.lent_model(ClientModel(errand)) as model:
                return self._tools.write(given["intent"], **{**order, "model": model})
        return self._tools.write(given["intent"], **order) if given.get("examples") else None

    def _begin_draft(self, given: Arguments, errand: Errand, *, refused: ToolMade | None = None) -> ToolReply:
        draft = self._drafts.open(given, by=errand.client)
        return _wanting(draft, refused)

    def _go_on(self, draft: ToolDraft, given: Arguments, errand: Errand) -> ToolReply:
        """Take what was handed in; with a source, and everything before it, the tool is made."""
        early = "source" in given and any(not (given.get(key) or draft.order.get(key)) for key in ("name", "tests"))
        if early:
            raise InputError(
                f"draft {draft.id} has no tests yet: they are written before the source",
                fix=f"call create_tool with draft {draft.id}, contract and tests, and the source in the call after",
            )
        draft = self._drafts.advance(draft, given, by=errand.client)
        if "source" not in given:
            return _wanting(draft)
        order = {**draft.order, "source": given["source"]}
        made = self._tools.write(str(order.get("intent", "")), **_order(order, errand))
        if made.accepted:
            self._drafts.close(draft, name=made.name, version=made.version, by=errand.client)
            return _told(made)
        again = f"hand in a better source: create_tool with draft {draft.id} and source"
        return _told(made, draft=draft.id, again=again)

    def _check_free(self, given: Arguments) -> None:
        """Say at once that a name is taken, before anybody writes anything for it."""
        name = given.get("name", "")
        if name and any(one.name == name for one in self._tools.list()):
            raise InputError(f"there is a tool {name} already", fix=f"update_tool with name {name}, or another name")

    def _check_grants(self, given: Arguments) -> None:
        """Refuse more than tools have by default: more is for a person to give, and not for who asks for it."""
        default = {one.strip() for one in self._runtime.settings.library.grants.split(",")}
        hosts = "net:*" in default
        for grant in given.get("grants", ()):
            if grant not in default and not (hosts and grant.startswith("net:") and _is_public(grant)):
                raise InputError(
                    f"{one_line(grant, limit=80)} is more than a tool may be given from here",
                    fix="leave grants out; a person can give it: mayfly tools write --grant",
                )

    def update_tool(self, given: Arguments, errand: Errand) -> ToolReply:
        """Make the next version of a tool."""
        self._check_grants(given)
        order = {key: value for key, value in _order(given, errand).items() if key != "name"}
        made = self._tools.update(given["name"], given.get("intent", ""), **order)
        if made.accepted:
            return _told(made)
        serving = self._tools.standing(given["name"]).version
        return _told(made, again=f"version {serving} goes on serving; update_tool again with what is to be changed")

    def rollback_tool(self, given: Arguments, errand: Errand) -> ToolReply:
        """Let an earlier version serve again."""
        version = self._tools.rollback(given["name"], given.get("to"), by=errand.client)
        return ToolReply(
            text=f"version {version} of {given['name']} serves", data={"name": given["name"], "version": version}
        )

    def delete_tool(self, given: Arguments, errand: Errand) -> ToolReply:
        """Let nothing serve under a name any more."""
        version = self._tools.delete(given["name"], by=errand.client)
        text = f"{given['name']} is deleted; it was version {version}, and rollback_tool brings it back"
        return ToolReply(text=text, data={"name": given["name"], "version": version})


def _is_public(grant: str) -> bool:
    """Whether a grant of one host is no more than that of all public ones: names inside the machine's net are."""
    from ipaddress import ip_address

    host = grant.removeprefix("net:").rsplit(":", 1)[0].strip("[]").lower()
    try:
        return ip_address(host).is_global
    except ValueError:
        local = ("localhost", "local", "internal", "lan", "home", "intranet")
        return "." in host and host.rstrip(".").rsplit(".", 1)[-1] not in local


def _order(given: Arguments, errand: Errand) -> dict[str, Any]:
    """Return the fields of an order. Who hands in both source and tests is nobody's witness, whatever they say."""
    order = {key: given[key] for key in _ORDER if given.get(key) is not None}
    return {**order, "by": errand.client, "tests_by": errand.client if "tests" in order else ""}


def _told(made: ToolMade, *, draft: str = "", again: str = "") -> ToolReply:
    """Say what became of an order."""
    verdicts = [asdict(one) for one in made.verdicts if one.decision != "accept" or not made.accepted][:_VERDICTS]
    common = {**pick_fields(made, "name reason"), "verdicts": verdicts}
    if made.accepted and made.card is not None:
        card = made.card
        todo = f"call it by its name, or with call_tool: {made.name}({', '.join(card.parameters)})"
        data = {
            **common,
            **pick_fields(card, "strength witness"),
            "status": "created",
            "version": made.version,
            "next": todo,
            "input_schema": dict(card.input_schema),
            "output_schema": dict(card.output_schema),
        }
        text = f"{made.name}, version {made.version}, serves. Proof {card.strength}; who speaks for it: {card.witness}"
        return ToolReply(text=f"{text}\nnext: {todo}", data=data)
    wrong = [_verdict_line(one) for one in verdicts if one["decision"] != "accept"]
    asked = [f"question: {made.question}; another example that says it settles it"] if made.question else []
    todo = (
        "; ".join(part for part in (advice(made.fix), again) if part) or "change what the verdicts name, and try again"
    )
    data = {**common, "status": "refused", "question": made.question, "next": todo}
    if draft:
        data["draft"] = draft
    lines = [f"refused: {made.reason}", *wrong, *asked, f"next: {todo}"]
    return ToolReply(text="\n".join(lines), data=data, error=True)


def _verdict_line(verdict: Mapping[str, Any]) -> str:
    where = f" line {verdict['line']}" if verdict.get("line") else ""
    fix = f"; {one_line(str(verdict['fix']), limit=400)}" if verdict.get("fix") else ""
    return f"  {verdict['gate']}{where}: {one_line(str(verdict['message']), limit=600)}{fix}"


def _wanting(draft: ToolDraft, refused: ToolMade | None = None) -> ToolReply:
    """Say what a draft still needs."""
    wants = draft.wants
    together = "source" not in wants
    todo = f"call create_tool with draft {draft.id} and {', '.join(wants)}"
    why = f"It could not be written from what was given: {refused.reason}. " if refused is not None else ""
    asked = f"One more example would settle: {refused.question}. " if refused is not None and refused.question else ""
    told = f"{why}{asked}Draft {draft.id} is open; nothing serves yet."
    after = " The source comes in the call after that." if together else " Tests are fixed from then on."
    seen = [_verdict_line(asdict(one)) for one in refused.verdicts if one.decision != "accept"] if refused else []
    lines = [told, *seen[:_VERDICTS], f"next: {todo}.{after}", *(f"  {_WANTED[key]}" for key in wants)]
    data: dict[str, Any] = {
        "status": "draft",
        "draft": draft.id,
        "name": str(draft.order.get("name", "")),
        "wants": wants,
        "next": todo,
        "reason": refused.reason if refused is not None else "",
    }
    if refused is not None and refused.question:
        data["question"] = refused.question
    return ToolReply(text="\n".join(lines), data=data)


# What it takes to have a program written; its judge, its plans and its talk are not the client's business.
_PURPOSES = frozenset({"contract", "tests", "architect", "reflect", "arbiter"})


def offers_sampling(errand: Errand) -> bool:
    """Whether the client at the other end lets its model be asked, and can be asked now."""
    known = errand.context.session.client_capabilities
    return known is not None and known.sampling is not None and errand.context.session.can_send_request


class ClientModel:
    """Ask the model of the client through `sampling/createMessage`; nobody but the client knows what that costs."""

    def __init__(self, errand: Errand) -> None:
        self._errand = errand
        self.name = f"client:{errand.client.removeprefix('mcp:')}"

    def serves(self, purpose: Purpose) -> bool:
        """Whether it is asked for *purpose*."""
        return purpose in _PURPOSES

    def load(self) -> None:
        """Do nothing: the client is there already."""

    def need(self, call: Call) -> Need:
        """Return an estimate; money is the client's own."""
        tokens = estimate_tokens(_system(call), call.prompt)
        return Need(input_tokens=tokens, output_tokens=call.max_output, price=Price())

    async def reply(self, call: Call, emit: Emit | None) -> ModelReply:
        """Send *call* once, to the loop that has the connection."""
        asked = asyncio.run_coroutine_threadsafe(self._ask(call), self._errand.loop)
        try:
            answer = await asyncio.wrap_future(asked)
        except Exception as error:
            said = one_line(str(error), limit=300) or type(error).__name__
            raise Failure(f"the client's model gave no answer: {said}", kind="refused") from None
        if not answer.strip():
            raise Failure("the client's model gave no text", kind="malformed", retry=True)
        if emit is not None:
            await emit(answer)
        sent = estimate_tokens(_system(call), call.prompt)
        return ModelReply(text=answer, input_tokens=sent, output_tokens=estimate_tokens(answer))

    async def close(self) -> None:
        """Do nothing: the connection is the client's."""

    async def _ask(self, call: Call) -> str:
        from mcp_types import SamplingMessage, TextContent

        session = self._errand.context.session
        with warnings.catch_warnings():
            # The SDK says at every call that sampling is to go; who still offers it is asked.
            warnings.simplefilter("ignore")
            result: Any = await session.create_message(
                [SamplingMessage(role="user", content=TextContent(text=call.prompt))],
                max_tokens=call.max_output,
                system_prompt=_system(call) or None,
                include_context="none",
                related_request_id=self._errand.context.request_id,
            )
        return str(getattr(result.content, "text", ""))


def _system(call: Call) -> str:
    if call.schema is None:
        return call.system
    wanted = json.dumps(call.schema, ensure_ascii=False)
    return f"{call.system}\n\nAnswer with one JSON value that fits this schema, and nothing else:\n{wanted}".strip()
