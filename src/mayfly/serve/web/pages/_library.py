"""*Library*: the tools there are, one with its card, versions and a form to call it; making one; typed arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from mayfly import operations
from mayfly.core import ConflictError, InputError, one_line
from mayfly.library import ToolMade
from mayfly.serve.web._answer import looked_up
from mayfly.serve.web._passes import checked_form
from mayfly.serve.web._served import Site, order_by
from mayfly.serve.web.pages._frame import for_pages, moments, page, see, word_in
from mayfly.serve.web.pages._plots import Bar, bar_plot, line_plot

if TYPE_CHECKING:
    from starlette.datastructures import FormData

    from mayfly.serve.web._served import ServedRuntime

router = APIRouter()
_PAGE = 50
# Calls whose times are drawn: the last ones, as many as a plot can show.
_CALLS = 200
_LOG = 50


@router.get("/library")
def list_tools(
    request: Request,
    served: Site,
    find: Annotated[str, Query(max_length=500)] = "",
    retired: bool = False,
    skip: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> HTMLResponse:
    """Show the tools by name, or those that do what the words say, the likeliest first."""
    found = operations.list_tools(served.runtime.tools, find=find, retired=retired, most=skip + _PAGE + 1)
    return page(
        request,
        "library.html",
        tools=found[skip : skip + _PAGE],
        find=find,
        retired=retired,
        skip=skip,
        next=skip + _PAGE if len(found) > skip + _PAGE else 0,
        page_size=_PAGE,
    )


@router.get("/library/{name}")
def show_tool(
    request: Request,
    name: str,
    served: Site,
    version: Annotated[int, Query(ge=0, le=2**31)] = 0,
    a: Annotated[int, Query(ge=0, le=2**31)] = 0,
    b: Annotated[int, Query(ge=0, le=2**31)] = 0,
) -> HTMLResponse:
    """Show one tool: the version that serves, or another one; *a* and *b* are compared."""
    with looked_up():
        return page(
            request, "tool.html", **_tool_context(served, name, version, a, b), outcome=None, results=None, wrong=""
        )


def _tool_context(served: ServedRuntime, name: str, version: int, a: int = 0, b: int = 0) -> dict[str, Any]:
    """Return what the page of a tool shows."""
    tools = served.runtime.tools
    found, history = operations.tool_view(tools, name, version, newest=True), operations.tool_history(tools, name)
    card, heads = found.card, history.heads
    older = a or max((number for number in heads if number < card.version), default=0)
    newer = b or card.version
    log = list(reversed(history.events))[:_LOG]
    return {
        "card": card,
        "source_text": found.source,
        "row": found.row,
        "versions": [{"row": one, "head": heads[one.version]} for one in reversed(history.versions)],
        "older": older,
        "newer": newer,
        "diff_text": tools.diff(name, older, newer) if older and older != newer else "",
        "fields": fields_of(card.input_schema),
        "log": list(moments(log)),
        **_tool_plots(served, name, card.proof),
    }


def _tool_plots(served: ServedRuntime, name: str, proof: Any) -> dict[str, Any]:
    ledger, subject = served.ledger, f"tool:{name}"
    after = ledger.before_last(_CALLS, kind="tool.returned", subject=subject)
    times = [
        float(one.payload.get("milliseconds", 0.0) or 0.0)  # type: ignore[arg-type]
        for one in ledger.read(kind="tool.returned", subject=subject, after=after)
    ]
    bars = [Bar(str(one.get("kind", "")), int(one.get("count", 0)), kind="good") for one in proof.get("evidence", ())]
    words = (f"{len(times)} calls ago", "the last")
    return {
        "latency": line_plot(times, title="milliseconds of the last calls", unit=" ms", ends=words) if times else "",
        "evidence": bar_plot(bars, title="evidence by kind") if bars else "",
    }


@router.post("/library/{name}/call")
async def call_tool(request: Request, name: str, served: Site) -> HTMLResponse:
    """Call a tool with what was typed into its form, and show what it gave."""
    form = await checked_form(request)
    wanted = word_in(form, "version", most=10)
    version = int(wanted) if wanted.isdecimal() else 0
    with looked_up():
        shown = _tool_context(served, name, version)
    shown["fields"] = fields_of(shown["card"].input_schema, form)
    wrong, outcome = "", None
    try:
        arguments = arguments_in(shown["card"].input_schema, form)
    except InputError as error:
        wrong = str(error)
    else:
        call = served.runtime.tools.call
        outcome = await served.workroom.do(request, lambda stop: call(name, arguments, version=version, stop=stop))
    # What was typed and what came of it stay on one page; the call itself is in the ledger.
    return page(request, "tool.html", **shown, outcome=outcome, results=None, wrong=wrong)


@router.post("/library/{name}/verify")
async def verify_tool(request: Request, name: str, served: Site) -> HTMLResponse:
    """Run the tests on the card again, and show how each ended."""
    form = await checked_form(request)
    wanted = word_in(form, "version", most=10)
    version = int(wanted) if wanted.isdecimal() else 0

    verify = looked_up()(operations.verify_tool)
    results = (await served.workroom.call(request, verify, served.runtime.tools, name, version)).results
    return page(request, "tool.html", **_tool_context(served, name, version), outcome=None, results=results, wrong="")


@router.post("/library/{name}/rollback")
async def roll_back_tool(request: Request, name: str, served: Site) -> RedirectResponse:
    """Let another version serve."""
    form = await checked_form(request)
    to = word_in(form, "to", most=10)
    if not to.isdecimal():
        raise InputError("no version was chosen", fix="press the button beside one")

    roll_back = looked_up()(served.runtime.tools.rollback)
    await served.workroom.call(request, roll_back, name, int(to), by=order_by(None))
    return see(f"/library/{name}", "rolled-back")


# Characters of a source or of examples; more is no tool any more.
_LARGEST = 200_000
_FIELDS = ("intent", "name", "examples", "source", "tests")


@router.get("/make")
def show_form(request: Request, intent: str = "") -> HTMLResponse:
    """Show the empty form, or one with what somebody looked for in vain."""
    return page(
        request,
        "make.html",
        typed={**dict.fromkeys(_FIELDS, ""), "intent": intent[:500]},
        weak=False,
        wrong="",
        made=None,
    )


@router.post("/make")
async def make_tool(request: Request, served: Site) -> Response:
    """Have a tool made; one that is refused leaves what was typed in the form, with the reason above it."""
    form = await checked_form(request)
    typed = {name: word_in(form, name, most=_LARGEST) for name in _FIELDS}
    weak = word_in(form, "accept_weak") == "on"
    made: ToolMade | None = None
    try:
        order = {**_tool_order(typed), "accept_weak": weak, "by": order_by(None)}
        made = await served.workroom.call(request, served.runtime.tools.write, typed["intent"], **order)
        wrong = for_pages(made.reason)
    except (InputError, ConflictError) as error:
        wrong = str(error)
    if made is not None and made.accepted:
        return see(f"/library/{made.name}", "made")
    return page(request, "make.html", status=422, typed=typed, weak=weak, wrong=wrong, made=made)


def _tool_order(typed: dict[str, str]) -> dict[str, Any]:
    if not (typed["intent"] or typed["source"]):
        raise InputError("it was not said what the tool does", fix="say it in a few words, or paste its source")
    # A browser ends lines as its system does; Python and the hash of a source are of one opinion.
    texts = {name: typed[name].replace("\r\n", "\n") or None for name in ("source", "tests")}
    return {"name": typed["name"], "examples": examples_in(typed["examples"]), **texts}


Kind = Literal["text", "number", "choice", "json"]
# What stands before the name of an argument in the form, so that none can be taken for a field of ours.
_OURS = "argument."
_MOST_TYPED = 2_000_000


@dataclass(frozen=True, kw_only=True)
class SchemaField:
    """One field: the argument it stands for, how it is typed, and what its schema says."""

    argument: str
    kind: Kind
    type: str
    is_required: bool
    choices: tuple[str, ...] = ()
    default: str = ""
    description: str = ""
    typed: str = ""

    @property
    def name(self) -> str:
        """What the field is called in the form."""
        return _OURS + self.argument


def fields_of(schema: Mapping[str, Any], form: FormData | None = None) -> list[SchemaField]:
    """Return a field for each argument, with what was typed the last time."""
    return list(_schema_fields(schema, form))


def _schema_fields(schema: Mapping[str, Any], form: FormData | None) -> Iterator[SchemaField]:
    required = schema.get("required", ())
    properties = schema.get("properties", {})
    for argument, inner in properties.items() if isinstance(properties, Mapping) else ():
        about: Mapping[str, Any] = inner if isinstance(inner, Mapping) else {}
        choices = _choices(about)
        typed = form.get(_OURS + argument, "") if form is not None else ""
        yield SchemaField(
            argument=argument,
            kind="choice" if choices else _field_kind(about),
            type=_field_type(about),
            is_required=argument in required,
            choices=choices,
            default=json.dumps(about["default"], ensure_ascii=False) if "default" in about else "",
            description=str(about.get("description", "")),
            typed=typed if isinstance(typed, str) else "",
        )


def _choices(about: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what there is to choose from, as JSON; nothing where anything may be typed."""
    if isinstance(about.get("enum"), (list, tuple)):
        return tuple(json.dumps(one, ensure_ascii=False) for one in about["enum"])
    return ("true", "false") if about.get("type") == "boolean" else ()


