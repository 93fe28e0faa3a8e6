"""`mayfly permit`: whether one action may be done, asked before it is done."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._desk import Rules, Workspace, desk
from mayfly.cli._output import AsJson, answer, answer_json, command, note
from mayfly.cli._trees import print_tree
from mayfly.core import InputError, one_line

if TYPE_CHECKING:
    from mayfly.mangle import Why, WhyNot
    from mayfly.policy import Permit

STATUS = {"permit": 0, "deny": 1, "approval": 3}


def permit(
    action: Annotated[str, typer.Argument(help="What would be done, such as file_write.", metavar="ACTION")],
    target: Annotated[
        str, typer.Argument(help="What it would be done to: a path, an address, a command.", metavar="TARGET")
    ],
    *,
    payload: Annotated[str, typer.Option(help="What would be written or sent; - is stdin.", metavar="P")] = "",
    persona: Annotated[str | None, typer.Option(help="Who acts; its tools and policies apply.", metavar="P")] = None,
    tier: Annotated[str | None, typer.Option(help="The tier of the artifact that acts.", metavar="TIER")] = None,
    fact: Annotated[
        list[str] | None, typer.Option("--fact", help="A fact of the session. May be repeated.", metavar="FACT")
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="The session it belongs to; what a session spends is added up.", metavar="ID")
    ] = None,
    rules: Rules = None,
    workspace: Workspace = None,
    why: Annotated[bool, typer.Option("--why", help="Print the derivation too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say whether an action may be done.

    The rules in force answer permit (status 0), deny (1) or approval (3), with the reason.
    """
    facts = list(fact or [])
    if tier is not None:
        from mayfly.core import Tier

        if tier not in {known.value for known in Tier}:
            raise InputError(f"there is no tier {tier!r}", fix=f"use one of {', '.join(known.value for known in Tier)}")
        facts.append(f"tier(/{tier})")
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if payload == "-" else payload
    with desk(rules, workspace) as opened:
        found = opened.kernel(persona=persona, facts=facts, session=session).permitted(action, target, text)
        if as_json:
            from mayfly.operations import permit_fields

            answer_json(permit_fields(found, why=why))
        else:
            _tell(found, found.trees() if why else (), found.remedies() if why else ())
    raise typer.Exit(STATUS[found.decision])


def _tell(found: "Permit", trees: "Sequence[Why | WhyNot]", remedies: Sequence[str]) -> None:
    answer(found.decision)
    for reason in found.reasons:
        span = reason.span
        answer(f"  {one_line(reason.text)} [{reason.code}, {span.argument} {span.start}-{span.end}]")
    for line in () if found.reasons else found.because:
        answer(f"  {one_line(line)}")
    for tree in trees:
        print_tree(tree)
    for remedy in remedies:
        answer(f"would be permitted if {one_line(remedy)}")
    if found.decision == "approval":
        note(f"approve: {command()} policy approve {found.id} --by NAME --reason TEXT")
    note(f"why: {command()} why {found.id}")
