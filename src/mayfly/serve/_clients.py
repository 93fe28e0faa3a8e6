"""What to write into the configuration of the common clients, with this installation's own command in it."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mayfly.core import InputError


class ClientConfig(NamedTuple):
    """Where a client keeps its configuration, and what goes there."""

    title: str
    where: str
    block: str


_TABLE = tomllib.loads((Path(__file__).parent / "clients.toml").read_text(encoding="utf-8"))
CLIENTS: tuple[str, ...] = tuple(_TABLE)


def client_config(client: str, command: Sequence[str], env: Mapping[str, str]) -> ClientConfig:
    """Return how *client* is told to start *command* with *env*."""
    if client not in _TABLE:
        raise InputError(f"no client {client!r} is known", fix=f"use one of {', '.join(CLIENTS)}")
    entry = _TABLE[client]
    block = entry["block"].format(
        command=json.dumps(command[0]),
        args=json.dumps(list(command[1:])),
        whole=json.dumps(list(command)),
        env=json.dumps(dict(env)),
        # The keys and texts of JSON are those of TOML, between other signs.
        table="{" + ", ".join(f"{key} = {json.dumps(value)}" for key, value in env.items()) + "}",
        words=shlex.join(command),
        variables="".join(f" --env {shlex.quote(f'{key}={value}')}" for key, value in env.items()),
    )
    return ClientConfig(entry["title"], entry["where"], block)
