"""`mayfly persona` and `prompt`: who there is, what each may use and why, and the system prompt an agent would get."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mayfly.cli._desk import Rules, Workspace, desk
from mayfly.cli._frame import Shown, shows
from mayfly.cli._output import command, group, note, table
from mayfly.core import InputError, Settings, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.persona import AgentConfig, Brought, Personas, Placed

# A prompt is some paragraphs; a longer file is the wrong one.
LONGEST_PROMPT = 100_000

app = group("Who takes requests on, with which tools and policies.")

Name = Annotated[str, typer.Argument(help="A persona, such as general.", metavar="NAME")]


@app.command(name="list")
@shows
def list_personas(*, rules: Rules = None) -> Shown:
    """List the personas.

    Each with its priority, its verbs and what it is.
    """
    with desk(rules) as opened:
        personas = opened.personas
        tell_problems(personas)
        found = [_persona_fields(personas, name) for name in personas.names()]
    found.sort(key=lambda one: (-one["priority"], one["name"]))
    rows = [("PERSONA", "PRIORITY", "TOOLS", "VERBS", "WHAT IT DOES")]
    for one in found:
        verbs = one_line(" ".join(one["verbs"]) or "-", limit=60)
        rows.append((one["name"], str(one["priority"]), str(len(one["tools"])), verbs, one["summary"]))
    return Shown(found, table(rows))


def _persona_fields(personas: Personas, name: str, verbs: Sequence[str] = ()) -> dict[str, Any]:
    atom = personas.atom([name], verbs)
    lists = {"tools": list(atom.tools), "policies": list(atom.policies), "verbs": list(personas.verbs(name))}
    return {"name": name, "priority": atom.priority, **lists, "summary": personas.summary(name)}


@app.command()
@shows
def show(
    name: Name,
    *,
    verb: Annotated[
        list[str] | None, typer.Option("--verb", help="With what this verb adds. May be repeated.", metavar="VERB")
    ] = None,
    rules: Rules = None,
) -> Shown:
    """Show what a persona may use, and why.

    Every tool and policy is printed with the file and line, or the policy, that brings it.
    """
    with desk(rules) as opened:
        personas = opened.personas
        tell_problems(personas)
        one = _persona_fields(personas, name, verb or ())
        tools, policies = personas.brought([name], verb or ())
    lines = [
        f"{name}, priority {one['priority']}" + (f": {one['summary']}" if one["summary"] else ""),
        f"verbs  {' '.join(one['verbs']) or 'none: only where it is named'}",
        *_brought_lines("tool", tools),
        *_brought_lines("policy", policies),
    ]
    because = {one.name: one.by for one in (*tools, *policies)}
    return Shown({**one, "because": because}, lines, f"its prompt: {command()} prompt show --persona {name} --manifest")


def _brought_lines(kind: str, brought: list[Brought]) -> list[str]:
    return table([(kind, one.name, f"by {one.by}") for one in brought] or [(kind, "none", "")])


@app.command()
@shows
def add(
    name: Annotated[str, typer.Argument(help="What it is called: small letters, digits and _.", metavar="NAME")],
    *,
    tool: Annotated[
        list[str] | None, typer.Option("--tool", help="A tool it may use. May be repeated.", metavar="TOOL")
    ] = None,
    verb: Annotated[
        list[str] | None,
        typer.Option("--verb", help="A verb whose requests are its work. May be repeated.", metavar="VERB"),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", help="A policy that governs it. May be repeated.", metavar="FILE.mg"),
    ] = None,
    priority: Annotated[int, typer.Option(help="How important it is among others.", min=0, max=1_000_000)] = 10,
    summary: Annotated[str, typer.Option(help="What it does, in a line.", metavar="TEXT")] = "",
    prompt: Annotated[
        Path | None, typer.Option(help="A file with what it is told about itself.", metavar="FILE")
    ] = None,
    override: Annotated[
        bool, typer.Option("--override", help="Add to a shipped persona, or replace one you added before.")
    ] = False,
    rules: Rules = None,
    workspace: Workspace = None,
) -> Shown:
    """Add a persona of your own.

    It is written to agents/custom_configs.yaml and, where verbs are named, to rules/ in the state directory. Everybody
    has reading, searching and asking; a tool above your tier (persona.tier) is refused.
    """
    from mayfly.persona import ConfigAtom, add_persona

    settings = Settings.load()
    told = _read_prompt(prompt) if prompt is not None else ""
    atom = ConfigAtom(
        tools=tuple(word.removeprefix("/") for word in tool or ()), policies=tuple(policy or ()), priority=priority
    )
    with desk(rules, workspace) as opened:
        others = {taken: who for who in opened.personas.names() for taken in opened.personas.verbs(who) if who != name}
        added = add_persona(
            settings.state,
            name,
            atom,
            snapshot=opened.snapshot,
            settings=settings.persona,
            verbs=[word.removeprefix("/") for word in verb or ()],
            summary=summary,
            prompt=told,
            override=override,
        )
    for word in verb or ():
        if word.removeprefix("/") in others:
            note(f"mayfly: {word} is also the work of {others[word.removeprefix('/')]}: such a request goes to both")
    data = {"name": name, "config": str(added.config), "rules": str(added.rules) if added.rules else None}
    said = f"added {name}: {added.config}" + (f", {added.rules}" if added.rules else "")
    return Shown(data, said, f"see: {command()} persona show {name}")


def _read_prompt(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not text.strip() or len(text) > LONGEST_PROMPT:
        raise InputError(f"{path}: a prompt has 1 to {LONGEST_PROMPT:,} characters")
    return text


def tell_problems(personas: Personas) -> None:
    """Name the files that are not in force."""
    for problem in personas.problems:
        note(f"mayfly: not in force: {problem}")


prompt_app = group("The prompts that agents get.")


@prompt_app.command("show")
@shows
def show_prompt(
    intent: Annotated[
        str | None, typer.Argument(help="A request in plain English; it decides who acts.", metavar="INTENT")
    ] = None,
    *,
    persona: Annotated[
        list[str] | None, typer.Option("--persona", help="Who acts. May be repeated.", metavar="P")
    ] = None,
    manifest: Annotated[
        bool, typer.Option("--manifest", help="Print why each atom is in or out instead of the text.")
    ] = False,
    mode: Annotated[
        Literal["SingleTurn", "Campaign"], typer.Option(help="One turn, or work over several.")
    ] = "SingleTurn",
    window: Annotated[
        int | None, typer.Option(help="Tokens the model takes in all.", metavar="N", min=1, show_default=False)
    ] = None,
    rules: Rules = None,
    workspace: Workspace = None,
) -> Shown:
    """Show the prompt an agent would get.

    For a request, or for personas by name, in this workspace; with --manifest, why every atom is in or out.
    """
    from mayfly.persona import detect_context

    if not persona and not (intent and intent.strip()):
        raise InputError("name a request or a persona", fix='try: mayfly prompt show "Fix the failing test" --manifest')
    settings = Settings.load()
    with desk(rules, workspace) as opened:
        personas = opened.personas
        tell_problems(personas)
        understood = opened.understand(intent) if intent else None
        names = persona or (list(understood.route.personas) if understood is not None else [])
        if not names:
            ask = understood.request.ask if understood is not None else ""
            raise InputError("nobody takes that on" + (f": {ask}" if ask else ""), fix="name who with --persona")
        verbs = [clause.intent.verb for clause in understood.request.routed] if understood is not None else []
        config = personas.configure(
            names,
            verbs,
            context=detect_context(opened.workspace, opened.snapshot, entries=settings.persona.files),
            mode=mode,
            request=intent or "",
            window=window,
        )
    return _prompt_shown(config, budget=personas.budget(window), manifest=manifest)


def _prompt_shown(config: AgentConfig, *, budget: int, manifest: bool) -> Shown:
    from mayfly.persona import tokens_in

    tokens = tokens_in(config.identity_prompt)
    if config.problem:
        note(f"mayfly: the plain prompt, since the full one failed: {config.problem}")
    note(f"{', '.join(config.personas)}: {tokens:,} of {budget:,} tokens")
    data = {
        **pick_fields(config, "mode problem"),
        "personas": list(config.personas),
        "tools": list(config.tools),
        "policies": list(config.policies),
        "tokens": tokens,
        "budget": budget,
        "prompt": config.identity_prompt,
        "manifest": [pick_fields(one, _PLACED) for one in config.manifest],
    }
    if not manifest:
        return Shown(data, config.identity_prompt)
    heads = ("", "ATOM", "PART", "VARIANT", "TOKENS", "SCORE", "WHY")
    return Shown(data, table([heads, *map(_placed_row, config.manifest)]))


_PLACED = "id category included variant part tokens score why place"


def _placed_row(one: Placed) -> tuple[str, ...]:
    mark = "in" if one.included else "out"
    tokens = str(one.tokens) if one.included else "-"
    return mark, one.id, one.part, one.variant or "-", tokens, f"{one.score:.2f}", one.why
