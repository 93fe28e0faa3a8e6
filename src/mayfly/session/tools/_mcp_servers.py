"""Which other MCP servers there are: read from `mcp.json` (or TOML) in the state directory, and checked."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.core import InputError, host_of, one_line, parse_json

# The name of a tool is made of it, and providers of models take 64 characters in all.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,29}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_LARGEST = 1_000_000
_MOST_SERVERS = 32
_KNOWN = {"command", "args", "env", "cwd", "url", "headers", "type", "disabled", "description"}
_TYPES = ("stdio", "http", "streamable-http", "streamable_http")


@dataclass(frozen=True, kw_only=True)
class McpServerConfig:
    """One server as it is configured: a program that is started, or an address."""

    name: str
    command: str = ""
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    directory: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class Configured(NamedTuple):
    """The servers that can be used, and of the others what is wrong with them."""

    servers: tuple[McpServerConfig, ...]
    problems: tuple[str, ...]


def load_servers(path: Path, *, environ: Mapping[str, str] | None = None) -> Configured:
    """Read the servers from *path*; no file is no server, and one bad entry leaves the others as they are.

    `${NAME}` and `${NAME:-default}` stand for variables of *environ*, in everything but names.
    """
    variables = os.environ if environ is None else environ
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise ValueError(f"it is larger than {_LARGEST:,} bytes")
        table = tomllib.loads(data.decode()) if path.suffix == ".toml" else parse_json(data, "it")
    except FileNotFoundError:
        return Configured((), ())
    except (OSError, ValueError, RecursionError, InputError) as error:
        return Configured((), (f"{path}: {one_line(str(error), limit=200)}",))
    named = table.get("mcpServers") if isinstance(table, dict) else None
    if not isinstance(named, dict):
        return Configured((), (f"{path}: it has no table mcpServers",))
    servers, problems = [], []
    for name, entry in named.items():
        try:
            server = _server(name, entry, variables)
        except InputError as error:
            problems.append(f"{path}: {one_line(name, limit=60)}: {error}")
        else:
            servers += [server] if server is not None else []
    if len(servers) > _MOST_SERVERS:
        problems.append(f"{path}: {len(servers)} servers, of which the first {_MOST_SERVERS} are used")
    return Configured(tuple(servers[:_MOST_SERVERS]), tuple(problems))


def _server(name: str, entry: object, variables: Mapping[str, str]) -> McpServerConfig | None:
    if not _NAME.fullmatch(name):
        raise InputError("a name has up to 30 letters, digits, - and single _")
    if not isinstance(entry, dict):
        raise InputError("it is no table")
    unknown = sorted(set(entry) - _KNOWN)
    if unknown:
        raise InputError(
            f"unknown is {one_line(', '.join(unknown), limit=100)}", fix=f"known are {', '.join(sorted(_KNOWN))}"
        )
    if entry.get("disabled") is True:
        return None
    if ("command" in entry) == ("url" in entry):
        raise InputError("it needs either command or url")
    if entry.get("type", "stdio") not in _TYPES:
        raise InputError(f"its type is none of {', '.join(_TYPES)}", fix="use the address for streamable HTTP")
    if "url" in entry:
        url = _text(entry, "url", variables)
        if not url.startswith(("https://", "http://")) or host_of(url) is None:
            raise InputError("its url must begin with https:// or http://")
        return McpServerConfig(name=name, url=url, headers=_texts(entry, "headers", variables))
    return _program(name, entry, variables)


def _program(name: str, entry: Mapping[str, Any], variables: Mapping[str, str]) -> McpServerConfig:
    arguments = entry.get("args", [])
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        raise InputError("args must be a list of texts")
    command = _text(entry, "command", variables)
    # Programs are started through env(1), which takes a word with = for a variable.
    if not command or "=" in command:
        raise InputError("command must name a program, without =")
    return McpServerConfig(
        name=name,
        command=command,
        arguments=tuple(_expanded(word, variables) for word in arguments),
        environment=_texts(entry, "env", variables),
        directory=_text(entry, "cwd", variables) if "cwd" in entry else "",
    )


def _text(entry: Mapping[str, Any], key: str, variables: Mapping[str, str]) -> str:
    if not isinstance(entry[key], str):
        raise InputError(f"{key} must be text")
    return _expanded(entry[key], variables)


def _texts(entry: Mapping[str, Any], key: str, variables: Mapping[str, str]) -> dict[str, str]:
    table = entry.get(key, {})
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise InputError(f"{key} must be a table of texts")
    return {name: _expanded(value, variables) for name, value in table.items()}


def _expanded(text: str, variables: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        known = variables.get(found[1], found[2])
        if known is None:
            raise InputError(f"the variable {found[1]} is not set")
        return known

    if "\0" in text:
        raise InputError("it holds a null character")
    return _VARIABLE.sub(value, text)
