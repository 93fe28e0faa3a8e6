"""`mayfly tools`: the library. Make a tool, use it, look at its card, run its tests again, take a version back."""

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly import operations
from mayfly.cli._check import read_source
from mayfly.cli._frame import Shown, opened, shows
from mayfly.cli._inputs import read_contract, read_examples, workspace_of
from mayfly.cli._output import (
    AsJson,
    By,
    answer,
    answer_json,
    as_called,
    command,
    foreign,
    group,
    table,
    to_json,
    who,
)
from mayfly.cli._run import ContractOption, ExamplesOption, ModelOption, WorkspaceOption
from mayfly.cli._tools_show import card_lines, log_lines, made_lines
from mayfly.core import InputError, one_line

if TYPE_CHECKING:
    from mayfly.runtime import Runtime

app = group("The library: make, find, use and take back tools.")

Name = Annotated[str, typer.Argument(help="A tool of the library.", metavar="NAME")]
VersionOption = Annotated[
    int, typer.Option("--version", help="A version.", metavar="N", show_default="the one that serves", min=0)
]
# Longer than the arguments of any call: a file of this size belongs to `run --input`.
_LARGEST = 12_000_000
_WORKING = "working"


@app.command(name="list")
@shows
def list_tools(
    *, retired: Annotated[bool, typer.Option("--retired", help="Only those that nobody used for long.")] = False
) -> Shown:
    """List the tools.

    Files that were edited or put into library/ in the state directory are tried at the gates first; what does not pass
    is named and left out.
    """
    with opened(_WORKING) as runtime:
        notes = runtime.tools.refresh()
        found = operations.list_tools(runtime.tools, retired=retired)
    hints = [f"mayfly: {as_called(one_line(said, limit=400))}" for said in notes]
    if not found:
        hints.append(f'there are no tools yet: {command()} tools write "convert roman numerals" --examples FILE.json')
    rows = [("TOOL", "VERSION", "PROOF", "CALLS", "GRANTS", "WHAT IT DOES")]
    for one in found:
        version = str(one.version) + (" retired" if one.state == "retired" else "")
        grants = ",".join(one.grants) or "-"
        rows.append((one.name, version, one.strength, str(one.calls), grants, one_line(one.summary, limit=80)))
    data = {"tools": [one.to_json() for one in found], "notes": list(notes)}
    return Shown(data, table(rows) if found else (), "\n".join(hints))


@app.command()
@shows
def find(
    intent: Annotated[str, typer.Argument(help="What it should do, in words.", metavar="INTENT")],
    *,
    limit: Annotated[int, typer.Option(help="How many.", min=1, max=1000)] = 10,
) -> Shown:
    """Find tools by what they do, the likeliest first; words and schemas are compared, no model is asked."""
    with opened(_WORKING) as runtime:
        found = operations.list_tools(runtime.tools, find=intent, most=limit) if intent.strip() else ()
    if not found:
        return Shown([], hint="no tool has any of these words", status=1)
    return Shown(
        [one.to_json() for one in found], table([(one.name, one_line(one.summary, limit=100)) for one in found])
    )


@app.command()
@shows
def show(
    name: Name,
    *,
    version: VersionOption = 0,
    source: Annotated[bool, typer.Option("--source", help="Print the source as well.")] = False,
) -> Shown:
    """Show the card of a tool: what it does, what it may reach, and why it was accepted."""
    with opened(_WORKING) as runtime:
        found = operations.tool_view(runtime.tools, name, version)
    lines = [*card_lines(found.card, found.row)]
    if source:
        return Shown(found.to_json(), [*lines, "\n" + foreign(found.source.rstrip("\n"), sys.stdout)])
    hint = f"its source: {command()} tools show {name} --source; its tests again: {command()} tools verify {name}"
    return Shown(found.to_json(), lines, hint)


@app.command()
@shows
def log(name: Name) -> Shown:
    """Say what happened to a tool: every version, who wrote it and why it was accepted, and what was refused."""
    with opened(_WORKING) as runtime:
        found = operations.tool_history(runtime.tools, name)
    return Shown(found.log_json(), table(list(log_lines(found.events, found.heads))))


