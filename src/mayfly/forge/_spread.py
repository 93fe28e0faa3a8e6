"""A question about many files, spread over machines: which it is, what one part is asked, how answers are joined."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from mayfly.core import Artifact, InputError, Order, Proof
from mayfly.forge._converting import MadeFile
from mayfly.forge._execute import answer_of, execute
from mayfly.forge._given import Given
from mayfly.forge._known import Compiled
from mayfly.forge._question import agree
from mayfly.forge._sampling import Packing, Sample
from mayfly.forge._story import Collapse, Ran
from mayfly.forge._task import Task, size_of
from mayfly.gates import Profile
from mayfly.synthesis import records

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.forge._execute import Within
    from mayfly.forge._request import DataQuestion
    from mayfly.library import Workshop

# Where an artifact has its programs for parts, or the reason why it has none.
SPREAD, ALONE = "parts_of_files", "one_place"
# In so many parts the files that were looked at are asked about to see that the answers join: each takes a job.
_PARTS_TRIED = 4


@dataclass(frozen=True, kw_only=True)
class PartFile:
    """A file that is seen at the same path by every node, and what it is called in answers."""

    path: str
    name: str
    size: int
    packing: Packing = ""


@dataclass(frozen=True, kw_only=True)
class FilesPart:
    """What one node is asked: a program with its account, for some of the files of a question."""

    source: str
    entry: str
    accounts: str
    files: tuple[PartFile, ...]

    def to_json(self) -> dict[str, object]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read it again."""
        return cls(**{**data, "files": tuple(PartFile(**one) for one in data["files"])})

    def task(self, settings: Settings, tier: str, intent: str) -> Task:
        """Return the task of asking these files; one that is not the file that was meant is an `InputError`."""
        for one in self.files:
            _check_seen(one)
        paths = tuple(Path(one.path) for one in self.files)
        order = Order.of(intent, lines=paths, tier=tier)
        samples = tuple(Sample(packing=one.packing) for one in self.files)
        given = Given(files=paths, samples=samples, names=tuple(one.name for one in self.files))
        return Task(order=order, profile=Profile.of(settings.gates, tier=order.tier), given=given)

    def named(self, account: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Return an account that names the file of the first line that was not understood, also of one file alone."""
        first = account and account["first_not_understood"]
        if account is None or not first or "file" in first:
            return account
        return {**account, "first_not_understood": {"file": self.files[0].name, **first}}

    def compiled(self, parts: Workshop, profile: Profile) -> Compiled:
        """Return the program, checked as if a stranger had brought it."""
        return _checked(parts, _artifact(records.Written(self.source, self.entry, self.accounts)), profile)


def _check_seen(file: PartFile) -> None:
    where = socket.gethostname()
    try:
        size = os.stat(file.path).st_size
    except OSError as error:
        told = f"the node {where} cannot read {file.path}: {error.strerror}"
        raise InputError(told, fix="have every node see the files at the same paths") from None
    if size != file.size:
        told = f"the node {where} sees {size:,} bytes in {file.path}, and not {file.size:,}"
        raise InputError(told, fix="have every node see the same files")


def programs_for(task: Task, settings: Settings, artifact: Artifact) -> records.Spread | str:
    """Return the programs with which an agent's question is spread, or why it is answered in one place."""
    # Uploads lie in the state directory.
    here = settings.state.absolute()
    if task.given.made or any(path.absolute().is_relative_to(here) for path in task.bound):
        return "some of them were handed over or made here, where no other machine sees them"
    if told := str(artifact.provenance.get(SPREAD, "")):
        partial, joining = json.loads(told)
        return records.Spread(records.Written(*partial), records.Written(*joining))
    return str(artifact.provenance.get(ALONE, "")) or "the program was written for all of them at once"


def with_programs(parts: Workshop, task: Task, question: DataQuestion | None, compiled: Compiled) -> Compiled:
    """Return an agent with the programs for parts of its files, if they were tried and agree; if not, with the reason.

    They are tried on what was read of all files, in a few parts. Of a program that was not read there are none.
    """
    found = "" if question is None else question.proposal.spread
    if compiled.artifact.provenance.get("rows"):
        found = "its rows are made by our own detector"
    elif question is not None and isinstance(found, records.Spread):
        found = _disagreeing(parts, task, question, compiled, found) or found
    # What an artifact says that came from elsewhere counts for nothing.
    told = {ALONE: found, SPREAD: ""} if isinstance(found, str) else {ALONE: "", SPREAD: json.dumps(found)}
    provenance = {**compiled.artifact.provenance, **told}
    return replace(compiled, artifact=replace(compiled.artifact, provenance=provenance))


def _disagreeing(parts: Workshop, task: Task, question: DataQuestion, compiled: Compiled, found: records.Spread) -> str:
    """Return what is wrong with the answer that is joined from those of parts; nothing where it is the same.

    The answer of the whole was held against an independent reading of the same lines before.
    """
    proposal, items = question.proposal, question.items

    def answer(program: Compiled, data: object) -> object:
        seconds = parts.settings.sandbox.timeout
        return answer_of(parts.sandbox, program.artifact, program.entry, task, data, seconds)

    try:
        partial, joining = (_checked(parts, _artifact(one), task.profile) for one in found)
        given = [cast("list[object]", answer(partial, one)) for one in proposal.data_in_parts(items, _PARTS_TRIED)]
        same = agree(answer(compiled, proposal.data(items)), answer(joining, [row for rows in given for row in rows]))
    except Collapse as error:
        return f"its parts cannot be asked: {error.reason}"
    return "" if same else "the joined partial results differ from the answer over all lines"


def _artifact(program: records.Written) -> Artifact:
    provenance = {"accounts": program.account}
    return Artifact(
        kind="agent",
        source=program.source,
        entry=program.entry,
        author="examples",
        grants=("data",),
        provenance=provenance,
    )


def _checked(parts: Workshop, artifact: Artifact, profile: Profile) -> Compiled:
    """Return a program that was written here, or came from elsewhere, once the first gates let it pass."""
    admission = parts.again.check(artifact, profile=profile)
    if admission.decision == "reject" or admission.entry is None:
        raise Collapse("the gates refuse the program for a part of the files", "REFUSED", source_hash=artifact.hash)
    return Compiled(artifact=admission.artifact, entry=admission.entry, proof=Proof(strength="none"))


# Where the question was asked.


def files_to_spread(task: Task) -> tuple[PartFile, ...]:
    """Return the files of a task as nodes are told of them; files with other columns are an `InputError`."""
    task.given.check_columns()
    given = task.given
    return tuple(
        PartFile(path=os.path.abspath(path), name=name, size=size_of(path), packing=sample.packing)
        for path, name, sample in zip(given.files, given.names, given.samples, strict=True)
    )


def joined_answer(
    parts: Workshop,
    task: Task,
    joining: records.Written,
    answers: Sequence[Sequence[object]],
    accounts: Sequence[Mapping[str, Any]],
    within: Within,
) -> Ran:
    """Make the answer of what all parts gave, with the account of all their lines."""
    made = MadeFile("parts.jsonl")
    made.write(f"{json.dumps(row)}\n".encode() for rows in answers for row in rows)
    given = Given(files=(made.path,), samples=(Sample(),), names=("parts.jsonl",), made=(made,))
    whole = replace(task, order=replace(task.order, lines=made.path, more=()), given=given)
    program = _checked(parts, _artifact(joining), task.profile)
    ran = execute(parts.sandbox, program.artifact, program.entry, whole, within=within)
    used = ran.account["used"] if ran.account else 0
    if ran.result.ok and used != sum(map(len, answers)):
        raise Collapse("what the parts of the files gave was not read whole", "PARTS")
    return replace(ran, account=_added_up(accounts, task.given.names))


def _added_up(accounts: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, object]:
    """Return the account of all parts, with the first line of the first file that was not understood."""
    counts: dict[str, object] = {}
    bad = []
    for account in accounts:
        for kind, count in account.items():
            if kind == "first_not_understood":
                bad += [count] if count else []
            else:
                counts[kind] = cast("int", counts.get(kind, 0)) + count
    bad.sort(key=lambda one: names.index(one["file"]))
    return {**counts, "first_not_understood": bad[0] if bad else None}