def _field_kind(about: Mapping[str, Any]) -> Kind:
    kinds: dict[Any, Kind] = {"string": "text", "integer": "number", "number": "number"}
    found = about.get("type")
    return kinds.get(found, "json") if isinstance(found, str) else "json"


def _field_type(about: Mapping[str, Any]) -> str:
    found = about.get("type")
    if found == "array" and isinstance(about.get("items"), Mapping):
        return f"list of {about['items'].get('type', 'anything')}"
    return str(found) if isinstance(found, str) else "JSON"


def arguments_in(schema: Mapping[str, Any], form: FormData) -> dict[str, Any]:
    """Return the arguments that were typed; an empty field of one that is not required leaves it out."""
    found: dict[str, Any] = {}
    for field in _schema_fields(schema, form):
        if field.typed or (field.is_required and field.kind == "text"):
            found[field.argument] = _argument_value(field)
        elif field.is_required:
            raise InputError(f"{field.argument} is missing", fix=f"it is a {field.type}")
    return found


def _argument_value(field: SchemaField) -> object:
    # A browser sends the ends of lines as two characters, whatever was typed.
    text = field.typed.replace("\r\n", "\n")
    if field.kind == "text":
        return text
    if len(text) > _MOST_TYPED:
        raise InputError(f"{field.argument} has more than {_MOST_TYPED:,} characters", fix="call it over the API")
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        said = "nested too deep" if isinstance(error, RecursionError) else one_line(str(error), limit=120)
        raise InputError(f"{field.argument} is not {field.type}: {said}", fix="write it as JSON") from None
    return value


def examples_in(text: str) -> tuple[dict[str, Any], ...]:
    """Read examples: JSON as the command line takes it, or a line for each, with an arrow in it."""
    if not text:
        return ()
    if text.startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"the examples are not JSON: {one_line(str(error), limit=200)}") from None
    else:
        pairs = [line.partition("->") for line in text.splitlines() if line.strip()]
        if not all(arrow for _, arrow, _ in pairs):
            raise InputError("an example needs an arrow", fix="write a line for each, such as: MCMXC -> 1990")
        found = [{"input": _example_value(given), "output": _example_value(wanted)} for given, _, wanted in pairs]
    if not all(isinstance(one, dict) and {"input", "output"} <= set(one) for one in found):
        raise InputError("an example has an input and an output", fix='such as [{"input": "IV", "output": 4}]')
    return tuple(found)


def _example_value(text: str) -> object:
    try:
        value: object = json.loads(text.strip())
    except (ValueError, RecursionError):
        return text.strip()
    return value
