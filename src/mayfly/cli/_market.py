"""`mayfly market` and `identity`: what is bought and sold, which programs ran well, and whose votes count for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._frame import Shown, opened, show, shows
from mayfly.cli._market_demo import demo
from mayfly.cli._market_sell import buy, discover, pnl, sell
from mayfly.cli._output import (
    By,
    answer_table,
    command,
    group,
    note,
    table,
    who,
)
from mayfly.core import InputError, Settings, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.library.promotion import Choice, Identities, Promotion, Standing, VoterIdentity

app = group("Buy and sell, what was earned and spent; vote on what is worth keeping.")
for one in (discover, buy, sell, pnl, demo):
    app.command()(one)

Wanted = Annotated[
    str, typer.Argument(help="The hash of its source, or the beginning of it; a tool also by its name.", metavar="HASH")
]
_CHOICES: dict[str, Choice] = {"+1": "for", "1": "for", "for": "for", "-1": "against", "against": "against"}


@contextmanager
def _promotion() -> Iterator[Promotion]:
    with opened(brief=True) as runtime:
        runtime.promotion.mend()
        yield runtime.promotion


@app.command(name="list")
@shows
def list_candidates() -> Shown:
    """List tools and remembered agents: how often they ran, who voted, and what stands in the way of promotion."""
    from mayfly.operations import standings_data

    with _promotion() as promotion:
        data, found, needed = standings_data(promotion), promotion.standings(), promotion.settings
    if not found:
        hint = f"there is nothing to vote on yet: {command()} run, or {command()} tools write"
    else:
        hint = (
            f"promotion needs more than {needed.runs} proven runs, a strong proof and {needed.quorum} votes: "
            f"{command()} market vote HASH +1"
        )
    return Shown(data, lambda: _show_candidates(found, data["problems"]), hint)


def _show_candidates(found: Sequence[Standing], problems: Sequence[str]) -> None:
    for said in problems:
        note(f"mayfly: promoted/{one_line(said, limit=300)}")
    rows = [("HASH", "KIND", "NAME", "STATE", "RUNS", "FAILED", "VOTES", "WHAT STANDS IN THE WAY")]
    for one in found:
        it = one.candidate
        numbers = (str(it.runs), str(len(it.failures)), f"+{it.count('for')} -{it.count('against')}")
        rows.append((it.hash[:12], it.ballot.kind, it.name, one.state, *numbers, "; ".join(one.reasons) or "-"))
    if found:
        answer_table(rows)


def _standing_shown(one: Standing) -> Shown:
    it = one.candidate
    votes = f"{it.count('for')} for it, {it.count('against')} against it"
    lines = [f"{it.name} ({it.hash[:12]}) is {one.state}: {it.runs} runs, {votes}"]
    lines += [f"  {reason}" for reason in one.reasons]
    return Shown(one.to_json(), lines + ([f"  committed as {one.commit[:12]}"] if one.commit else []))


# `-1` is a choice here and no option.
@app.command(context_settings={"ignore_unknown_options": True})
@shows
def vote(
    wanted: Wanted,
    choice: Annotated[str, typer.Argument(help="+1 for it, -1 against it.", metavar="+1|-1")],
    *,
    identity: Annotated[
        str, typer.Option("--as", help="Which identity signs.", metavar="NAME", show_default="the only one you have")
    ] = "",
) -> Shown:
    """Vote for or against a program, signed; everyone has one vote. The vote that completes the quorum promotes it."""
    if choice not in _CHOICES:
        raise InputError(f"a vote is +1 or -1, not {choice[:20]!r}")
    with _promotion() as promotion:
        return _standing_shown(promotion.vote(wanted, _CHOICES[choice], identity=identity))


@app.command()
@shows
def promote(wanted: Wanted) -> Shown:
    """Commit a program to promoted/ in git, where the rules allow that; the last vote of a quorum does so by itself."""
    with _promotion() as promotion:
        return _standing_shown(promotion.promote(wanted))


@app.command()
@shows
def demote(wanted: Wanted, *, why: Annotated[str, typer.Option(help="Why.", metavar="TEXT")], by: By = None) -> Shown:
    """Take a program out of promoted/; git keeps its history, and what it is otherwise it stays."""
    with _promotion() as promotion:
        commit = promotion.demote(wanted, reason=why, by=who(by))
    return Shown({"commit": commit}, f"demoted, committed as {commit[:12]}")


@app.command()
@shows
def settle(
    wanted: Wanted,
    *,
    why: Annotated[str, typer.Option(help="Why they are not its fault.", metavar="TEXT")],
    by: By = None,
) -> Shown:
    """Say that the failures of a program so far are not its fault, such as input that it is right to refuse."""
    with _promotion() as promotion:
        number = promotion.settle(wanted, why=why, by=who(by))
    return Shown({"settled": number}, f"settled {number} failure{'s' if number != 1 else ''}")


identity_app = group("Key pairs that votes are signed with, and whose votes count.")

IdentityName = Annotated[str, typer.Argument(help="What the identity is called here.", metavar="NAME")]


def _identities() -> Identities:
    from mayfly.library.promotion import Identities

    return Identities(Settings.load().state.absolute())


def _identity_fields(one: VoterIdentity) -> dict[str, object]:
    return pick_fields(one, "name key own")


def _identities_shown() -> Shown:
    found = _identities().all()
    if not found:
        return Shown([], hint=f"there is no identity yet: {command()} identity new NAME")
    rows = [(one.name, "yours" if one.own else "somebody else's", one.key) for one in found]
    return Shown([_identity_fields(one) for one in found], table([("NAME", "WHOSE", "PUBLIC KEY"), *rows]))


@identity_app.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Key pairs that votes are signed with, and whose votes count.

    A private key lies in identities/ in the state directory, readable by you alone; it is not encrypted. Give your
    public key to those whose promotions your votes should count for.
    """
    if context.invoked_subcommand is None:
        show(_identities_shown(), as_json=False)


@identity_app.command(name="list")
@shows
def list_identities() -> Shown:
    """List everyone whose votes count here."""
    return _identities_shown()


@identity_app.command("new")
@shows
def new_identity(name: IdentityName) -> Shown:
    """Make a key pair of your own."""
    made = _identities().new(name)
    hint = f"others let your votes count with: {command()} identity add {made.name} {made.key}"
    return Shown(_identity_fields(made), made.key, hint)


@identity_app.command("add")
@shows
def add_identity(
    name: IdentityName,
    key: Annotated[str, typer.Argument(help="Their public key, as `mayfly identity` shows it.", metavar="KEY")],
) -> Shown:
    """Let the votes of somebody else count."""
    made = _identities().add(name, key)
    return Shown(_identity_fields(made), f"the votes of {made.name} count from now on")


@identity_app.command("remove")
@shows
def remove_identity(
    name: IdentityName,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Also where the private key is lost with it.")] = False,
) -> Shown:
    """Let the votes of somebody count no more; an own private key is gone for good."""
    identities = _identities()
    found = next((one for one in identities.all() if one.name == name), None)
    if found is not None and found.own and not yes:
        raise InputError(f"the private key of {name} would be gone for good", fix="say so: --yes")
    gone = identities.remove(name)
    return Shown(_identity_fields(gone), f"the votes of {gone.name} count no more")