@app.command()
@shows
def diff(
    name: Name,
    a: Annotated[int, typer.Argument(help="A version.", metavar="A", min=1)],
    b: Annotated[int, typer.Argument(help="Another one.", metavar="B", min=1)],
) -> Shown:
    """Show how two versions differ, in source and tests."""
    with opened(_WORKING) as runtime:
        text = runtime.tools.diff(name, a, b)
    hint = "" if text else f"versions {a} and {b} of {name} are the same"
    shown = [foreign(text.rstrip("\n"), sys.stdout)] if text else []
    return Shown({"name": name, "a": a, "b": b, "diff": text}, shown, hint)


@app.command()
@shows
def verify(name: Name, *, version: VersionOption = 0) -> Shown:
    """Run the tests on a card again, behind the wall, with nothing but what the store has."""
    with opened(_WORKING) as runtime:
        found = operations.verify_tool(runtime.tools, name, version)
    lines = [
        f"{'ok  ' if one.passed else 'FAIL'} {one_line(one.name)}{f': {one_line(one.error)}' if one.error else ''}"
        for one in found.results
    ]
    passed = sum(one.passed for one in found.results)
    lines.append(f"{passed} of {len(found.results)} tests of {name}, version {found.version}, pass")
    return Shown(found.to_json(), lines, status=0 if found.holds else 1)


@app.command()
@shows
def call(
    name: Name,
    arguments: Annotated[
        str,
        typer.Argument(
            help="Its arguments as JSON, by name; or the one argument it takes; - is stdin.", metavar="JSON"
        ),
    ] = "{}",
    *,
    version: VersionOption = 0,
    timeout: Annotated[float | None, typer.Option(help="Seconds it may take.", metavar="S", min=0.001)] = None,
    workspace: WorkspaceOption = None,
) -> Shown:
    """Call a tool.

    Status 0: there is a value, on stdout. 1: it failed, and why. 2: there is no such tool.
    """
    text = sys.stdin.read(_LARGEST + 1) if arguments == "-" else arguments
    if len(text) > _LARGEST:
        raise InputError(f"the arguments are longer than {_LARGEST:,} characters")
    with opened(_WORKING, workspace=workspace_of(workspace)) as runtime:
        given = _arguments(runtime, name, version, text)
        outcome = runtime.tools.call(name, given, version=version, seconds=timeout)
    if outcome.ok:
        return Shown(outcome.to_json(), to_json(outcome.value))
    hint = f"; {as_called(outcome.fix)}" if outcome.fix else ""
    said = f"mayfly: {one_line(outcome.error)}{hint}"
    return Shown(outcome.to_json(), hint=said, status=2 if outcome.status == "unknown" else 1)


