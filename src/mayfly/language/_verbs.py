"""The verbs that the rules know, by every word that means them, and where in a text one of them stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mayfly.language._inflect import VerbForm, plural, spellings, verb_forms

# The facts by which rules say what words mean; the verb stands in the first column, in that of questions in the second.
LEXICON_FACTS = (
    *("verb_persona", "verb_action", "verb_form", "verb_noun", "verb_product", "verb_hint", "question_verb"),
    *("instruction_verb", "guarded_verb", "telling_verb", "judging_verb"),
)
PARTICLES = frozenset(("up", "down", "out", "off", "back", "in", "over", "away", "apart", "together", "aside", "on"))
Rows = Sequence[tuple[str, ...]]


class PhraseForm(NamedTuple):
    """One form of one phrase: the words after the first, `...` for a gap, the verb it means, and its base."""

    rest: tuple[str, ...]
    verb: str
    form: VerbForm
    base: str


class Hint(NamedTuple):
    """A phrase that only suggests a verb: the words after the first, the verb, and how much that says, from 0 to 1."""

    rest: tuple[str, ...]
    verb: str
    weight: float


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """Know verbs by their forms, the nouns that stand for them, and the words that only hint at them.

    The words come from the rules: whoever reads the rules hands them in as rows of plain text, by the name of the fact.
    """

    verbs: frozenset[str]
    entries: Mapping[str, tuple[PhraseForm, ...]]
    nouns: Mapping[str, str]
    products: Mapping[str, str]
    hints: Mapping[str, tuple[Hint, ...]]
    question_verbs: Mapping[str, str]
    instruction_verb: str
    guarded: frozenset[str]
    telling: frozenset[str]
    judging: frozenset[str]

    @classmethod
    def of(cls, facts: Mapping[str, Iterable[tuple[str, ...]]]) -> Lexicon:
        """Build the lexicon from the rows of `verb_persona`, `verb_form`, `verb_noun` and so on; all texts."""
        rows = {name: sorted(facts.get(name, ())) for name in LEXICON_FACTS}
        verbs = {row[name == "question_verb"] for name, listed in rows.items() for row in listed}
        single = {name: tuple(row[0] for row in rows[name]) for name in LEXICON_FACTS}
        return cls(
            verbs=frozenset(verbs),
            entries=_entries(verbs, rows["verb_form"]),
            nouns=_nouns(rows["verb_noun"]),
            products=_nouns(rows["verb_product"]),
            hints=_hints(rows["verb_hint"]),
            question_verbs={row[0]: row[1] for row in reversed(rows["question_verb"])},
            instruction_verb=next(iter(single["instruction_verb"]), ""),
            guarded=frozenset(single["guarded_verb"]),
            telling=frozenset(single["telling_verb"]),
            judging=frozenset(single["judging_verb"]),
        )

    def is_base(self, word: str) -> bool:
        """Say whether a word alone is a verb in its base form."""
        return any(entry.form == "base" and not entry.rest for entry in self.entries.get(word, ()))

    def tells(self, word: str, *, only: bool = False) -> bool:
        """Say whether a word is a verb whose object may be told after a colon; *only* told, and never also a list."""
        verbs = self.telling if only else self.telling | self.judging
        return any(entry.form == "base" and entry.verb in verbs for entry in self.entries.get(word, ()))

    def noun(self, word: str) -> str:
        """Return the verb that a noun or a gerund stands for, "" for none."""
        gerunds = (entry.verb for entry in self.entries.get(word, ()) if entry.form == "gerund" and not entry.rest)
        return self.nouns.get(word) or next(gerunds, "")


def _entries(verbs: set[str], forms: Rows) -> dict[str, tuple[PhraseForm, ...]]:
    """Return every form of every phrase by its first word; a verb's own name is taken before any synonym."""
    named = [(tuple(verb.rsplit("/", 1)[-1].lower().replace("-", "_").split("_")), verb) for verb in sorted(verbs)]
    said = [(tuple(phrase.split()), verb) for verb, phrase in forms]
    meaning: dict[tuple[str, tuple[str, ...]], PhraseForm] = {}
    for phrase, verb in named + said:
        for words in _writings(phrase):
            for text, form in verb_forms(words[0]).items():
                entry = PhraseForm(words[1:], verb, form, " ".join(phrase))
                known = meaning.setdefault((text, words[1:]), entry)
                if form == "base" and known.form != "base":
                    meaning[text, words[1:]] = entry
    found: dict[str, list[PhraseForm]] = defaultdict(list)
    for (first, _), entry in meaning.items():
        found[first].append(entry)
    return {first: tuple(sorted(entries, key=_rank)) for first, entries in found.items()}


def _rank(entry: PhraseForm) -> tuple[int, bool]:
    """Put the phrases that say most first."""
    gaps = entry.rest.count("...")
    return gaps - len(entry.rest), gaps == 0


def _writings(phrase: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the ways to write a phrase: `roll back`, `roll … back`, `rollback`, `roll-back`."""
    if not phrase or not phrase[0]:
        return []
    found = [phrase]
    if len(phrase) == 2 and "..." not in phrase:
        found += [(phrase[0], "...", phrase[1])] if phrase[1] in PARTICLES else []
        found += [("".join(phrase),), ("-".join(phrase),)]
    return found


def _nouns(rows: Rows) -> dict[str, str]:
    found: dict[str, str] = {}
    for verb, noun in rows:
        for text in spellings(noun):
            found.setdefault(text, verb)
            found.setdefault(plural(text), verb)
    return found


def _hints(rows: Rows) -> dict[str, tuple[Hint, ...]]:
    found: dict[str, list[Hint]] = defaultdict(list)
    for verb, phrase, weight in rows:
        words = phrase.split()
        if weight.isdigit() and words:
            found[words[0]].append(Hint(tuple(words[1:]), verb, min(int(weight), 100) / 100))
    return {first: tuple(sorted(hints, key=lambda hint: -len(hint.rest))) for first, hints in found.items()}
