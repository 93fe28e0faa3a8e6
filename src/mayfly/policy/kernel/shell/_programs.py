"""The table of what is known of programs, read once from the file beside this one."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """A program that runs the rest of its command line."""

    values: frozenset[str]
    operands: int
    verbs: frozenset[str]
    """The words of its own after which a command follows, where it has others too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """What the shell reader knows of programs by name."""

    wrappers: Mapping[str, Wrapper]
    shells: frozenset[str]
    shell_values: frozenset[str]
    code: Mapping[str, tuple[str, ...]]
    carriers: Mapping[str, tuple[str, ...]]
    plain: frozenset[str]
    harmful: frozenset[str]
    assigning: frozenset[str]
    writers: Mapping[str, frozenset[str]]
    network: frozenset[str]
    long: Mapping[str, tuple[str, ...]]


@cache
def programs() -> Programs:
    """Return the table."""
    table = tomllib.loads((files("mayfly.policy.kernel.shell") / "programs.toml").read_text(encoding="utf-8"))
    wrappers = {
        name: Wrapper(
            values=frozenset(entry.get("values", ())),
            operands=entry.get("operands", 0),
            verbs=frozenset(entry.get("verbs", ())),
        )
        for name, entry in table["wrappers"].items()
    }
    return Programs(
        wrappers=wrappers,
        shells=frozenset(table["shells"]["names"]),
        shell_values=frozenset(table["shells"]["values"]),
        code={name: tuple(options) for name, options in table["code"].items()},
        carriers={name: tuple(options) for name, options in table["carriers"].items() if options},
        plain=frozenset(table["plain"]["names"]),
        harmful=frozenset(table["harmful"]["names"]),
        assigning=frozenset(table["assigning"]["names"]),
        writers={name: frozenset(names) for name, names in table["writers"].items()},
        network=frozenset(table["network"]["names"]),
        long={name: tuple(names) for name, names in table["long"].items()},
    )
