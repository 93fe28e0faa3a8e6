"""The rulebook: which rule files are in force, and how a changed one comes into force or not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import MayflyError
from mayfly.policy.kernel._court import Court
from mayfly.policy.kernel._events import PolicyReloaded
from mayfly.policy.kernel._files import (
    Problem,
    RuleFile,
    base_files,
    read_text,
    rule_paths,
    shipped_policies,
)
from mayfly.policy.kernel._snapshot import Snapshot

if TYPE_CHECKING:
    from mayfly.policy.kernel._snapshot import Programs
    from mayfly.store import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Reload:
    """What came of looking at the rule files again."""

    snapshot: Snapshot
    accepted: tuple[str, ...]
    removed: tuple[str, ...]
    problems: tuple[Problem, ...]


class _Source(NamedTuple):
    """One file as it was found, or why it cannot be read."""

    key: str
    place: str
    policy: bool
    file: RuleFile | None
    fault: str = ""


class Rulebook:
    """Hold the rules in force; `snapshot` is always a complete and working set.

    The shipped rules come from the installed package and are read once. *extra* are the operator's rule files and
    directories, joined for everybody; *policies* are directories (or files) of policies, joined by name for the agents
    that name them. A file inside *workspace*, which agents write to, may only take away.
    """

    def __init__(
        self,
        *,
        extra: Sequence[Path] = (),
        policies: Sequence[Path] = (),
        workspace: Path | None = None,
        court: Court | None = None,
        ledger: Ledger | None = None,
        programs: int = 32,
        base: Sequence[RuleFile] | None = None,
        kept: Programs | None = None,
    ) -> None:
        self._base = tuple(base_files() if base is None else base)
        self._shipped = shipped_policies() if base is None else {}
        self._extra = tuple(extra)
        self._policies = tuple(policies)
        self._workspace = None if workspace is None else os.path.realpath(workspace)
        self._court = court or Court()
        self._ledger = ledger
        self._size = programs
        self._good: dict[str, RuleFile] = {}
        self._lock = RLock()
        self._kept = kept
        self._snapshot = Snapshot(self._base, programs=programs, kept=kept)
        self.reload()
        self._snapshot.program()

    @cached_property
    def protected(self) -> frozenset[str]:
        """What only the shipped rules may say."""
        from mayfly.policy.kernel._protected import protected_by

        return protected_by(file.unit for file in self._base)

    @property
    def snapshot(self) -> Snapshot:
        """The rules in force now; a running turn keeps the one it began with."""
        return self._snapshot

    @property
    def places(self) -> tuple[Path, ...]:
        """The files and directories that are looked at again."""
        return (*self._extra, *self._policies)

    def reload(self) -> Reload:
        """Look at all files again, try the changed ones in court, and put what passed into force at once."""
        with self._lock:
            trial = _Trial(self)
            outcome = trial.run(list(self._sources()))
            changed = outcome.snapshot.hash != self._snapshot.hash
            if changed or outcome.problems != self._snapshot.problems:
                self._good = trial.good
                self._snapshot = outcome.snapshot
                self._told(outcome)
            return outcome

    def _told(self, outcome: Reload) -> None:
        if self._ledger is None:
            return
        event = PolicyReloaded(
            rules=outcome.snapshot.hash,
            accepted=outcome.accepted,
            refused=tuple(str(problem)[:500] for problem in outcome.problems),
            removed=outcome.removed,
        )
        last = self.last_told()
        if last is None or (last.rules, last.refused) != (event.rules, event.refused):
            self._ledger.append(event, subject="rules")

    def last_told(self) -> PolicyReloaded | None:
        """Return what the ledger says came of the last reload, by whichever process."""
        if self._ledger is None:
            return None
        after = self._ledger.before_last(1, kind="policy.reloaded")
        data = next((event.data for event in self._ledger.read(kind="policy.reloaded", after=after)), None)
        return data if isinstance(data, PolicyReloaded) else None

    def _sources(self) -> Iterator[_Source]:
        for path in rule_paths(self._extra):
            yield self._source(path, policy=False)
        named: set[str] = set()
        for path in rule_paths(self._policies):
            if path.name not in named:
                named.add(path.name)
                yield self._source(path, policy=True)
        for name, (place, text) in self._shipped.items():
            if name not in named:
                file = RuleFile(name=name, place=place, text=text, protected=lambda: self.protected)
                yield _Source(f"shipped:{name}", place, True, file)

    def _source(self, path: Path, *, policy: bool) -> _Source:
        key = f"{'policy' if policy else 'rule'}:{path}"
        try:
            text = read_text(path)
        except MayflyError as error:
            return _Source(key, str(path), policy, None, str(error))
        restricts = self._workspace is not None and _within(os.path.realpath(path), self._workspace)
        file = RuleFile(
            name=path.name, place=str(path), text=text, protected=lambda: self.protected, restricts=restricts
        )
        return _Source(key, str(path), policy, file)

    def changed(self, paths: Sequence[Path]) -> Snapshot:
        """Return the rules as they would be with these files, each in place of the one of its name, untried."""
        rules = {file.name: file for file in self._snapshot.rules}
        policies = dict(self._snapshot.policies)
        for path in rule_paths(paths):
            known = rules.get(path.name)
            protected = None if known is not None and known.base else lambda: self.protected
            file = RuleFile(name=path.name, place=str(path), text=read_text(path), protected=protected)
            if path.name in policies:
                policies[path.name] = file
            else:
                rules[path.name] = file
        snapshot = Snapshot(tuple(rules.values()), policies, programs=self._size)
        snapshot.program()
        return snapshot


class _Trial:
    """One reload: starts from the shipped rules, puts the unchanged files back, then tries the others one by one."""

    def __init__(self, book: Rulebook) -> None:
        self._book = book
        self.good: dict[str, RuleFile] = {}
        self._policy: dict[str, bool] = {}
        self._problems: dict[str, Problem] = {}
        self._now = book.snapshot
        self._known = {book.snapshot.hash: book.snapshot}

    def run(self, sources: list[_Source]) -> Reload:
        before = self._book._good
        changed = [source for source in sources if not self._keep(source, before.get(source.key))]
        accepted = self._as_before(changed)
        if not accepted:
            self._now = self._made(self.good)
            if self._fault(self._now) is not None:
                # A file that was removed may have held what another one needs.
                changed, self.good = sources, {}
                self._now = self._made({})
            accepted = self._try(changed)
        self._fall_back(changed, before)
        names = {source.key for source in sources}
        removed = tuple(file.name for key, file in before.items() if key not in names)
        problems = tuple(self._problems.values())
        return Reload(snapshot=self._made(self.good), accepted=accepted, removed=removed, problems=problems)

    def _keep(self, source: _Source, known: RuleFile | None) -> bool:
        self._policy[source.key] = source.policy
        if known is None or source.file is None or source.file.hash != known.hash:
            return False
        self.good[source.key] = known
        return True

    def _as_before(self, sources: list[_Source]) -> tuple[str, ...]:
        """Take files without a trial that make exactly the rules which passed theirs the last time."""
        told = self._book.last_told() if sources else None
        files = {source.key: source.file for source in sources if source.file is not None}
        if told is None or len(files) < len(sources):
            return ()
        snapshot = self._made({**self.good, **files})
        if snapshot.hash != told.rules or self._fault(snapshot) is not None:
            return ()
        self.good.update(files)
        return tuple(file.name for file in files.values())

    def _try(self, sources: list[_Source]) -> tuple[str, ...]:
        """Try files until no more of them pass: one may need what another one declares."""
        accepted: list[str] = []
        waiting, progress = sources, True
        while waiting and progress:
            left = [source for source in waiting if not self._admit(source)]
            progress = len(left) < len(waiting)
            accepted += [source.file.name for source in waiting if source.file and source not in left]
            waiting = left
        return tuple(accepted)

    def _admit(self, source: _Source) -> bool:
        try:
            if source.file is None:
                raise MayflyError(source.fault)
            _ = source.file.unit
        except MayflyError as error:
            self._problems[source.key] = Problem(file=source.place, reason=str(error))
            return False
        return self._hear(source, source.file)

    def _hear(self, source: _Source, file: RuleFile) -> bool:
        old, new = self._now, self._made({**self.good, source.key: file})
        reason = self._fault(new, (file.name,) if source.policy else ())
        if reason is None:
            verdict = self._book._court.hear(old, new, file, policy=source.policy)
            reason = None if verdict.decision == "accept" else f"{verdict.message}; {verdict.fix}"
        if reason is not None:
            self._problems[source.key] = Problem(file=source.place, reason=reason)
            return False
        self._problems.pop(source.key, None)
        self.good[source.key] = file
        self._now = new
        return True

    def _fall_back(self, sources: list[_Source], before: dict[str, RuleFile]) -> None:
        """Keep the last good version of each file that is not good now."""
        for source in sources:
            known, problem = before.get(source.key), self._problems.get(source.key)
            if known is None or problem is None:
                continue
            if self._fault(self._made({**self.good, source.key: known}), ()) is None:
                self.good[source.key] = known
                self._problems[source.key] = Problem(file=problem.file, reason=problem.reason, kept=True)

    def _made(self, good: dict[str, RuleFile]) -> Snapshot:
        extra = [file for key, file in good.items() if not self._policy[key]]
        policies = {file.name: file for key, file in good.items() if self._policy[key]}
        made = Snapshot(
            (*self._book._base, *sorted(extra, key=lambda file: file.place)),
            dict(sorted(policies.items())),
            problems=self._problems.values(),
            programs=self._book._size,
            kept=self._book._kept,
        )
        return made.sharing(self._known.setdefault(made.hash, made))

    def _fault(self, snapshot: Snapshot, policies: Sequence[str] = ()) -> str | None:
        try:
            snapshot.program(policies)
        except MayflyError as error:
            return str(error)
        return None


def _within(path: str, place: str) -> bool:
    return path == place or path.startswith(place.rstrip("/") + "/")
