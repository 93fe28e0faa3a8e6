"""`mayfly permit`, `route` and `why`: what the rules say, who takes a request on, and the reasons of what happened."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._frame import Shown, checked_directory, kept_ledger, opened, shows
from mayfly.cli._output import answer, command, note
from mayfly.cli._tree import short_ending
from mayfly.core import InputError, Settings, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from rich.tree import Tree

    from mayfly.mangle import DerivationBranch, Why, WhyNot
    from mayfly.operations import DecisionReasons, Reasons
    from mayfly.persona import Desk, Understood
    from mayfly.policy import Permit
    from mayfly.promise import Promise
    from mayfly.store import Event

Rules = Annotated[
    list[Path] | None,
    typer.Option("--rules", help="A further rule file, or a directory of them. May be repeated.", metavar="PATH"),
]
Workspace = Annotated[Path | None, typer.Option(help="The directory the work is done in.", metavar="DIR")]


@contextmanager
def desk(rules: list[Path] | None = None, workspace: Path | None = None) -> Iterator[Desk]:
    """Open the rules in force with the ledger; a rule file that is not in force is named and passed over."""
    from mayfly.persona import Desk
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


def _draw_branch(branch: DerivationBranch) -> Tree:
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


# More lines of one sort than this are read by programs only.
MOST = 50
OPEN = ("running", "interrupted", "cancelled")


@shows
def why(
    id: Annotated[
        str,
        typer.Argument(
            help="A run, a promise of it or a decision, such as r-7f3a0b12, r-7f3a0b12/0.2.1 or d-12ab34cd56ef; "
            "or a goal such as 'persona(X)'.",
            metavar="ID|GOAL",
        ),
    ],
    *,
    of: Annotated[
        str | None,
        typer.Option("--of", help="The decision whose facts a goal is asked of; the last one if none.", metavar="ID"),
    ] = None,
    rules: Rules = None,
) -> Shown:
    """Say why a run ended as it did, why a decision fell, or why a goal holds or not: every step with its source."""
    from mayfly.operations import DecisionReasons, GoalReasons, Reasons
    from mayfly.operations import why as find

    with ExitStack() as stack:
        found = find(
            stack.enter_context(kept_ledger()),
            id,
            desk=lambda: stack.enter_context(desk(rules)),
            tools=lambda: stack.enter_context(opened(brief=True)).tools,
            of=of,
        )
    data = found.to_json
    if isinstance(found, Reasons):
        go_on = found.status in ("interrupted", "cancelled")
        return Shown(data, _tree_lines(found), f"go on: {command()} resume {one_line(found.run)}" if go_on else "")
    if isinstance(found, DecisionReasons):
        return Shown(data, lambda: _show_decision(found))
    if isinstance(found, GoalReasons):
        return Shown(data, lambda: print_trees(found.trees))
    return Shown(data, fit_lines(found.lines()))


def tell(events: Iterable[Event]) -> Iterator[str]:
    """Yield a line for each thing that happened, fit for a terminal."""
    from mayfly.operations import tell as tell_raw

    return fit_lines(tell_raw(events))


def fit_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines of a story without control characters and cut to what anybody reads."""
    for line in lines:
        # A reading is said in full, and the ledger keeps as much of one as this.
        said = one_line(line, limit=2100 if line.startswith("  read as: ") else 500)
        yield "  " + said if line.startswith(" ") else said


def _show_decision(reasons: DecisionReasons) -> None:
    found = reasons.found
    answer(f"{found.id}: {found.outcome}")
    for reason in found.because:
        answer(f"  {one_line(reason)}")
    print_trees(reasons.trees)
    for remedy in found.remedies:
        answer(f"would be permitted if {one_line(remedy)}")
    if not found.same_rules:
        note(f"the rules have changed since; by today's it is {found.now}")


def _tree_lines(found: Reasons) -> Iterator[str]:
    """Yield it in words."""
    from mayfly.operations import RUN_ENDS

    yield f"asked: {one_line(found.asked.intent, limit=500)}"
    if found.asked.parent is None:
        ends = [event for event in found.steps if event.kind in RUN_ENDS]
        yield from tell(ends[-1:]) if found.status not in OPEN else [found.status]
    yield from (_promise_line(promise) for promise in found.chain)
    if found.told:
        yield f"how {found.leaf.id} came to it:"
        yield from (f"  {line}" for line in tell(found.told))
    yield from _listed("also ended in ground:", [_promise_line(promise) for promise in found.ground], found.run)
    shown = {promise.id for promise in found.chain}
    proven = [_promise_line(promise) for promise in found.proven if promise.id not in shown]
    yield from _listed("proven:", proven, found.run)
    yield from _listed(
        "the rules were asked:", [_rule_line(event.subject, event.payload) for event in found.decisions], found.run
    )
    yield from _listed("effects:", [_effect_line(effect) for effect in found.sent()], found.run)


def _promise_line(promise: Promise[Any]) -> str:
    from mayfly.operations import reason_of

    code = f" [{promise.code}]" if promise.code else ""
    strength = f"{promise.proof.strength}, " if promise.proof else ""
    reason = f": {strength}{one_line(reason_of(promise), limit=500)}" if reason_of(promise) else ""
    return f"  {promise.id:<6} {short_ending(promise):<9} {one_line(promise.intent, limit=100)}{reason}{code}"


def _rule_line(id: str, payload: Mapping[str, Any]) -> str:
    because = f": {one_line('; '.join(payload['because'][:3]), limit=300)}" if payload["because"] else ""
    return f"  {id} {payload['decision']} {payload['action']} {one_line(payload['target'], limit=200)}{because}"


def _effect_line(effect: Mapping[str, Any]) -> str:
    what = f"{effect['capability']} {effect['target']}"
    return f"  {effect['id']} {one_line(what, limit=300)}, attempt {effect['attempts']}: {one_line(effect['became'])}"


def _listed(head: str, lines: list[str], run: str) -> Iterator[str]:
    """Yield as many of the lines as anybody reads, below their heading."""
    if not lines:
        return
    yield head
    yield from lines[:MOST]
    if len(lines) > MOST:
        yield f"  and {len(lines) - MOST:,} more: {command()} why {one_line(run)} --json"
