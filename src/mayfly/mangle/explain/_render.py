"""Render explanations: as a tree of lines for text and for anything that draws trees itself, and as plain JSON.

Facts, premises and places are said in words, with wide values shortened and nothing that could disturb a terminal.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Literal, TypeAlias

from mayfly.mangle._ast import Atom, Constant, Negation, Place, Premise, Term, Timed
from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._evaluate import value_of
from mayfly.mangle._text import show_atom, show_clause, show_premise, show_value
from mayfly.mangle._values import Value
from mayfly.mangle._visit import map_premise
from mayfly.mangle.builtins import BuiltinError
from mayfly.mangle.explain._change import FactChange, Repair
from mayfly.mangle.explain._terms import Bindings
from mayfly.mangle.explain._why import DerivationStep, Fact, Why
from mayfly.mangle.explain._why_not import RuleAttempt, WhyNot

_FEW_RULES = 3
_RULES_SHOWN = 12

Kind: TypeAlias = Literal["fact", "absence", "check", "rule", "failure", "hint", "repair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivationBranch:
    """One line: what it says, the rule and the place that belong to it, and the lines below it."""

    kind: Kind
    text: str
    rule: str = ""
    place: str = ""
    below: "tuple[DerivationBranch, ...]" = ()


def outline(explanation: Why | WhyNot, *, width: int | None = 60) -> DerivationBranch:
    """Return the tree of lines of an explanation; values wider than `width` are shortened in the middle."""
    if isinstance(explanation, Why):
        return _step(explanation.root, width)
    if explanation.holds:
        reasons = [] if explanation.because is None else [_step(explanation.because.root, width)]
        return DerivationBranch(kind="fact", text=f"{say_atom(explanation.goal, width)} holds", below=tuple(reasons))
    text = f"{say_atom(explanation.goal, width)} does not hold{_known_end(explanation)}"
    below = (*_reasons(explanation, width), *_would_hold(explanation.repairs, width))
    return DerivationBranch(kind="failure", text=text, below=below)


def _step(step: DerivationStep, width: int | None) -> DerivationBranch:
    below = tuple(_step(premise, width) for premise in step.premises)
    if step.more:
        rest = DerivationBranch(kind="hint", text=f"… and {step.more} more row{'s' if step.more > 1 else ''}")
        shown = sum(premise.because != "function" for premise in step.premises)
        below = (*below[:shown], rest, *below[shown:])
    text = _claim(step, width)
    if step.note:
        text += " (shown above)" if step.note == "shown" else " (cut off here)"
    rule = "" if step.rule is None or step.note == "shown" else say_rule(step.rule)
    return DerivationBranch(kind=_kind(step), text=text, rule=rule, place=say_place(step.place), below=below)


def _kind(step: DerivationStep) -> Kind:
    if step.fact is not None:
        return "fact"
    return "absence" if step.because == "absence" else "check"


def _claim(step: DerivationStep, width: int | None) -> str:
    if step.fact is not None:
        words = {"given": "  given", "told": "  told", "external": f"  answered by {step.fact.symbol}"}
        return say_fact(step.fact, width) + words.get(step.because, "")
    if step.because == "row":
        return f"row {say_bindings(step.bindings, width)}"
    if step.claim is None:
        return ""
    said = say_premise(step.claim, width)
    if step.because == "absence":
        return f"no fact matches {said.removeprefix('!')}"
    if step.because == "replaced":
        return f"{said}  since replaced by another for the same key"
    if step.because == "comparison":
        return say_check(step.claim, width)
    return said if step.value is None else f"{said} = {say_value(step.value, width)}"


def _known_end(found: WhyNot) -> str:
    """Say what there is to say of a goal no rule was tried for."""
    if found.note:
        return " (shown above)" if found.note == "shown" else " (cut off here)"
    if found.rules:
        return ""
    return ": the predicate answered nothing" if found.external else ": no such fact was given"


def _reasons(found: WhyNot, width: int | None) -> Iterator[DerivationBranch]:
    """Yield the rules that came furthest, in the order of the program, and how many there are besides."""
    heads = [attempt for attempt in found.rules if attempt.reason == "head"]
    close = [attempt for attempt in found.rules if attempt.reason != "head"]
    if len(found.rules) <= _FEW_RULES:
        close, heads = list(found.rules), []
    best = sorted(close, key=_progress, reverse=True)[:_RULES_SHOWN]
    yield from (_attempt(attempt, width) for attempt in sorted(best, key=lambda attempt: attempt.rule.number))
    for number, words in ((len(close) - len(best), "came no further"), (len(heads), "cannot make it by the head")):
        if number:
            yield DerivationBranch(kind="hint", text=f"{number} other rule{'s' if number > 1 else ''} {words}")
    for row in found.nearest:
        yield DerivationBranch(kind="hint", text=f"there is {say_fact(Fact(found.goal.symbol, row), width)}")


def _progress(attempt: RuleAttempt) -> float:
    """Say how much of a rule held: which of its premises failed, or all when only its head was wrong."""
    return inf if attempt.number is None else (attempt.number - 1) / len(attempt.rule.premises)


def _attempt(attempt: RuleAttempt, width: int | None) -> DerivationBranch:
    below: list[DerivationBranch] = []
    if attempt.bindings and attempt.bindings[0]:
        rest = attempt.count - 1
        more = f" (and {rest} other binding{'s' if rest > 1 else ''})" if rest > 0 else ""
        below.append(DerivationBranch(kind="hint", text=f"with {say_bindings(attempt.bindings[0], width)}{more}"))
    below += [outline(missing, width=width) for missing in attempt.missing]
    below += [outline(blocking, width=width) for blocking in attempt.blocking]
    return DerivationBranch(
        kind="failure",
        text=say_failure(attempt, width),
        rule=say_rule(attempt.rule),
        place=say_place(attempt.rule.place),
        below=tuple(below),
    )


def say_failure(attempt: RuleAttempt, width: int | None = None) -> str:
    """Say in a few words why a rule did not make its goal."""
    premise = "" if attempt.premise is None else say_premise(attempt.premise, width)
    check = "" if attempt.premise is None else say_check(attempt.premise, width)
    if attempt.clash is not None:
        own, goal = say_value(attempt.clash.head, width), say_value(attempt.clash.goal, width)
        return f"argument {attempt.clash.column + 1} of the head is {own}, not {goal}"
    made = " and ".join(say_fact(Fact(attempt.rule.head.symbol, row), width) for row in attempt.results)
    where = f"premise {attempt.number} fails: "
    return {
        "missing": f"{where}nothing matches {premise}",
        "external": f"{where}{premise} was answered with nothing",
        "blocked": f"{where}{premise.removeprefix('!')} must be absent",
        "false": f"{where}{check} is false",
        "function": f"{where}{premise}: {attempt.message}" if premise else f"a function fails: {attempt.message}",
        "result": f"its premises hold, but it makes {made}",
        "replaced": "it makes the fact, which was then replaced by another for the same key",
        "skipped": "its premises hold, but the evaluation was for other goals and left it out",
        "unfinished": attempt.message,
    }.get(attempt.reason, attempt.reason)


def _would_hold(repairs: tuple[Repair, ...], width: int | None) -> Iterator[DerivationBranch]:
    if repairs:
        below = tuple(DerivationBranch(kind="repair", text=say_repair(repair, width)) for repair in repairs)
        yield DerivationBranch(kind="repair", text="would hold if", below=below)


def say_repair(repair: Repair, width: int | None = None) -> str:
    """Say a set of changes in one line, with `_` for any value."""
    return " and ".join(_say_change(change, width) for change in repair.changes)


def _say_change(change: FactChange, width: int | None) -> str:
    if change.kind == "remove":
        return f"{say_fact(change.fact, width)} were taken away"
    values = ["_" if column in change.free else say_value(value, width) for column, value in enumerate(change.fact.row)]
    example = f" (for example {say_fact(change.fact, width)})" if change.free else ""
    return f"{change.fact.symbol.name}({', '.join(values)}) were given{example}"


JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | bool | None"


def to_text(explanation: Why | WhyNot, *, width: int | None = 60) -> str:
    """Return an explanation as a tree of lines: what, then the rule, then where it stands.

    Values wider than `width` are shortened in the middle, rules at three times that; None shortens nothing.
    """
    return "\n".join(_lines(outline(explanation, width=width), "", "", width))


def _lines(branch: DerivationBranch, first: str, others: str, width: int | None) -> Iterator[str]:
    rule = shorten(branch.rule, None if width is None else 3 * width)
    parts = (branch.text, f"by {rule}" if rule else "", branch.place)
    yield first + "  ".join(part for part in parts if part)
    for below in branch.below[:-1]:
        yield from _lines(below, f"{others}├─ ", f"{others}│  ", width)
    for below in branch.below[-1:]:
        yield from _lines(below, f"{others}└─ ", f"{others}   ", width)


def to_json(explanation: Why | WhyNot) -> JSON:
    """Return an explanation as plain JSON, nothing shortened."""
    return _step_json(explanation.root) if isinstance(explanation, Why) else _why_not_json(explanation)


def _step_json(step: DerivationStep) -> JSON:
    return {
        "fact": _claim_json(step),
        "because": step.because,
        "rule": None if step.rule is None else say_rule(step.rule),
        "place": _place_json(step.place),
        "premises": [_step_json(premise) for premise in step.premises],
        "value": None if step.value is None else say_value(step.value),
        "note": step.note or None,
        "more": step.more,
    }


def _claim_json(step: DerivationStep) -> str:
    if step.fact is not None:
        return say_fact(step.fact)
    return say_bindings(step.bindings) if step.claim is None else say_premise(step.claim)


def _why_not_json(found: WhyNot) -> dict[str, JSON]:
    goal = found.goal.symbol
    return {
        "goal": say_atom(found.goal),
        "holds": found.holds,
        "because": None if found.because is None else _step_json(found.because.root),
        "external": found.external,
        "rules": [_attempt_json(attempt) for attempt in found.rules],
        "nearest": [say_fact(Fact(goal, row)) for row in found.nearest],
        "note": found.note or None,
        "would_hold_if": [_repair_json(repair) for repair in found.repairs],
    }


def _attempt_json(attempt: RuleAttempt) -> JSON:
    return {
        "rule": say_rule(attempt.rule),
        "place": _place_json(attempt.rule.place),
        "failed": {
            "premise": None if attempt.premise is None else say_premise(attempt.premise),
            "number": attempt.number,
            "reason": attempt.reason,
            "says": say_failure(attempt),
            "missing": [_why_not_json(missing) for missing in attempt.missing],
            "blocking": [_step_json(blocking.root) for blocking in attempt.blocking],
            "results": [say_fact(Fact(attempt.rule.head.symbol, row)) for row in attempt.results],
        },
        "bindings": [_bindings_json(bindings) for bindings in attempt.bindings],
        "count": attempt.count,
    }


def _bindings_json(bindings: Bindings) -> JSON:
    return {name: say_value(value) for name, value in bindings.items()}


def _repair_json(repair: Repair) -> JSON:
    return {
        "says": say_repair(repair),
        "add": [say_fact(change.fact) for change in repair.changes if change.kind == "add"],
        "remove": [say_fact(change.fact) for change in repair.changes if change.kind == "remove"],
        "free": [list(change.free) for change in repair.changes if change.kind == "add"],
    }


def _place_json(place: Place | None) -> JSON:
    return None if place is None else {"file": place.file, "line": place.line, "column": place.column}


def shorten(text: str, width: int | None) -> str:
    """Leave out the middle of a text that is wider than `width`."""
    if width is None or len(text) <= width:
        return text
    tail = max(0, (width - 1) // 2)
    return f"{text[: max(0, width - 1 - tail)]}…{text[len(text) - tail :]}"


def printable(text: str) -> str:
    """Escape whatever a terminal would not print as one character of the line."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


