"""Where a remote is, by `.git/config` alone: an address of another machine over HTTPS or SSH, and nothing else."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from mayfly.core import InputError, MachineError, one_line
from mayfly.sandbox.repository._directory import GitDirectory
from mayfly.sandbox.repository._store import own_environment

# A host never begins with a hyphen: ssh would take it for an option.
_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]"
_PORT = r"(?::\d{1,5})?"
_USER = r"[A-Za-z0-9_][\w.+-]*"
_PATH = r"[^\s\x00-\x20\x7f\\?#]+"
_HTTPS = re.compile(rf"(https://)(?:([^\s/@\x00-\x20\x7f]*)@)?((?:{_HOST}){_PORT}/{_PATH})")
_SSH = re.compile(rf"ssh://(?:{_USER}@)?(?:{_HOST}){_PORT}/{_PATH}")
# What looks like another kind of address is none of a host of that name.
_SCP = re.compile(rf"(?!(?:file|ext|fd|bundle|https?|ftps?|git|ssh):)(?:{_USER}@)?(?:{_HOST}):(?![:-]){_PATH}")
_CONTROL = re.compile(r"%(?:[01][0-9A-Fa-f]|7[Ff])")
_SECONDS = 30
# Larger than any configuration that a person wrote.
_MOST = 1 << 20


class RemoteUrl(NamedTuple):
    """The address of a remote: as git is given it, and as everybody may see it."""

    full: str
    shown: str
    """Without a name and password, where some were written into it."""
    secret: str = ""
    """What is not shown of it."""


def remote_url(workspace: Path, remote: str) -> RemoteUrl:
    """Return where pushes to *remote* go by the `.git/config` of a workspace; anything but one address is an error."""
    addresses = _configured(workspace, remote)
    if not addresses:
        raise InputError(f"no remote {remote!r} in .git/config", fix=f"git remote add {remote} URL")
    if len(addresses) > 1:
        raise InputError(f"the remote {remote!r} has {len(addresses)} addresses", fix="keep one in .git/config")
    return checked_url(addresses[0])


def _configured(workspace: Path, remote: str) -> list[str]:
    with GitDirectory(str(workspace.resolve())) as directory:
        if directory.kind("") != "directory":
            raise InputError(
                "the workspace has no .git directory of its own", fix="push by hand, or open the main work tree"
            )
        text = directory.read("config")
    found: dict[str, list[str]] = {"url": [], "pushurl": []}
    for key, value in _entries(workspace, text):
        name, _, last = key.removeprefix("remote.").rpartition(".")
        if key.startswith("remote.") and name == remote and last in found:
            found[last].append(value)
    return found["pushurl"] or found["url"]


def _entries(workspace: Path, text: bytes) -> list[tuple[str, str]]:
    """Read a configuration without what it includes."""
    if len(text) > _MOST:
        raise InputError(f".git/config is larger than {_MOST} bytes")
    try:
        done = subprocess.run(
            ["git", "config", "--file", "-", "--no-includes", "--null", "--list"],
            cwd="/",
            env=own_environment(workspace),
            input=text,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise MachineError("git is not installed") from None
    if done.returncode:
        raise InputError(f".git/config cannot be read: {one_line(done.stderr.decode('utf-8', 'replace'), limit=200)}")
    lines = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return [(key, value) for key, _, value in (line.partition("\n") for line in lines if line)]


def checked_url(text: str) -> RemoteUrl:
    """Return an address that git reaches over HTTPS or SSH, with no way to say anything else by it."""
    if not _CONTROL.search(text):
        if found := _HTTPS.fullmatch(text):
            return RemoteUrl(text, found[1] + found[3], found[2] or "")
        if _SSH.fullmatch(text) or ("://" not in text and _SCP.fullmatch(text)):
            return RemoteUrl(text, text)
    # Text that is no such address is not repeated: it may hold a password in any place.
    raise InputError(
        "the remote's address in .git/config is not one of another machine",
        fix="it has to be https://HOST/PATH, ssh://HOST/PATH or USER@HOST:PATH",
    )
