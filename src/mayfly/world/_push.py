"""Pushes: planned from what the repository holds, shown and signed, and made outside of the workbench exactly so.

Nothing of the repository's own settings is in force while git pushes: it runs in an empty repository over the same
objects, with the settings, keys and credential helpers of the person who runs Mayfly.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mayfly.core import ConflictError, InputError, content_hash, harmless, one_line
from mayfly.sandbox.repository import (
    GitDirectory,
    ObjectStore,
    RemoteUrl,
    is_ref_name,
    path_outside,
    read_anchors,
    remote_url,
    resolve_ref,
)

# What a push may take; a remote that does not answer is not waited for longer.
_PUSH_SECONDS = 300.0
# Commits that a person is shown one by one.
_LISTED = 200
# Variables of git that are the person's own; all others lead it to another repository or another configuration.
_OWN = re.compile(r"GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|SSL_\w+|HTTP_\w+)")
_ENTRY = re.compile(r"([0-9a-f]{40,64})\t(\S+)")
_WITHOUT_HOOKS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
_ONLY_THIS = ("--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--porcelain")


@dataclass(frozen=True, kw_only=True)
class PlannedPush:
    """One push as a person agrees to it: where, which ref, from and to which commit, and all commits that go."""

    remote: str
    ref: str
    url: RemoteUrl
    base: str
    """The commit the remote had there when it was last heard of, as far as that is known here."""
    head: str
    commits: tuple[str, ...]
    titles: tuple[str, ...]

    def payload(self) -> str:
        """Return what is signed."""
        signed = {
            "remote": self.remote,
            "ref": self.ref,
            "url": self.url.shown,
            "base": self.base,
            "head": self.head,
            "summary": f"{len(self.commits)} commits",
            "id": content_hash("\n".join(self.commits)),
        }
        return json.dumps(signed, sort_keys=True)

    def told(self) -> str:
        """Return what a person decides by."""
        since = f"since {self.base[:12]}, as last fetched" if self.base else "which the remote is not known to have"
        more = len(self.commits) - len(self.titles)
        lines = [
            f"push {self.ref} to {self.remote}",
            f"address: {self.url.shown}",
            f"commit:  {self.head}",
            f"{len(self.commits)} commits {since}:",
            *(f"  {title}" for title in self.titles),
            *([f"  and {more} more"] if more else ()),
        ]
        return "\n".join(lines) + "\n"


def plan_push(workspace: Path, remote: str, ref: str) -> PlannedPush:
    """Return what a push of *ref* to *remote* would do, from the files of the repository alone."""
    url = remote_url(workspace, remote)
    with GitDirectory(str(workspace.resolve())) as directory:
        name = _full_name(directory, ref)
        head = resolve_ref(directory, name)
        refs = read_anchors(directory).refs
        shallow = directory.read("shallow")
    tracked = f"refs/remotes/{remote}/"
    known = [id for one, id in refs.items() if one.startswith(tracked)]
    base = refs.get(tracked + name.removeprefix("refs/heads/"), "") if name.startswith("refs/heads/") else ""
    with _store(workspace, head, shallow) as store:
        store.git("cat-file", "-e", head)
        commits, titles = _going(store, head, known)
        _refuse_rewriting(store, base, head, name)
    return PlannedPush(remote=remote, ref=name, url=url, base=base, head=head, commits=commits, titles=titles)


def planned_again(workspace: Path, payload: str) -> PlannedPush:
    """Return the push that *payload* signs; where something of it moved since, that is an error."""
    given = _object(payload)
    planned = plan_push(workspace, str(given.get("remote")), str(given.get("ref")))
    if planned.payload() != payload:
        moved = _moved(planned, given)
        raise ConflictError(f"the approval is stale, nothing was pushed: {moved}", fix="ask for the push again")
    return planned


def push(workspace: Path, payload: str) -> str:
    """Make exactly the push that was agreed to."""
    planned = planned_again(workspace, payload)
    with GitDirectory(str(workspace.resolve())) as directory:
        shallow = directory.read("shallow")
    with _store(workspace, planned.head, shallow) as store:
        there = _advertised(store, workspace, planned)
        more = set(_going(store, planned.head, list(there.values()))[0]) - set(planned.commits)
        if more:
            raise ConflictError(
                f"nothing was pushed: the remote lacks {len(more)} commits that it was thought to have",
                fix="git fetch, and ask for the push again",
            )
        _refuse_rewriting(store, there.get(planned.ref, ""), planned.head, planned.ref)
        words = ["push", *_ONLY_THIS, "--", planned.url.full, f"{planned.head}:{planned.ref}"]
        _outside(store, workspace, planned.url, words)
    return f"pushed {planned.ref} at {planned.head[:12]} to {planned.url.shown}"


def _full_name(directory: GitDirectory, ref: str) -> str:
    """Return the full name of a branch or tag, which has to be one of them."""
    names = [ref] if ref.startswith("refs/") else [f"refs/heads/{ref}", f"refs/tags/{ref}"]
    good = [name for name in names if is_ref_name(name) and name.startswith(("refs/heads/", "refs/tags/"))]
    found = [name for name in good if resolve_ref(directory, name)]
    if not found:
        raise InputError(f"no branch or tag is called {ref}", fix="see: git branch")
    if len(found) > 1:
        raise InputError(f"{ref} is a branch and a tag", fix=f"name one of them: {found[0]} or {found[1]}")
    return found[0]


def _store(workspace: Path, head: str, shallow: bytes) -> ObjectStore:
    return ObjectStore(workspace, ids="sha1" if len(head) == 40 else "sha256", shallow=shallow)


def _going(store: ObjectStore, head: str, known: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the commits that *head* has and *known* ones have not, and a line for each of the first."""
    stdin = "".join(f"{line}\n" for line in (head, *(f"^{id}" for id in dict.fromkeys(known))))
    words = ("rev-list", "--ignore-missing", "--topo-order", "--format=%h %s (%an)", "--stdin")
    lines = store.git(*words, stdin=stdin).split("\n")
    commits = tuple(line.removeprefix("commit ") for line in lines[0:-1:2])
    return commits, tuple(harmless(one_line(line, limit=160)) for line in lines[1::2][:_LISTED])


