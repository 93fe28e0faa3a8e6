"""`mayfly permit` and `route`, and what commands about rules share: the desk with its ledger, reasons as trees."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._frame import Shown, checked_directory, shows
from mayfly.cli._output import answer, command, note
from mayfly.core import InputError, Settings, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from rich.tree import Tree

    from mayfly.mangle import Branch, Why, WhyNot
    from mayfly.policy import Permit
    from mayfly.runtime import Desk, Understood

Rules = Annotated[
    list[Path] | None,
    typer.Option("--rules", help="A further rule file, or a directory of them. May be repeated.", metavar="PATH"),
]
Workspace = Annotated[Path | None, typer.Option(help="The directory the work is done in.", metavar="DIR")]


@contextmanager
def desk(rules: list[Path] | None = None, workspace: Path | None = None) -> Iterator[Desk]:
    """Open the rules in force with the ledger; a rule file that is not in force is named and passed over."""
    from mayfly.runtime import Desk
    from mayfly.store import Ledger

    for path in rules or []:
        if not path.exists():
            raise InputError(f"there is no {path}", fix="name a rule file, or a directory of them")
    checked_directory(workspace)
    settings = Settings.load()
    with Ledger.open(settings) as ledger:
        opened = Desk(settings, ledger=ledger, workspace=workspace, rules=rules or ())
        for problem in opened.snapshot.problems:
            note(f"mayfly: not in force: {problem}")
        yield opened
        opened.keep()


_BRANCH_STYLES = {
    "fact": "",
    "absence": "italic",
    "check": "",
    "rule": "",
    "failure": "bold red",
    "hint": "dim",
    "repair": "green",
}


def print_trees(trees: Iterable[Why | WhyNot]) -> None:
    """Print why something holds, or why not."""
    for tree in trees:
        print_tree(tree)


def print_tree(tree: Why | WhyNot) -> None:
    """Print one derivation: coloured on a terminal, as text otherwise."""
    from mayfly.mangle import outline, to_text

    if sys.stdout.isatty():
        from rich.console import Console

        Console(highlight=False, markup=False, emoji=False).print(_draw_branch(outline(tree)))
    else:
        answer(to_text(tree))


def _draw_branch(branch: Branch) -> Tree:
    """Return the tree with the rule below what it gives, so that narrow terminals can be read."""
    from rich.text import Text
    from rich.tree import Tree

    label = Text(branch.text, style=_BRANCH_STYLES[branch.kind])
    if branch.rule:
        label.append(f"\nby {branch.rule}", style="dim")
    if branch.place:
        label.append(f"  {branch.place}", style="cyan")
    tree = Tree(label, guide_style="dim")
    for below in branch.below:
        tree.children.append(_draw_branch(below))
    return tree


PERMIT_STATUS = {"permit": 0, "deny": 1, "approval": 3}


@shows
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
) -> Shown:
    """Say whether an action may be done.

    The rules in force answer permit (status 0), deny (1) or approval (3), with the reason.
    """
    from mayfly.operations import permit_fields

    facts = list(fact or [])
    if tier is not None:
        from mayfly.core import Tier

        if tier not in {known.value for known in Tier}:
            raise InputError(f"there is no tier {tier!r}", fix=f"use one of {', '.join(known.value for known in Tier)}")
        facts.append(f"tier(/{tier})")
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if payload == "-" else payload
    with desk(rules, workspace) as opened:
        found = opened.kernel(persona=persona, facts=facts, session=session).permitted(action, target, text)
        fields = permit_fields(found, why=why)
        trees = found.trees() if why else ()
    remedies = fields.get("permitted_if", ())
    return Shown(fields, lambda: _tell_permit(found, trees, remedies), status=PERMIT_STATUS[found.decision])


def _tell_permit(found: Permit, trees: Sequence[Why | WhyNot], remedies: Sequence[str]) -> None:
    answer(found.decision)
    for reason in found.reasons:
        span = reason.span
        answer(f"  {one_line(reason.text)} [{reason.code}, {span.argument} {span.start}-{span.end}]")
    for line in () if found.reasons else found.because:
        answer(f"  {one_line(line)}")
    print_trees(trees)
    for remedy in remedies:
        answer(f"would be permitted if {one_line(remedy)}")
    if found.decision == "approval":
        note(f"approve: {command()} policy approve {found.id} --by NAME --reason TEXT")
    note(f"why: {command()} why {found.id}")


LONGEST_REQUEST = 1_000_000


@shows
def route(
    text: Annotated[str, typer.Argument(help="A request in plain English; - is stdin.", metavar="TEXT")],
    *,
    rules: Rules = None,
    workspace: Workspace = None,
) -> Shown:
    """Say what TEXT asks for and who takes it on.

    Plain English becomes intents, personas and kinds of work by the rules in force, with no model.
    """
    text = _read_request(text)
    with desk(rules, workspace) as opened:
        understood = opened.understand(text)
    status = 0 if understood.request.routed else 3
    return Shown(_route_fields(understood), lambda: _tell_route(understood), status=status)


def _read_request(text: str) -> str:
    if text == "-":
        text = sys.stdin.buffer.read(LONGEST_REQUEST + 1).decode("utf-8", "replace")
    if len(text) > LONGEST_REQUEST:
        raise InputError(f"the request is longer than {LONGEST_REQUEST:,} characters")
    if not text.strip():
        raise InputError("the request is empty", fix='try: mayfly route "Fix the bug in auth.py"')
    return text


def _route_fields(understood: Understood) -> dict[str, object]:
    request, routed = understood
    return {
        "intents": [
            {
                **pick_fields(found.intent, "category verb target constraint"),
                "confidence": round(found.confidence, 2),
            }
            for found in request.routed
        ],
        "personas": list(routed.personas),
        "action_types": list(routed.action_types),
        "ask": request.ask,
        "guesses": [{"verb": guess.verb, "confidence": round(guess.odds, 2)} for guess in request.guesses],
        "because": list(routed.because),
        "id": routed.id,
    }


def _tell_route(understood: Understood) -> None:
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
