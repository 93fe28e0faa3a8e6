"""Why a decision fell and why a goal holds or not, as trees of rules and facts."""

from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.cli._desk import desk
from mayfly.cli._output import answer, answer_json, note
from mayfly.cli._trees import print_tree
from mayfly.core import one_line

if TYPE_CHECKING:
    from mayfly.policy import Explanation

DECISIONS = ("policy.decided", "policy.routed")


def explain_decision(id: str, rules: list[Path] | None, *, as_json: bool) -> None:
    """Explain one recorded decision or routing from its own facts, by the rules in force."""
    from mayfly.mangle import to_json

    with desk(rules) as opened:
        found = opened.kernel().explain(id)
        if as_json:
            answer_json(
                {
                    "id": found.id,
                    "decision": found.outcome,
                    "because": list(found.because),
                    "same_rules": found.same_rules,
                    "now": found.now,
                    "why": [to_json(tree) for tree in found.why],
                    "why_not": to_json(found.why_not) if found.why_not else None,
                    "permitted_if": list(found.remedies),
                }
            )
        else:
            _tell(found)


def _tell(found: "Explanation") -> None:
    answer(f"{found.id}: {found.outcome}")
    for reason in found.because:
        answer(f"  {one_line(reason)}")
    for tree in (*found.why, *((found.why_not,) if found.why_not else ())):
        print_tree(tree)
    for remedy in found.remedies:
        answer(f"would be permitted if {one_line(remedy)}")
    if not found.same_rules:
        note(f"the rules have changed since; by today's it is {found.now}")


def explain_goal(goal: str, of: str | None, rules: list[Path] | None, *, as_json: bool) -> None:
    """Explain a goal by the rules in force and the facts of a recorded question."""
    from mayfly.mangle import Why, to_json

    with desk(rules) as opened:
        trees = opened.explain(goal, of=of)
        if as_json:
            holds = isinstance(trees[0], Why)
            answer_json({"goal": goal, "holds": holds, "trees": [to_json(tree) for tree in trees]})
        else:
            for tree in trees:
                print_tree(tree)