def _refuse_rewriting(store: ObjectStore, base: str, head: str, ref: str) -> None:
    """Raise where the remote's commits would be lost: that is not pushed for an agent."""
    if not base or base == head:
        return
    try:
        store.git("merge-base", "--is-ancestor", base, head)
    except InputError:
        raise InputError(
            f"{ref} of the remote has commits that would be lost, or that are not known here",
            fix="git fetch, then merge or rebase; who wants to rewrite what others may have pushes by hand",
        ) from None


def _advertised(store: ObjectStore, workspace: Path, planned: PlannedPush) -> dict[str, str]:
    """Ask the remote itself which refs it has."""
    words = ["ls-remote", "--refs", "--", planned.url.full]
    text = _outside(store, workspace, planned.url, words)
    return {found[2]: found[1] for line in text.splitlines() if (found := _ENTRY.fullmatch(line))}


def _outside(store: ObjectStore, workspace: Path, url: RemoteUrl, words: list[str]) -> str:
    done = store.run([*_WITHOUT_HOOKS, *words], _environment(workspace), seconds=_PUSH_SECONDS)
    if done.returncode:
        said = done.stderr or done.stdout
        raise InputError(f"the push failed: {one_line(said.replace(url.secret or url.full, '…'), limit=400)}")
    return done.stdout


def _environment(workspace: Path) -> Mapping[str, str]:
    """Return the person's own environment, without what leads git to another repository or protocol."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or _OWN.fullmatch(name)}
    return {**kept, "PATH": path_outside(workspace), "GIT_ALLOW_PROTOCOL": "https:ssh", "LC_ALL": "C"}


def _object(payload: str) -> Mapping[str, object]:
    given = json.loads(payload or "{}")
    if not isinstance(given, dict):
        raise InputError("the payload of a push is no object")
    return given


def _moved(planned: PlannedPush, given: Mapping[str, object]) -> str:
    now = json.loads(planned.payload())
    said = {"url": "the remote's address", "head": planned.ref, "base": "what is known of the remote", "id": "commits"}
    for key, words in said.items():
        if now[key] != given.get(key):
            what = f"{words} was {given.get(key) or 'unknown'} and is {now[key] or 'unknown'}"
            return one_line(what, limit=300)
    return "it is not the push that was asked about"
