"""What the rules said of a set of changes, and how one decision is made of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from mayfly.core import canonical_json, content_hash
from mayfly.mangle import Symbol
from mayfly.policy.kernel._decide import NEEDS_APPROVAL, REFUSED
from mayfly.policy.kernel._reasons import Reason, TextSpan, code_of
from mayfly.policy.kernel._record import CHANGES

if TYPE_CHECKING:
    from mayfly.mangle import Model, Value
    from mayfly.policy.kernel._appeals import ApprovalStanding
    from mayfly.policy.kernel._decide import Decision
    from mayfly.policy.kernel.facts import FileChange

PENDING_CHANGE: Final = Symbol("pending_change", 4)
CHANGE_PERMITTED: Final = Symbol("change_permitted", 1)
CHANGE_GOALS: Final = (REFUSED, NEEDS_APPROVAL, CHANGE_PERMITTED)
# How many paths of each decision are recorded, and put to the rules again when somebody asks why.
MOST_RECORDED: Final = 20
# As many as a denied action has; further ones would tell nobody anything.
MOST_REASONS: Final = 16
_STRICT: Final = ("permit", "approval", "deny")
KEPT: Final = "a change inside the workspace that needs nobody's agreement"
NO_RULE: Final = "no rule permits this change"


class PathDecision(NamedTuple):
    """What was decided of one path, and the first reason."""

    decision: Decision
    reason: str


@dataclass(frozen=True, kw_only=True)
class ChangesJudgement:
    """One decision about a set of changes: the strictest of those about its members. Only "permit" lets it be kept."""

    decision: Decision
    because: tuple[str, ...]
    id: str
    digest: str
    """What an approval of exactly this set names."""
    rules: str
    by_path: Mapping[str, PathDecision] = field(default_factory=dict)
    reasons: tuple[Reason, ...] = ()
    """Of a denial or a need for an approval: code and words of each reason; its span's argument is the path."""

    @property
    def allowed(self) -> bool:
        """Whether the changes may be kept."""
        return self.decision == "permit"

    def paths(self, decision: Decision) -> list[str]:
        """Return the paths about which this was decided, in order."""
        return sorted(path for path, one in self.by_path.items() if one.decision == decision)


def strictest(decisions: Iterable[Decision], *, asked: bool = False) -> Decision:
    """Return the strictest of some decisions, where *asked* an approval at least; of none, permit."""
    found: Decision = max(decisions, key=_STRICT.index, default="permit")
    return "approval" if asked and found == "permit" else found


def approved_set(found: ChangesJudgement, standing: ApprovalStanding) -> ChangesJudgement:
    """Return the judgement with what is known of an approval of exactly this set."""
    if standing.until is None:
        return replace(found, because=(*found.because, *standing.reasons))
    words = f"approved by {standing.by}"
    agreed: dict[str, PathDecision] = {
        path: PathDecision("permit", words) if one.decision == "approval" else one
        for path, one in found.by_path.items()
    }
    return replace(found, decision="permit", because=(words, *found.because), by_path=agreed, reasons=())


def judged(model: Model, ids: Sequence[str]) -> dict[str, tuple[Decision, tuple[str, ...]]]:
    """Read the decision about each of some changes, with its words, out of a model."""
    refused, asked = _by_id(model, REFUSED), _by_id(model, NEEDS_APPROVAL)
    permitted = {row[0] for row in model.rows(CHANGE_PERMITTED)}
    found: dict[str, tuple[Decision, tuple[str, ...]]] = {}
    for id in ids:
        if id in refused:
            found[id] = ("deny", refused[id])
        elif id in asked:
            found[id] = ("approval", asked[id])
        else:
            found[id] = ("permit", (KEPT,)) if id in permitted else ("deny", (NO_RULE,))
    return found


def set_reasons(model: Model, id: str) -> tuple[str, ...]:
    """Return why the set as a whole needs an approval."""
    return _by_id(model, NEEDS_APPROVAL).get(id, ())


def _by_id(model: Model, goal: Symbol) -> dict[Value, tuple[str, ...]]:
    found: dict[Value, dict[str, None]] = {}
    for row in model.rows(goal):
        found.setdefault(row[0], {})[str(row[1])] = None
    # The engine's order follows the order of facts; the same set has the same words in whatever order it comes.
    return {id: tuple(sorted(texts)) for id, texts in found.items()}


def reasons_by_path(texts: Mapping[str, Sequence[str]]) -> tuple[Reason, ...]:
    """Return the reasons of a decision, each once with the first path it is about."""
    first: dict[str, str] = {}
    for path in sorted(texts):
        for text in texts[path]:
            first.setdefault(text, path)
    found = [Reason(code_of(text), text, TextSpan(path, 0, len(path))) for text, path in first.items()]
    return tuple(found[:MOST_REASONS])


def set_digest(
    changes: Iterable[FileChange], content: str, *, persona: str | None, workspace: str, session: str | None
) -> str:
    """Return the hash by which an approval names exactly this set; *content* is the hash over what the files hold."""
    # The text of a tuple says its every field without doubt, also of names that are no text.
    listed = "\n".join(sorted(repr(tuple(change)) for change in changes))
    return content_hash(canonical_json([CHANGES, content_hash(listed), content, persona, workspace, session]))


def summary(changes: Sequence[FileChange]) -> str:
    """Say in a few words what a set does: `3 changed, 1 created`."""
    counts = Counter(change.kind for change in changes)
    return ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())) or "no changes"


def recorded_paths(by_path: Mapping[str, PathDecision]) -> dict[str, object]:
    """Return for the ledger how many paths were decided how, and the first few of each."""
    found: dict[str, object] = {}
    for decision in reversed(_STRICT):
        paths = sorted(path for path, one in by_path.items() if one.decision == decision)
        if paths:
            found[decision] = {"count": len(paths), "paths": paths[:MOST_RECORDED]}
    return found
