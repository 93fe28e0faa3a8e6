"""Who gives an order: every order that is recorded has a name under it."""

import getpass
from typing import Annotated

import typer

from mayfly.core import InputError

By = Annotated[
    str | None, typer.Option(help="Who says so.", metavar="NAME", show_default="the name you are logged in under")
]
Reason = Annotated[str, typer.Option(help="Why.", metavar="TEXT")]


def who(by: str | None) -> str:
    """Return the name to record: the one given, or that of whoever is logged in."""
    if by is not None:
        if not by.strip():
            raise InputError("--by is empty", fix="name who says so: --by NAME")
        return by
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise InputError("nobody is known by name here", fix="say who you are: --by NAME") from None
