"""Questions about small tables: what each can mean, and that every reading can be typed back as it stands."""

import tomllib
from functools import cache
from pathlib import Path

import pytest

from mayfly.language import tokens
from mayfly.language.question import Vocabulary, parse_reading, read_question, rivals_of

# Vocabularies come from real files, so the package above is used to read them.
from mayfly.synthesis.records._detect import detect
from mayfly.synthesis.records._table import read_table, vocabulary_of

HERE = Path(__file__).parent
CORPUS: dict[str, dict[str, list[str]]] = tomllib.loads((HERE / "corpus.toml").read_text(encoding="utf-8"))


@cache
def vocabulary(name: str) -> Vocabulary:
    lines = (HERE / "tables" / name).read_text(encoding="utf-8").splitlines()
    return vocabulary_of(read_table(detect(lines), lines, name))


def readings(question: str, name: str) -> list[str]:
    found = read_question(question, tokens(question), vocabulary(name))
    return [one.text for one in rivals_of(found)] if found and found[0].sure else []


@pytest.mark.parametrize("phenomenon", CORPUS)
def test_questions_are_read_as_the_corpus_says(phenomenon: str) -> None:
    wrong = {}
    for case, expected in CORPUS[phenomenon].items():
        name, _, question = case.partition(": ")
        got = readings(question, name)
        if got != expected:
            wrong[case] = got
    assert not wrong


def test_every_reading_means_itself_when_typed_back() -> None:
    for cases in CORPUS.values():
        for case in cases:
            name, _, question = case.partition(": ")
            known = vocabulary(name)
            for one in read_question(question, tokens(question), known)[:5]:
                assert parse_reading(one.text, [column.name for column in known.columns]) == one.query, one.text
