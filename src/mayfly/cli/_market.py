"""`mayfly market` and `identity`: what is bought and sold, which programs ran well, and whose votes count for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._market_buy import buy, discover
from mayfly.cli._market_demo import demo
from mayfly.cli._market_sell import pnl, sell
from mayfly.cli._output import (
    AsJson,
    By,
    answer,
    answer_either,
    answer_json,
    answer_table,
    command,
    group,
    note,
    who,
)
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.library.promotion import Choice, Identities, Identity, Promotion, Standing

app = group("Buy and sell, what was earned and spent; vote on what is worth keeping.")
for one in (discover, buy, sell, pnl, demo):
    app.command()(one)

Wanted = Annotated[
    str, typer.Argument(help="The hash of its source, or the beginning of it; a tool also by its name.", metavar="HASH")
]
_CHOICES: dict[str, Choice] = {"+1": "for", "1": "for", "for": "for", "-1": "against", "against": "against"}


@contextmanager
def _promotion() -> Iterator[Promotion]:
    from mayfly.runtime import Runtime

    with Runtime(Settings.load(), brief=True) as runtime:
        runtime.promotion.mend()
        yield runtime.promotion


@app.command(name="list")
def list_candidates(*, as_json: AsJson = False) -> None:
    """List tools and remembered agents: how often they ran, who voted, and what stands in the way of promotion."""
    from mayfly.operations import standings_data

    with _promotion() as promotion:
        if as_json:
            answer_json(standings_data(promotion))
            return
        found, problems, needed = promotion.standings(), promotion.problems(), promotion.settings
    for said in problems:
        note(f"mayfly: promoted/{one_line(said, limit=300)}")
    if not found:
        note(f"there is nothing to vote on yet: {command()} run, or {command()} tools write")
        return
    rows = [("HASH", "KIND", "NAME", "STATE", "RUNS", "FAILED", "VOTES", "WHAT STANDS IN THE WAY")]
    for one in found:
        it = one.candidate
        votes = f"+{it.count('for')} -{it.count('against')}"
        rows.append(
            (
                it.hash[:12],
                it.ballot.kind,
                it.name,
                one.state,
                str(it.runs),
                str(len(it.failures)),
                votes,
                "; ".join(one.reasons) or "-",
            )
        )
    answer_table(rows)
    note(
        f"promotion needs more than {needed.runs} proven runs, a strong proof and {needed.quorum} votes: "
        f"{command()} market vote HASH +1"
    )


def _tell_standing(one: Standing, *, as_json: bool) -> None:
    if as_json:
        answer_json(one.to_json())
        return
    it = one.candidate
    votes = f"{it.count('for')} for it, {it.count('against')} against it"
    answer(f"{it.name} ({it.hash[:12]}) is {one.state}: {it.runs} runs, {votes}")
    for reason in one.reasons:
        answer(f"  {reason}")
    if one.commit:
        answer(f"  committed as {one.commit[:12]}")


# `-1` is a choice here and no option.
@app.command(context_settings={"ignore_unknown_options": True})
def vote(
    wanted: Wanted,
    choice: Annotated[str, typer.Argument(help="+1 for it, -1 against it.", metavar="+1|-1")],
    *,
    identity: Annotated[
        str, typer.Option("--as", help="Which identity signs.", metavar="NAME", show_default="the only one you have")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Vote for or against a program, signed; everyone has one vote. The vote that completes the quorum promotes it."""
    if choice not in _CHOICES:
        raise InputError(f"a vote is +1 or -1, not {choice[:20]!r}")
    with _promotion() as promotion:
        standing = promotion.vote(wanted, _CHOICES[choice], identity=identity)
    _tell_standing(standing, as_json=as_json)


@app.command()
def promote(wanted: Wanted, *, as_json: AsJson = False) -> None:
    """Commit a program to promoted/ in git, where the rules allow that; the last vote of a quorum does so by itself."""
    with _promotion() as promotion:
        standing = promotion.promote(wanted)
    _tell_standing(standing, as_json=as_json)


@app.command()
def demote(
    wanted: Wanted,
    *,
    why: Annotated[str, typer.Option(help="Why.", metavar="TEXT")],
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Take a program out of promoted/; git keeps its history, and what it is otherwise it stays."""
    with _promotion() as promotion:
        commit = promotion.demote(wanted, reason=why, by=who(by))
    answer_either({"commit": commit}, f"demoted, committed as {commit[:12]}", as_json=as_json)


@app.command()
def settle(
    wanted: Wanted,
    *,
    why: Annotated[str, typer.Option(help="Why they are not its fault.", metavar="TEXT")],
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Say that the failures of a program so far are not its fault, such as input that it is right to refuse."""
    with _promotion() as promotion:
        number = promotion.settle(wanted, why=why, by=who(by))
    answer_either({"settled": number}, f"settled {number} failure{'s' if number != 1 else ''}", as_json=as_json)


identity_app = group("Key pairs that votes are signed with, and whose votes count.")

IdentityName = Annotated[str, typer.Argument(help="What the identity is called here.", metavar="NAME")]


def _identities() -> Identities:
    from mayfly.library.promotion import Identities

    return Identities(Settings.load().state.absolute())


def _identity_fields(one: Identity) -> dict[str, object]:
    return {"name": one.name, "key": one.key, "own": one.own}


def _list_identities(*, as_json: bool) -> None:
    found = _identities().all()
    if as_json:
        answer_json([_identity_fields(one) for one in found])
        return
    if not found:
        note(f"there is no identity yet: {command()} identity new NAME")
        return
    rows = [("NAME", "WHOSE", "PUBLIC KEY")]
    rows += [(one.name, "yours" if one.own else "somebody else's", one.key) for one in found]
    answer_table(rows)


@identity_app.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Key pairs that votes are signed with, and whose votes count.

    A private key lies in identities/ in the state directory, readable by you alone; it is not encrypted. Give your
    public key to those whose promotions your votes should count for.
    """
    if context.invoked_subcommand is None:
        _list_identities(as_json=False)


@identity_app.command(name="list")
def list_identities(*, as_json: AsJson = False) -> None:
    """List everyone whose votes count here."""
    _list_identities(as_json=as_json)


@identity_app.command("new")
def new_identity(name: IdentityName, *, as_json: AsJson = False) -> None:
    """Make a key pair of your own."""
    made = _identities().new(name)
    if as_json:
        answer_json(_identity_fields(made))
        return
    answer(made.key)
    note(f"others let your votes count with: {command()} identity add {made.name} {made.key}")


@identity_app.command("add")
def add_identity(
    name: IdentityName,
    key: Annotated[str, typer.Argument(help="Their public key, as `mayfly identity` shows it.", metavar="KEY")],
    *,
    as_json: AsJson = False,
) -> None:
    """Let the votes of somebody else count."""
    made = _identities().add(name, key)
    answer_either(_identity_fields(made), f"the votes of {made.name} count from now on", as_json=as_json)


@identity_app.command("remove")
def remove_identity(
    name: IdentityName,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Also where the private key is lost with it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let the votes of somebody count no more; an own private key is gone for good."""
    identities = _identities()
    found = next((one for one in identities.all() if one.name == name), None)
    if found is not None and found.own and not yes:
        raise InputError(f"the private key of {name} would be gone for good", fix="say so: --yes")
    gone = identities.remove(name)
    answer_either(_identity_fields(gone), f"the votes of {gone.name} count no more", as_json=as_json)
