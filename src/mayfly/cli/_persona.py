"""`mayfly persona` and `prompt`: who there is, what each may use and why, and the system prompt an agent would get."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mayfly.cli._desk import Rules, Workspace, desk
from mayfly.cli._output import AsJson, answer, answer_json, answer_table, command, group, note
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.persona import AgentConfig, Brought, Personas, Placed

# A prompt is some paragraphs; a longer file is the wrong one.
LONGEST_PROMPT = 100_000

app = group("Who takes requests on, with which tools and policies.")

Name = Annotated[str, typer.Argument(help="A persona, such as general.", metavar="NAME")]


@app.command(name="list")
def list_personas(*, rules: Rules = None, as_json: AsJson = False) -> None:
    """List the personas.

    Each with its priority, its verbs and what it is.
    """
    with desk(rules) as opened:
        personas = opened.personas
        tell_problems(personas)
        names = sorted(personas.names(), key=lambda name: (-personas.atom([name]).priority, name))
        rows = [(name, personas.atom([name]), personas.verbs(name), personas.summary(name)) for name in names]
    if as_json:
        answer_json(
            [
                {
                    "name": name,
                    "priority": atom.priority,
                    "tools": list(atom.tools),
                    "policies": list(atom.policies),
                    "verbs": list(verbs),
                    "summary": summary,
                }
                for name, atom, verbs, summary in rows
            ]
        )
        return
    shown = [
        (name, str(atom.priority), str(len(atom.tools)), one_line(" ".join(verbs) or "-", limit=60), summary)
        for name, atom, verbs, summary in rows
    ]
    answer_table([("PERSONA", "PRIORITY", "TOOLS", "VERBS", "WHAT IT DOES"), *shown])


@app.command()
def show(
    name: Name,
    *,
    verb: Annotated[
        list[str] | None, typer.Option("--verb", help="With what this verb adds. May be repeated.", metavar="VERB")
    ] = None,
    rules: Rules = None,
    as_json: AsJson = False,
) -> None:
    """Show what a persona may use, and why.

    Every tool and policy is printed with the file and line, or the policy, that brings it.
    """
    with desk(rules) as opened:
        personas = opened.personas
        tell_problems(personas)
        atom = personas.atom([name], verb or ())
        tools, policies = personas.brought([name], verb or ())
        verbs, summary = personas.verbs(name), personas.summary(name)
    if as_json:
        answer_json(
            {
                "name": name,
                "summary": summary,
                "priority": atom.priority,
                "verbs": list(verbs),
                "tools": list(atom.tools),
                "policies": list(atom.policies),
                "because": {one.name: one.by for one in (*tools, *policies)},
            }
        )
        return
    answer(f"{name}, priority {atom.priority}" + (f": {summary}" if summary else ""))
    answer(f"verbs  {' '.join(verbs) or 'none: only where it is named'}")
    _tell_brought("tool", tools)
    _tell_brought("policy", policies)
    note(f"its prompt: {command()} prompt show --persona {name} --manifest")


def _tell_brought(kind: str, brought: list[Brought]) -> None:
    answer_table([(kind, one.name, f"by {one.by}") for one in brought] or [(kind, "none", "")])


@app.command()
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
    as_json: AsJson = False,
) -> None:
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
    if as_json:
        answer_json({"name": name, "config": str(added.config), "rules": str(added.rules) if added.rules else None})
        return
    answer(f"added {name}: {added.config}" + (f", {added.rules}" if added.rules else ""))
    note(f"see: {command()} persona show {name}")


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
    as_json: AsJson = False,
) -> None:
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
    _answer_prompt(config, budget=personas.budget(window), manifest=manifest, as_json=as_json)


def _answer_prompt(config: AgentConfig, *, budget: int, manifest: bool, as_json: bool) -> None:
    from mayfly.persona import tokens_in

    tokens = tokens_in(config.identity_prompt)
    if config.problem:
        note(f"mayfly: the plain prompt, since the full one failed: {config.problem}")
    if as_json:
        answer_json(
            {
                "personas": list(config.personas),
                "mode": config.mode,
                "tools": list(config.tools),
                "policies": list(config.policies),
                "tokens": tokens,
                "budget": budget,
                "prompt": config.identity_prompt,
                "manifest": [_placed_fields(one) for one in config.manifest],
                "problem": config.problem,
            }
        )
    elif manifest:
        rows = [_placed_row(one) for one in config.manifest]
        answer_table([("", "ATOM", "PART", "VARIANT", "TOKENS", "SCORE", "WHY"), *rows])
    else:
        answer(config.identity_prompt)
    note(f"{', '.join(config.personas)}: {tokens:,} of {budget:,} tokens")


def _placed_fields(one: Placed) -> dict[str, object]:
    return {
        "id": one.id,
        "category": one.category,
        "included": one.included,
        "variant": one.variant,
        "part": one.part,
        "tokens": one.tokens,
        "score": one.score,
        "why": one.why,
        "place": one.place,
    }


def _placed_row(one: Placed) -> tuple[str, ...]:
    mark = "in" if one.included else "out"
    tokens = str(one.tokens) if one.included else "-"
    return mark, one.id, one.part, one.variant or "-", tokens, f"{one.score:.2f}", one.why
