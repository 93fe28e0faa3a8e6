"""Which directories of the machine a command sees, read-only, and the environment it starts with."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mayfly.sandbox.jail._wire import PORT

# What every Linux has its programs and libraries in, and two package systems that have theirs elsewhere.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc", "/nix/store", "/gnu/store")
_USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# What marks the root of a tree of programs that is shown whole: a virtual environment, a conda environment.
_MARKS = ("pyvenv.cfg", "conda-meta")
# Directories that a command has of its own: of the machine's only what is asked for below them is shown.
_OWN = ("/tmp", "/var/tmp", "/run")
# What programs in PREFIX/bin look for beside it.
_BESIDE = ("lib", "lib64", "libexec", "include")
# Below the toolchains' own directories: files in which they keep what lets somebody in.
_CREDENTIALS = (".cargo/credentials", ".cargo/credentials.toml", ".bun/auth", ".sdkman/etc/config")


class Seen(NamedTuple):
    """What is shown: directories of the system, trees of tools, links among them, and what is covered in them."""

    system: list[str]
    tools: list[str]
    links: dict[str, str]
    covered: list[str]
    path: str


def look_around(workspace: str, extra: str) -> Seen:
    """Find what there is to show on this machine."""
    home = home_directory()
    system = [path for path in _SYSTEM if os.path.lexists(path)]
    links = {path: os.readlink(path) for path in system if os.path.islink(path)}
    wanted = [os.path.expanduser(path) for path in extra.split(":") if path]
    wanted += [sys.prefix, sys.base_prefix]
    asked = [path for path in (*os.environ.get("PATH", "").split(":"), *_USUAL_PATH.split(":")) if path.startswith("/")]
    for path in asked:
        wanted += _tree_of(path, home)
    tools = [path for path in _outermost(wanted, home) if not _within(path, [p for p in system if p not in links])]
    tools = [path for path in tools if not _within(path, [workspace]) and not _within(workspace, [path])]
    covered = [path for name in _CREDENTIALS if os.path.exists(path := f"{home}/{name}") and _within(path, tools)]
    visible = [*system, *tools, workspace]
    kept = dict.fromkeys(path for path in asked if _within(path, visible) and os.path.isdir(path))
    return Seen(system, tools, links, covered, ":".join(kept))


def _tree_of(path: str, home: str) -> list[str]:
    """Return what a directory of PATH needs to work: itself, and what its programs look for beside it."""
    prefix = os.path.dirname(path.rstrip("/"))
    if prefix in ("/", home):
        return [path]
    if any(os.path.exists(f"{prefix}/{mark}") for mark in _MARKS):
        return [prefix]
    return [path, *(f"{prefix}/{name}" for name in _BESIDE)]


def _outermost(paths: Iterable[str], home: str) -> list[str]:
    """Return the real directories among *paths*, those inside another left out, and none that holds _OWN or home."""
    real = {os.path.realpath(path) for path in paths} | {os.path.normpath(path) for path in paths}
    fit = {path for path in real if os.path.isdir(path) and not os.path.islink(path) and path != "/"}
    fit = {path for path in fit if not any(_within(own, [path]) for own in (*_OWN, home))}
    fit = {path for path in fit if not _within(path, ["/proc", "/sys", "/dev"])}
    return sorted(path for path in fit if not any(other != path and _within(path, [other]) for other in fit))


def _within(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(place + "/") for place in places)


@cache
def home_directory() -> str:
    """Return the home of this user, as a path that can be mounted at."""
    found = os.environ.get("HOME", "")
    if not found.startswith("/") or found == "/":
        try:
            found = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            found = ""
    return os.path.normpath(found) if found.startswith("/") and found != "/" else "/home/user"


@cache
def user_name() -> str:
    """Return the name of this user."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return "user"


def environment(seen: Seen, added: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a command: those that ordinary programs need, and none of ours."""
    proxy = f"http://127.0.0.1:{PORT}"
    zone = os.environ.get("TZ", "")
    variables = {
        "PATH": seen.path,
        "HOME": home_directory(),
        "USER": user_name(),
        "LOGNAME": user_name(),
        "SHELL": shell(),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TMPDIR": "/tmp",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        **({"TZ": zone} if zone else {}),
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"), proxy),
        **dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1,::1"),
    }
    return variables | dict(added)


@cache
def shell() -> str:
    """Return the shell that runs scripts."""
    return next((path for path in ("/bin/bash", "/usr/bin/bash") if os.path.exists(path)), "/bin/sh")


def git_identity() -> str:
    """Return what of the user's git settings a command needs to make commits as the user: name and address."""
    kept: dict[str, str] = {}
    section = ""
    for place in (Path(home_directory()) / ".gitconfig", Path(home_directory()) / ".config" / "git" / "config"):
        try:
            lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            text = line.strip()
            if text.startswith("["):
                section = text.strip("[]").lower()
            key, equals, value = text.partition("=")
            name = f"{section}.{key.strip().lower()}"
            if equals and name in ("user.name", "user.email", "init.defaultbranch"):
                kept.setdefault(name, value.strip())
    return "".join(
        f"[{name.partition('.')[0]}]\n\t{name.partition('.')[2]} = {value}\n" for name, value in kept.items()
    )
