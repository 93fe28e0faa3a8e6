"""The verbs the rules know, by every word that means them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mayfly.mangle import Name, Row, Symbol, Value
from mayfly.policy.perception._forms import Form, inflections, plural, spellings

PARTICLES = frozenset(("up", "down", "out", "off", "back", "in", "over", "away", "apart", "together", "on"))


class Entry(NamedTuple):
    """One form of one phrase: the words after the first, `...` for a gap, and the verb it means."""

    rest: tuple[str, ...]
    verb: str
    form: Form


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """Know verbs by their forms, the nouns that stand for them, and the words that only hint at them."""

    verbs: frozenset[str]
    entries: Mapping[str, tuple[Entry, ...]]
    nouns: Mapping[str, str]
    products: Mapping[str, str]
    hints: Mapping[str, tuple[tuple[tuple[str, ...], str, float], ...]]
    question_verbs: Mapping[str, str]
    instruction_verb: str | None
    guarded: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()
    judging: frozenset[str] = frozenset()

    @classmethod
    def of(cls, facts: Iterable[tuple[Symbol, Row]]) -> Lexicon:
        """Build the lexicon from the facts of the rules; facts of other predicates are passed over."""
        rows: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for symbol, row in facts:
            if symbol in _WANTED and (read := _read(row)) is not None:
                rows[symbol.name].append(read)
        for listed in rows.values():
            listed.sort()
        verbs = {row[_WANTED_VERB[name]] for name, listed in rows.items() for row in listed}
        return cls(
            verbs=frozenset(verbs),
            entries=_entries(verbs, rows["verb_form"]),
            nouns=_nouns(rows["verb_noun"]),
            products=_nouns(rows["verb_product"]),
            hints=_hints(rows["verb_hint"]),
            question_verbs={row[0]: row[1] for row in reversed(rows["question_verb"])},
            instruction_verb=rows["instruction_verb"][0][0] if rows["instruction_verb"] else None,
            guarded=frozenset(row[0] for row in rows["guarded_verb"]),
            telling=frozenset(row[0] for row in rows["telling_verb"]),
            judging=frozenset(row[0] for row in rows["judging_verb"]),
        )

    def is_base(self, word: str) -> bool:
        """Say whether a word alone is a verb in its base form."""
        return any(entry.form == "base" and not entry.rest for entry in self.entries.get(word, ()))

    def tells(self, word: str, *, only: bool = False) -> bool:
        """Say whether a word is a verb whose object may be told after a colon; *only* told, and never also a list."""
        verbs = self.telling if only else self.telling | self.judging
        return any(entry.form == "base" and entry.verb in verbs for entry in self.entries.get(word, ()))

    def noun(self, word: str) -> str | None:
        """Return the verb that a noun or a gerund stands for."""
        gerunds = (entry.verb for entry in self.entries.get(word, ()) if entry.form == "gerund" and not entry.rest)
        return self.nouns.get(word) or next(gerunds, None)


_WANTED_VERB = {
    "verb_persona": 0,
    "verb_action": 0,
    "verb_form": 0,
    "verb_noun": 0,
    "verb_product": 0,
    "verb_hint": 0,
    "question_verb": 1,
    "instruction_verb": 0,
    "guarded_verb": 0,
    "telling_verb": 0,
    "judging_verb": 0,
}
_COLUMNS = {"verb_hint": 3, "instruction_verb": 1, "guarded_verb": 1, "telling_verb": 1, "judging_verb": 1}
_WANTED = frozenset(Symbol(name, _COLUMNS.get(name, 2)) for name in _WANTED_VERB)


def _read(row: Row) -> tuple[str, ...] | None:
    """Return a row as texts, names without their slash, or None when it holds something else."""
    texts = tuple(text for value in row if (text := _text(value)) is not None)
    return texts if len(texts) == len(row) and all(texts) else None


def _text(value: Value) -> str | None:
    if isinstance(value, Name):
        return value.text.removeprefix("/")
    if isinstance(value, str):
        return " ".join(value.lower().split())
    return str(value) if isinstance(value, int) else None


def _entries(verbs: set[str], forms: list[tuple[str, ...]]) -> dict[str, tuple[Entry, ...]]:
    """Return every form of every phrase by its first word; a verb's own name is taken before any synonym."""
    named = [(tuple(_name_words(verb)), verb) for verb in sorted(verbs)]
    said = [(tuple(phrase.split()), verb) for verb, phrase in forms]
    meaning: dict[tuple[str, tuple[str, ...]], tuple[str, Form]] = {}
    for phrase, verb in named + said:
        for words in _writings(phrase):
            for text, form in inflections(words[0]).items():
                known = meaning.setdefault((text, words[1:]), (verb, form))
                if form == "base" and known[1] != "base":
                    meaning[text, words[1:]] = (verb, form)
    found: dict[str, list[Entry]] = defaultdict(list)
    for (first, rest), (verb, form) in meaning.items():
        found[first].append(Entry(rest, verb, form))
    return {first: tuple(sorted(entries, key=_rank)) for first, entries in found.items()}


def _rank(entry: Entry) -> tuple[int, bool]:
    """Put the phrases that say most first."""
    gaps = entry.rest.count("...")
    return gaps - len(entry.rest), gaps == 0


def _name_words(verb: str) -> list[str]:
    return verb.rsplit("/", 1)[-1].lower().replace("-", "_").split("_")


def _writings(phrase: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the ways to write a phrase: `roll back`, `roll … back`, `rollback`, `roll-back`."""
    if not phrase or not phrase[0]:
        return []
    found = [phrase]
    if len(phrase) == 2 and phrase[1] in PARTICLES:
        found += [(phrase[0], "...", phrase[1])]
    if len(phrase) == 2 and "..." not in phrase:
        found += [(phrase[0] + phrase[1],), (phrase[0] + "-" + phrase[1],)]
    return found


def _nouns(rows: list[tuple[str, ...]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for verb, noun in rows:
        for text in spellings(noun):
            found.setdefault(text, verb)
            found.setdefault(plural(text), verb)
    return found


def _hints(rows: list[tuple[str, ...]]) -> dict[str, tuple[tuple[tuple[str, ...], str, float], ...]]:
    found: dict[str, list[tuple[tuple[str, ...], str, float]]] = defaultdict(list)
    for verb, phrase, weight in rows:
        words = phrase.split()
        if weight.isdigit() and words:
            found[words[0]].append((tuple(words[1:]), verb, min(int(weight), 100) / 100))
    return {first: tuple(sorted(entries, key=lambda entry: -len(entry[0]))) for first, entries in found.items()}
