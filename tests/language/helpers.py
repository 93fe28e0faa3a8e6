"""Read with the shipped lexicon, and compare what was read with what a corpus expects; see corpus/README.md."""

import tomllib
from functools import cache
from pathlib import Path

from mayfly.language import Clause, Lexicon, Request, read
from mayfly.mangle import Name, Program, Symbol, load, parse
from mayfly.policy import LEXICON, facts_of, lexicon_of

CORPUS = Path(__file__).with_name("corpus")
_RULES = Path(__file__).parents[2] / "src" / "mayfly" / "policy" / "rules"
_OTHER = ("templates", "flow")


@cache
def rules() -> Program:
    """Load the rules that route a request."""
    names = ("schema.mg", "routing.mg", "actions.mg", "lexicon.mg")
    return load([parse((_RULES / name).read_text(encoding="utf-8"), file=name) for name in names])


@cache
def lexicon() -> Lexicon:
    """Build the lexicon from the rule files that ship."""
    model = rules().evaluate(goals=LEXICON)
    return lexicon_of((symbol, row) for symbol in LEXICON for row in model.rows(symbol))


@cache
def changing() -> frozenset[str]:
    """Return the verbs whose work creates, modifies or deletes."""
    goal = Symbol("verb_action", 2)
    return frozenset(
        str(verb)[1:] for verb, kind in rules().evaluate(goals=[goal]).rows(goal) if kind != Name("/query")
    )


def request(text: str) -> Request:
    return read(text, lexicon())


def corpus() -> list[tuple[str, str, str]]:
    """Return every case with the phenomenon it belongs to."""
    files = [path for path in sorted(CORPUS.glob("*.toml")) if path.stem not in _OTHER]
    return [(path.stem, text, expected) for path in files for text, expected in table(path.stem)["requests"]]


def table(name: str) -> dict[str, list]:  # type: ignore[type-arg]
    return tomllib.loads((CORPUS / f"{name}.toml").read_text(encoding="utf-8"))


def differs(text: str, expected: str) -> str:
    """Return what is wrong with the reading of *text*, or nothing."""
    got = request(text)
    shown = [(one.kind, one.verb, one.target, one.constraint, one.confidence) for one in got.clauses if one.asks]
    return "" if _fits(got, expected) else f"{text!r}: expected {expected!r}, got {shown or got.guesses}"


def _fits(got: Request, expected: str) -> bool:
    return any(_fits_whole(got, *way.partition(" =>")[::2]) for way in expected.split(" or "))


def _fits_whole(got: Request, expected: str, routed: str) -> bool:
    if expected.split("/")[0].strip() == "ask" and not got.routed:
        return bool(got.ask)
    parts = [part.strip() for part in expected.split(";")]
    fit = len(parts) == len(got.routed) and all(map(_fits_one, got.routed, parts))
    return fit and (not routed or _fits_routes(got, routed))


def _fits_routes(got: Request, routed: str) -> bool:
    personas, _, kinds = routed.partition("/")
    allowed = set(personas.split())
    return (not allowed or routes(got, "persona") <= allowed) and routes(got, "action_type") == set(kinds.split())


def routes(got: Request, predicate: str) -> set[str]:
    """Return the names that the rules derive for a predicate of one column."""
    goal = Symbol(predicate, 1)
    return {str(row[0])[1:] for row in rules().evaluate(facts_of(got), goals=[goal]).rows(goal)}


def _fits_one(found: Clause, expected: str) -> bool:
    wanted, _, constraint = expected.partition(" | ")
    verbs, _, target = wanted.partition(" ")
    category = {"?": "question", "!": "instruction"}.get(verbs[:1], "command")
    if verbs.startswith("~") and found.confidence < 0.5:
        return False
    names = verbs.lstrip("?!~")
    return (
        found.intent.category == category
        and (found.verb in names.split("/") if names else verbs != "?" or found.verb not in changing())
        and (not target or found.target == target.strip())
        and constraint in ("", found.constraint, "*" if found.constraint != "none" else "")
    )
