"""Read the table of requests and compare what was perceived with what it expects."""

import tomllib
from functools import cache
from pathlib import Path

from mayfly.mangle import Clause, Constant, Name, Program, Row, Symbol, load, parse
from mayfly.policy.perception import Lexicon, Perceived, perceive

RULES = Path(__file__).parents[3] / "src" / "mayfly" / "policy" / "rules"


@cache
def lexicon() -> Lexicon:
    """Build the lexicon from the rule files that ship, read as plain facts."""
    facts = []
    for name in ("routing.mg", "actions.mg", "lexicon.mg"):
        unit = parse((RULES / name).read_text(encoding="utf-8"), file=name)
        facts += [found for clause in unit.clauses if (found := _fact(clause)) is not None]
    return Lexicon.of(facts)


def _fact(clause: Clause) -> tuple[Symbol, Row] | None:
    values = tuple(term.value for term in clause.head.arguments if isinstance(term, Constant))
    whole = clause.premises is None and len(values) == len(clause.head.arguments)
    return (clause.head.symbol, values) if whole else None


@cache
def rules() -> Program:
    """Load the rules that route a request."""
    names = ("schema.mg", "routing.mg", "actions.mg", "lexicon.mg")
    return load([parse((RULES / name).read_text(encoding="utf-8"), file=name) for name in names])


@cache
def changing() -> frozenset[str]:
    """Return the verbs whose work creates, modifies or deletes."""
    rows = rules().evaluate(goals=[Symbol("verb_action", 2)]).rows(Symbol("verb_action", 2))
    return frozenset(str(verb)[1:] for verb, kind in rows if kind != Name("/query"))


def routes(got: Perceived, predicate: str) -> set[str]:
    """Return the names that the rules derive for a predicate of one column."""
    goal = Symbol(predicate, 1)
    return {str(row[0])[1:] for row in rules().evaluate(got.facts(), goals=[goal]).rows(goal)}


def read(text: str) -> Perceived:
    return perceive(text, lexicon())


def requests(name: str) -> list[tuple[str, str]]:
    """Return the cases of a table file, all groups together."""
    table = tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return [(text, expected) for group in table.values() for text, expected in group]


def differs(text: str, expected: str) -> str:
    """Return what is wrong with the reading of *text*, or nothing."""
    got = read(text)
    shown = "; ".join(
        f"{p.intent.category} {p.intent.verb} <{p.intent.target}> |{p.intent.constraint}| {p.confidence}"
        for p in got.intents
    )
    shown = shown or f"ask {got.guesses}"
    return "" if _fits(got, expected) else f"{text!r}: expected {expected!r}, got {shown}"


def _fits(got: Perceived, expected: str) -> bool:
    return any(_fits_whole(got, *way.partition(" =>")[::2]) for way in expected.split(" or "))


def _fits_whole(got: Perceived, expected: str, routed: str) -> bool:
    if expected.split("/")[0].strip() == "ask" and not got.intents:
        return bool(got.ask)
    parts = [part.strip() for part in expected.split(";")]
    fit = len(parts) == len(got.intents) and all(_fits_one(got, n, part) for n, part in enumerate(parts))
    return fit and (not routed or _fits_routes(got, routed))


def _fits_routes(got: Perceived, routed: str) -> bool:
    personas, _, kinds = routed.partition("/")
    allowed = set(personas.split())
    return (not allowed or routes(got, "persona") <= allowed) and routes(got, "action_type") == set(kinds.split())


def _fits_one(got: Perceived, number: int, expected: str) -> bool:
    found = got.intents[number]
    wanted, _, constraint = expected.partition(" | ")
    verbs, _, target = wanted.partition(" ")
    category = {"?": "question", "!": "instruction"}.get(verbs[:1], "command")
    if verbs.startswith("~") and found.confidence < 0.5:
        return False
    names = verbs.lstrip("?!~")
    return (
        found.intent.category == category
        and (found.intent.verb in names.split("/") if names else verbs != "?" or found.intent.verb not in changing())
        and (not target or found.intent.target == target.strip())
        and constraint in ("", found.intent.constraint, "*" if found.intent.constraint != "none" else "")
    )
