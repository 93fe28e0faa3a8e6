"""Whatever a request says is done by some step, or the plan is refused with the words that are left over."""

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mayfly.promise._promise import Promise
from mayfly.promise.fit import is_small, read_request

from .helpers import lexicon, make

HERE = Path(__file__).parent
CORPUS = HERE.parents[1] / "language" / "corpus"
TOLD = ("path", "url", "quoted", "number")
JOINTS = (" and then ", ", then ", ". After that, ", "; ")
PUTTING = (
    "save what's left as {}",
    "put whatever it gives into {}",
    "append the result to {}",
    "put it at the end of {}",
    "store the outcome in {}",
    "result -> {}",
    "write it to {}",
)


def said_in(path: Path) -> Iterator[str]:
    for listed in tomllib.loads(path.read_text(encoding="utf-8")).values():
        yield from (one[0] if isinstance(one, list) else one["text"] for one in listed if isinstance(one, (list, dict)))


def flows() -> list[str]:
    return [*said_in(HERE / "flows.toml"), *said_in(HERE / "intents.toml")]


def told(tree: Promise[Any]) -> str:
    """Return all that the steps of a tree say and work on; a tree without steps is its own step."""
    steps = [one for one in tree.walk() if one is not tree] or [tree]
    held = [*steps, *(one for step in steps if step.template for one in step.template.walk())]
    return " ".join(f"{one.intent} {one.argument}" for one in held).lower()


def lost(text: str, workspace: Path) -> list[str]:
    """Return what of a request stands in no step of its plan: names always, of several clauses every telling word."""
    reading = read_request(text, lexicon(), lambda word: False)
    asked = [said for said in reading.said if said.clause.kind != "instruction"]
    roles = dict(zip((token.start for token in reading.request.tokens), reading.request.roles, strict=True))
    words = [
        token.text
        for said in asked
        for token in said.clause.tokens
        if token.kind in TOLD
        or (len(asked) > 1 and token.kind == "word" and roles[token.start] not in ("glue", "verb", "order"))
    ]
    tree = told(make(workspace).plan(text, ground=None))
    return [word for word in words if not is_small(word.lower()) and reading.written(word).lower() not in tree]


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "path", sorted({*CORPUS.glob("*.toml")} - {CORPUS / "templates.toml"}), ids=lambda path: path.stem
)
def test_no_word_of_the_corpora_is_dropped_in_silence(path: Path, tmp_path: Path) -> None:
    texts = [text for text in said_in(path) if text]
    chosen = random.Random(path.stem).sample(texts, min(len(texts), 40))
    assert {text: left for text in chosen if (left := lost(text, tmp_path))} == {}


def test_no_word_of_joined_requests_is_dropped_in_silence(tmp_path: Path) -> None:
    chance = random.Random(7)
    joined = [chance.choice(JOINTS).join((one.rstrip("."), other)) for one, other in pairs(chance, flows(), 60)]
    assert {text: left for text in joined if (left := lost(text, tmp_path))} == {}


def pairs(chance: random.Random, texts: list[str], count: int) -> Iterator[tuple[str, str]]:
    for _ in range(count):
        first, second = chance.sample(texts, 2)
        yield first, second[0].lower() + second[1:]


@pytest.mark.parametrize("put", PUTTING)
def test_what_is_put_away_is_what_came_before_or_the_plan_is_refused(put: str, tmp_path: Path) -> None:
    chance = random.Random(put)
    for text in chance.sample([one for one in said_in(HERE / "flows.toml") if "?" not in one], 25):
        tree = make(tmp_path).plan(f"{text}; {put.format('zz.out')}", ground=None)
        last = tree.children[-1]
        refused = last.intent == tree.intent
        assert refused or (last.needs and "zz.out" in last.intent), text
        assert "design" not in " ".join(one.intent.lower() for one in last.walk())
