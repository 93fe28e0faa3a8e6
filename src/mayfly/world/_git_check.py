"""Whether a git directory is whole after a set of changes: git says so, in the workbench, on what the set leaves."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from mayfly.sandbox.repository import SAFELY, Anchors, ObjectStore, config_for, path_outside
from mayfly.sandbox.workbench import Changes

# A command is waited for so much longer where it took something of the history away; a person is asked after that.
_SECONDS = 60.0
# Ids that are told of one loss; the whole set is shown beside it.
_SHOWN = 3
_PACK = re.compile(r"objects/pack/pack-[0-9a-f]+\.(?:pack|idx|rev)")
_GRAPH = re.compile(r"objects/info/commit-graphs?(?:/.*)?")
# What a command cannot have written to: the rest of PATH may be in its own home or in its /tmp.
_SYSTEM = "/usr/local/bin:/usr/bin:/bin"
# Git in an empty repository over the objects below a directory of the workspace; the words after them are run there.
_IN_A_STORE = """set -e
store=$(mktemp -d)
mkdir -p "$store/objects/info" "$store/refs"
echo 'ref: refs/heads/none' > "$store/HEAD"
printf %s "$2" > "$store/config"
printf '%s\\n' "$PWD/$1/objects" > "$store/objects/info/alternates"
export GIT_DIR="$store" GIT_INDEX_FILE="$PWD/$1/index" OBJECTS="$PWD/$1/objects"
shift 2
code=0
"$@" || code=$?
rm -rf "$store"
exit $code
"""
_VERIFY_PACKS = """for pack in "$@"; do
  words=--verify
  test ! -e "$OBJECTS/pack/$pack.rev" || words="$words --rev-index"
  git index-pack $words "$OBJECTS/pack/$pack.pack" > /dev/null