def _arguments(runtime: "Runtime", name: str, version: int, text: str) -> object:
    """Read arguments: an object by name, or whatever else as the one argument that the tool takes."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if isinstance(value, dict):
        return value
    found = runtime.tools.capability(name, version)
    properties = list(found.input_schema["properties"]) if found is not None else []
    required = list(found.input_schema["required"]) if found is not None else []
    one = required if len(required) == 1 else properties
    if found is not None and len(one) != 1:
        raise InputError(
            f"{name} takes {', '.join(properties)}", fix=f"mayfly tools call {name} '{{\"{properties[0]}\": …}}'"
        )
    if one and found is not None and found.input_schema["properties"][one[0]].get("type") == "string":
        value = value if isinstance(value, str) else text
    return {one[0]: value} if one else {}


NameOption = Annotated[
    str,
    typer.Option("--name", help="What it is called.", metavar="NAME", show_default="as its function, or the intent"),
]
DescriptionOption = Annotated[str, typer.Option(help="What is listed.", metavar="TEXT", show_default="its docstring")]
SourceOption = Annotated[
    str | None, typer.Option(help="Take this code instead of having it written.", metavar="FILE.py")
]
TestsOption = Annotated[
    str | None, typer.Option(help="Tests: Python with test functions, or JSON cases.", metavar="FILE")
]
ToolGrant = Annotated[
    list[str] | None,
    typer.Option(
        help="What it may reach, instead of library.grants: net:HOST[:PORT], net:*, buy[:HOST], package, fs:workspace, "
        "none. May be given more than once; the rules decide.",
        metavar="G",
    ),
]
SecondsOption = Annotated[
    float | None, typer.Option(help="How long a call may take.", metavar="S", show_default="library.timeout")
]
UpdateOption = Annotated[bool, typer.Option("--update", help="Make the next version of the tool --name.")]
ReplaceTests = Annotated[
    bool, typer.Option("--replace-tests", help="With --update: the tests of the old version hold no more.")
]
KeepWeak = Annotated[bool, typer.Option("--accept-weak", help="Keep what only its own examples speak for.")]
TestsBy = Annotated[
    str, typer.Option(help="Who wrote the tests, where that is not who wrote the source.", metavar="NAME")
]


@app.command()
def write(
    intent: Annotated[str, typer.Argument(help="What the tool does, in words.", metavar="INTENT")] = "",
    *,
    name: NameOption = "",
    description: DescriptionOption = "",
    source: SourceOption = None,
    examples: ExamplesOption = None,
    tests: TestsOption = None,
    contract: ContractOption = None,
    grant: ToolGrant = None,
    seconds: SecondsOption = None,
    model: ModelOption = None,
    update: UpdateOption = False,
    replace_tests: ReplaceTests = False,
    accept_weak: KeepWeak = False,
    by: By = None,
    tests_by: TestsBy = "",
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
) -> None:
    """Make a tool: have it written, or give its source; it serves once it passed all gates and its tests.

    Status 0: it serves. 1: it was refused, and why; with --update the old version serves on.
    """
    from mayfly.cli._progress import Progress

    if not intent.strip() and source is None and not update:
        raise InputError(
            "say what the tool does", fix='mayfly tools write "convert roman numerals" --examples FILE.json'
        )
    if update and not name:
        raise InputError("--update needs the tool", fix="add --name NAME; see: mayfly tools list")
    options: dict[str, Any] = {
        "summary": description,
        "source": None if source is None else read_source(source),
        "examples": read_examples(examples),
        "tests": None if tests is None else read_source(tests),
        "contract": read_contract(contract),
        "grants": None if grant is None else tuple(one for one in grant if one != "none"),
        "seconds": seconds,
        "model": model,
        "by": who(by),
        "tests_by": tests_by,
        "accept_weak": accept_weak,
    }
    progress = None if as_json else Progress(verbose=True)
    waiting = _WORKING if as_json else ""
    with opened(waiting, observer=progress, workspace=workspace_of(workspace)) as runtime:
        if update:
            made = runtime.tools.update(name, intent, replace_tests=replace_tests, **options)
        else:
            made = runtime.tools.write(intent, name=name, **options)
    if as_json:
        answer_json(made.to_json())
    else:
        for line in made_lines(made):
            answer(as_called(line))
    raise typer.Exit(0 if made.accepted else 3 if made.question else 1)


@app.command()
@shows
def delete(name: Name, *, by: By = None) -> Shown:
    """Delete a tool; its versions stay in the store, and `tools rollback` brings one back."""
    with opened(_WORKING) as runtime:
        version = runtime.tools.delete(name, by=who(by))
    said = f"deleted {name} (version {version}); back again: {command()} tools rollback {name} --to {version}"
    return Shown({"name": name, "deleted": name, "version": version}, said)


@app.command()
@shows
def rollback(
    name: Name,
    *,
    to: Annotated[
        int | None, typer.Option(help="A version.", metavar="N", show_default="the one before", min=1)
    ] = None,
    by: By = None,
) -> Shown:
    """Let an earlier version serve again, or a deleted tool."""
    with opened(_WORKING) as runtime:
        return _serving(name, runtime.tools.rollback(name, to, by=who(by)))


def _serving(name: str, version: int) -> Shown:
    return Shown({"name": name, "version": version, "serves": version}, f"version {version} of {name} serves")


@app.command()
@shows
def restore(name: Name, *, by: By = None) -> Shown:
    """Let a tool that was retired be found and called again."""
    with opened(_WORKING) as runtime:
        return _serving(name, runtime.tools.restore(name, by=who(by)))
