"""Plans for requests that nobody had in mind when the rules were written."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import PromiseSettings
from mayfly.promise._promise import Promise
from mayfly.promise.plan import served_by

from .helpers import is_sound, leaves, make, reaches, registry

TABLE = tomllib.loads(Path(__file__).with_name("intents.toml").read_text(encoding="utf-8"))
CASES = [(text, expected) for group in TABLE.values() for text, expected in group]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_a_plan_is_what_a_sensible_person_expects(text: str, expected: str, tmp_path: Path) -> None:
    tree = make(tmp_path).plan(text, ground=None)
    is_sound(tree, PromiseSettings())
    wrong = [claim for claim in expected.split("; ") if not holds(tree, *claim.split(" "))]
    assert not wrong, f"{wrong} in {[(one.id, one.name, one.intent, served_by(one)) for one in tree.walk()]}"


def test_the_table_is_broad() -> None:
    assert len(CASES) >= 40
    assert len(TABLE) >= 12


def holds(tree: Promise[Any], word: str, *rest: str) -> bool:
    """Say whether one claim of the table is true of a tree."""
    text = " ".join(rest)
    claims = {
        "served": lambda: not tree.children and served_by(tree) == text,
        "ground": lambda: served_by(tree) == "ground" and not tree.children,
        "reads": lambda: text in given(tree, "read_file", "path"),
        "searches": lambda: text in given(tree, "search_lines", "text"),
        "uses": lambda: any(served_by(one) == text for one in leaves(tree)),
        "says": lambda: any(text in one.intent for one in tree.walk()),
        "one": lambda: [one.intent for one in tree.children] == [tree.intent] and not tree.children[0].children,
        "read-only": lambda: is_read_only(tree),
        "steps": lambda: len(tree.children) == int(text),
        "tested": lambda: any(one.intent == "Modify code + run tests" for one in leaves(tree)),
    }
    if word in claims:
        return bool(claims[word]())
    relation, other = rest
    parent = next((one for one in tree.walk() if {word, other} <= {below.name for below in one.children}), None)
    if parent is None:
        return False
    after = reaches(parent, word, other)
    return after if relation == "after" else not after and not reaches(parent, other, word)


def given(tree: Promise[Any], capability: str, key: str) -> set[str]:
    found = [one.argument for one in leaves(tree) if served_by(one) == capability]
    return {str(argument[key]) for argument in found if isinstance(argument, dict) and key in argument}


def is_read_only(tree: Promise[Any]) -> bool:
    served = [one.capability for one in leaves(tree) if one.capability]
    changes = any(registry().get(name).effect != "none" for name in served)
    return not changes and not any("Modify" in one.intent or "Apply" in one.intent for one in tree.walk())