done
"""
_VERIFY_GRAPH = 'git commit-graph verify --object-dir "$OBJECTS"'
# Of the ids on the lines of stdin, print those that nothing on a line with ^ leads to.
_LED_TO_BY_NOTHING = """cat > "$GIT_DIR/asked"
git "$@" rev-list --objects --no-object-names --ignore-missing --stdin < "$GIT_DIR/asked" > "$GIT_DIR/found"
grep -v '\\^' "$GIT_DIR/asked" | grep -F -x -f - "$GIT_DIR/found" || true
"""


# Runs a program on the overlay and keeps nothing of it: words, and stdin, environment and seconds by name; returns
# whether it ended well, and what it printed.
RunInside = Callable[..., tuple[bool, str]]


class WholenessCheck:
    """Look at one git directory below *workspace* as *changes* leave it."""

    def __init__(
        self, workspace: Path, root: str, changes: Changes, run: RunInside, before: Anchors, after: Anchors
    ) -> None:
        self._workspace = workspace
        self._root = root
        self._changes = changes
        self._run = run
        self._before = before
        self._after = after
        self._ends = time.monotonic() + _SECONDS

    def losses(self, foreign: set[str]) -> list[str]:
        """Return what would be lost of what *foreign* ids lead to; forget those that were lost before."""
        missing = foreign - self._after.ids
        if missing:
            already = self._lost_before(missing)
            foreign -= already
            missing -= already
        return self._damaged() or self._incomplete(foreign) or self._left_behind(missing)

    def _store(self) -> ObjectStore:
        return ObjectStore(self._workspace, self._root, ids=self._ids())

    def _ids(self) -> str:
        some = next(iter(self._before.ids | self._after.ids), "")
        return "sha256" if len(some) == 64 else "sha1"

    def _lost_before(self, missing: set[str]) -> set[str]:
        """Return those ids that nothing led to any more before this set, by a person's hand or word."""
        with self._store() as store:
            words = ("rev-list", "--objects", "--no-object-names", "--ignore-missing", "--stdin")
            return missing & set(store.git(*words, stdin=_without(missing, self._before.ids)).split())

    def _damaged(self) -> list[str]:
        """Return what is wrong with packs and commit graphs that are new or others than before."""
        new = [self._below(change.path) for change in self._changes if change.after is not None]
        packs = sorted({Path(name).stem for name in new if _PACK.fullmatch(name)})
        if packs:
            good, said = self._inside(["sh", "-ec", _VERIFY_PACKS, "sh", *packs])
            if not good:
                return [f"a pack is not what its index says{_last_line(said)}"]
        if any(_GRAPH.fullmatch(name) for name in new):
            good, said = self._inside(["sh", "-ec", _VERIFY_GRAPH])
            if not good:
                return [f"the commit graph is not what the commits say{_last_line(said)}"]
        return []

    def _below(self, path: str) -> str:
        return path[len(self._root) + 1 :] if path.startswith(f"{self._root}/") else ""

    def _takes_objects(self) -> bool:
        """Whether some object or pack is gone, or another than before."""
        return any(
            self._below(path).startswith("objects/")
            for change in self._changes
            for path in (change.old_path or change.path,)
            if change.kind != "mode" and change.before is not None and change.before.kind != "directory"
        )

    def _incomplete(self, foreign: set[str]) -> list[str]:
        """Return what is missing of all that refs, reflogs and the index lead to."""
        if not self._takes_objects():
            return []
        with self._store() as store:
            asked = sorted(foreign | self._before.ids)
            lines = store.git("cat-file", "--batch-check", stdin="".join(f"{id}\n" for id in asked)).splitlines()
        # Reflogs may name what was gone before; refs may not.
        there = {line.split()[0] for line in lines if not line.endswith("missing")}
        roots = sorted(there | set(self._after.refs.values()))
        words = ["git", *SAFELY, "rev-list", "--objects", "--quiet", "--indexed-objects", "--stdin"]
        good, said = self._inside(words, "".join(f"{id}\n" for id in roots))
        return [] if good else [f"objects that {self._root} needs would be gone{_last_line(said)}"]

    def _left_behind(self, missing: set[str]) -> list[str]:
        """Return the commits and tags that nothing leads to any more."""
        if not missing:
            return []
        words = ["sh", "-ec", _LED_TO_BY_NOTHING, "sh", *SAFELY]
        good, said = self._inside(words, _without(missing, self._after.ids))
        if not good:
            return [f"nobody could tell whether all commits are still led to{_last_line(said)}"]
        lost = sorted(missing & set(said.split()))
        if not lost or self._are_in_the_workspace(lost):
            return []
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        return [f"no ref and no reflog leads to {', '.join(id[:12] for id in lost[:_SHOWN])}{more} any more"]

    def _are_in_the_workspace(self, lost: list[str]) -> bool:
        """Whether all that is lost are stashes whose files are in the workspace now, as they were put away."""
        if not self._before.stashed.issuperset(lost):
            return False
        with self._store() as store:
            parents = [parent for id in lost for parent in store.git("rev-parse", f"{id}^@").split()]
            words = ("rev-list", "--ignore-missing", "--stdin")
            gone = store.git(*words, stdin=_without(lost, self._after.ids)).split()
            if not set(gone) <= {*lost, *parents}:
                return False
            return self._hold(store, dict(pair for id in lost for pair in _put_away(store, id)))

    def _hold(self, store: ObjectStore, files: Mapping[str, str]) -> bool:
        """Whether each path of the workspace has the content with this id after the changes; zeros: it is gone."""
        changed = {change.old_path: "" for change in self._changes if change.old_path}
        changed |= {change.path: change.now if change.after is not None else "" for change in self._changes}
        places: dict[str, str] = {}
        for path, id in files.items():
            inside = os.path.join(os.path.dirname(self._root), path)
            place = changed.get(inside, str(self._workspace / inside))
            there = bool(place) and os.path.isfile(place) and not os.path.islink(place)
            if there != bool(id.strip("0")) or "\n" in place:
                return False
            if there:
                places[os.path.abspath(place)] = id
        hashed = store.git("hash-object", "--no-filters", "--stdin-paths", stdin="".join(f"{one}\n" for one in places))
        return hashed.split() == list(places.values())

    def _inside(self, words: Sequence[str], stdin: str = "") -> tuple[bool, str]:
        left = self._ends - time.monotonic()
        if left <= 0:
            return False, "there was no time left"
        nobody = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_REPLACE_OBJECTS": "1"}
        script = ["/bin/sh", "-c", _IN_A_STORE, "sh", self._root, config_for(self._ids()), *words]
        environment = {"PATH": self._path(), "LC_ALL": "C", **nobody}
        return self._run(script, stdin=stdin.encode(), environment=environment, seconds=left)

    def _path(self) -> str:
        own = (os.path.expanduser("~"), "/tmp", "/var/tmp")
        others = (place for place in path_outside(self._workspace).split(os.pathsep) if not place.startswith(own))
        return os.pathsep.join(dict.fromkeys((*_SYSTEM.split(os.pathsep), *others)))


def _without(some: Iterable[str], others: Iterable[str]) -> str:
    """Return how `rev-list` is asked for what *some* lead to and *others* do not."""
    return "".join(f"{line}\n" for line in (*sorted(some), *(f"^{id}" for id in sorted(others))))


def _put_away(store: ObjectStore, stash: str) -> Iterator[tuple[str, str]]:
    """Yield each path that a stash differs in from the commit it was made on, with the id of its content."""
    base, *others = store.git("rev-parse", f"{stash}^@").split()
    for one in (*others[:1], stash):
        fields = store.git("diff-tree", "-r", "-z", "--no-renames", base, one).split("\0")
        for told, path in zip(fields[::2], fields[1::2], strict=False):
            yield path, told.split()[3]
    for untracked in others[1:]:
        for line in store.git("ls-tree", "-r", "-z", untracked).split("\0"):
            told, _, path = line.partition("\t")
            if path:
                yield path, told.split()[2]


def _last_line(said: str) -> str:
    lines = said.strip().splitlines()
    return f": {lines[-1][:160]}" if lines else ""
