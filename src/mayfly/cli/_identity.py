"""`mayfly identity`: key pairs that votes are signed with, and the public keys of those whose votes count."""

from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, command, group, note, table
from mayfly.core import InputError, Settings

if TYPE_CHECKING:
    from mayfly.library.promotion import Identities, Identity

app = group("Key pairs that votes are signed with, and whose votes count.")

Name = Annotated[str, typer.Argument(help="What the identity is called here.", metavar="NAME")]


def _identities() -> "Identities":
    from mayfly.library.promotion import Identities

    return Identities(Settings.load().state.absolute())


def _told(one: "Identity") -> dict[str, object]:
    return {"name": one.name, "key": one.key, "own": one.own}


def _list(*, as_json: bool) -> None:
    found = _identities().all()
    if as_json:
        answer_json([_told(one) for one in found])
        return
    if not found:
        note(f"there is no identity yet: {command()} identity new NAME")
        return
    rows = [("NAME", "WHOSE", "PUBLIC KEY")]
    rows += [(one.name, "yours" if one.own else "somebody else's", one.key) for one in found]
    for line in table(rows):
        answer(line)


@app.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Key pairs that votes are signed with, and whose votes count.

    A private key lies in identities/ in the state directory, readable by you alone; it is not encrypted. Give your
    public key to those whose promotions your votes should count for.
    """
    if context.invoked_subcommand is None:
        _list(as_json=False)


@app.command(name="list")
def list_identities(*, as_json: AsJson = False) -> None:
    """List everyone whose votes count here."""
    _list(as_json=as_json)


@app.command()
def new(name: Name, *, as_json: AsJson = False) -> None:
    """Make a key pair of your own."""
    made = _identities().new(name)
    if as_json:
        answer_json(_told(made))
        return
    answer(made.key)
    note(f"others let your votes count with: {command()} identity add {made.name} {made.key}")


@app.command()
def add(
    name: Name,
    key: Annotated[str, typer.Argument(help="Their public key, as `mayfly identity` shows it.", metavar="KEY")],
    *,
    as_json: AsJson = False,
) -> None:
    """Let the votes of somebody else count."""
    made = _identities().add(name, key)
    if as_json:
        answer_json(_told(made))
    else:
        answer(f"the votes of {made.name} count from now on")


@app.command()
def remove(
    name: Name,
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
    if as_json:
        answer_json(_told(gone))
    else:
        answer(f"the votes of {gone.name} count no more")
