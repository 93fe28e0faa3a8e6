"""`mayfly prompt`: the system prompt an agent would get, and why each of its parts is in or out."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mayfly.cli._desk import Rules, Workspace, desk
from mayfly.cli._output import AsJson, answer, answer_json, group, note, table
from mayfly.cli._persona import tell_problems
from mayfly.core import InputError, Settings

if TYPE_CHECKING:
    from mayfly.persona import AgentConfig, Placed

app = group("The prompts that agents get.")


@app.command()
def show(
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
    _answer(config, budget=personas.budget(window), manifest=manifest, as_json=as_json)


def _answer(config: "AgentConfig", *, budget: int, manifest: bool, as_json: bool) -> None:
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
                "manifest": [_fields(one) for one in config.manifest],
                "problem": config.problem,
            }
        )
    elif manifest:
        rows = [_row(one) for one in config.manifest]
        for line in table([("", "ATOM", "PART", "VARIANT", "TOKENS", "SCORE", "WHY"), *rows]):
            answer(line)
    else:
        answer(config.identity_prompt)
    note(f"{', '.join(config.personas)}: {tokens:,} of {budget:,} tokens")


def _fields(one: "Placed") -> dict[str, object]:
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


def _row(one: "Placed") -> tuple[str, ...]:
    mark = "in" if one.included else "out"
    tokens = str(one.tokens) if one.included else "-"
    return mark, one.id, one.part, one.variant or "-", tokens, f"{one.score:.2f}", one.why
