"""`mayfly route`: what a text asks for and who takes it on, with no model."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._desk import Rules, Workspace, desk
from mayfly.cli._output import AsJson, answer, answer_json, command, note
from mayfly.core import InputError, one_line

if TYPE_CHECKING:
    from mayfly.language import Clause
    from mayfly.runtime import Understood

LONGEST = 1_000_000


def route(
    text: Annotated[str, typer.Argument(help="A request in plain English; - is stdin.", metavar="TEXT")],
    *,
    rules: Rules = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Say what TEXT asks for and who takes it on.

    Plain English becomes intents, personas and kinds of work by the rules in force, with no model.
    """
    text = _read(text)
    with desk(rules, workspace) as opened:
        understood = opened.understand(text)
    if as_json:
        answer_json(_fields(understood))
    else:
        _tell(understood)
    raise typer.Exit(0 if understood.request.routed else 3)


def _read(text: str) -> str:
    if text == "-":
        text = sys.stdin.buffer.read(LONGEST + 1).decode("utf-8", "replace")
    if len(text) > LONGEST:
        raise InputError(f"the request is longer than {LONGEST:,} characters")
    if not text.strip():
        raise InputError("the request is empty", fix='try: mayfly route "Fix the bug in auth.py"')
    return text


def _fields(understood: "Understood") -> dict[str, object]:
    request, routed = understood
    return {
        "intents": [_intent(found) for found in request.routed],
        "personas": list(routed.personas),
        "action_types": list(routed.action_types),
        "ask": request.ask,
        "guesses": [{"verb": guess.verb, "confidence": round(guess.odds, 2)} for guess in request.guesses],
        "because": list(routed.because),
        "id": routed.id,
    }


def _intent(found: "Clause") -> dict[str, object]:
    intent = found.intent
    return {
        "category": intent.category,
        "verb": intent.verb,
        "target": intent.target,
        "constraint": intent.constraint,
        "confidence": round(found.confidence, 2),
    }


def _tell(understood: "Understood") -> None:
    from mayfly.mangle import show_row
    from mayfly.policy import facts_of

    request, routed = understood
    for fact in facts_of(request):
        answer(one_line(show_row(*fact)))
    for persona in routed.personas:
        answer(f"persona {persona}")
    for kind in routed.action_types:
        answer(f"action type {kind}")
    if request.ask:
        answer(f"ask: {one_line(request.ask)}")
    for line in routed.because:
        note(f"  {one_line(line)}")
    note(f"why: {command()} why {routed.id}")