def say_value(value: Value, width: int | None = None) -> str:
    """Return a value as source, shortened."""
    return shorten(printable(show_value(value)), width)


def say_fact(fact: Fact, width: int | None = None) -> str:
    """Return a fact as source, its values shortened."""
    return f"{fact.symbol.name}({', '.join(say_value(value, width) for value in fact.row)})"


def say_atom(atom: Atom, width: int | None = None) -> str:
    """Return an atom as source, its values shortened."""
    return show_atom(atom, partial(say_value, width=width))


def say_premise(premise: Premise, width: int | None = None) -> str:
    """Return a premise as source, its values shortened."""
    if isinstance(premise, Negation):
        return f"!{say_atom(premise.atom, width)}"
    if isinstance(premise, Timed):
        return shorten(printable(show_premise(premise)), None if width is None else 3 * width)
    return show_premise(premise, partial(say_value, width=width))


def say_check(premise: Premise, width: int | None = None) -> str:
    """Return a comparison as source and, where functions stand in it, with their values as well."""
    said = say_premise(premise, width)
    try:
        values = say_premise(_evaluated(premise), width)
    except BuiltinError:
        return said
    return said if said == values else f"{said}, that is {values}"


def _evaluated(premise: Premise) -> Premise:
    return premise if isinstance(premise, Negation | Timed) else map_premise(premise, _value)


def _value(term: Term) -> Term:
    value = value_of(term, {})
    return term if value is None else Constant(value=value, place=term.place)


def say_bindings(bindings: Bindings, width: int | None = None) -> str:
    """Return bindings as equations."""
    return ", ".join(f"{name} = {say_value(value, width)}" for name, value in bindings.items())


def say_rule(rule: CheckedRule) -> str:
    """Return a rule as it was written, in one line."""
    return printable(" ".join(show_clause(rule.clause).split("\n")))


def say_place(place: Place | None) -> str:
    """Return file and line."""
    return "" if place is None else printable(f"{place.file}:{place.line}")
