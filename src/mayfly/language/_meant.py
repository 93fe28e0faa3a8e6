"""What is meant and not said: the weaker reading of what only sounds like a change, and a verb that is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mayfly.language._lexicon import irregular_verbs
from mayfly.language._request import Clause, Guess
from mayfly.language._sentences import Sentence
from mayfly.language._tokens import Token
from mayfly.language._words import LexedWords, is_closed, is_one_of, pattern, shape_of, words

_ME = ("me", "us")
# What is thought of or drafted is told, unless a file is named for it.
THOUGHT = ("come up with", "think of", "think up", "draft", "compose")
# A file behind one of these is where something goes; "of" and "about" only say what it is made from.
_INTO = frozenset(("to", "into", "onto", "as", "in", "under"))
# The verbs of the rules by which something goes.
_REMOVING = frozenset(("remove", "delete"))
# Behind one of these stands what a part is taken from; a name with an ending and no star is one file.
_PARTED = frozenset(("from", "of", "in", "out of"))
_ONE_FILE = re.compile(r"[^*?\[\]]*[^/*?\[\]]\.\w{1,10}")


def told_by(clause: Clause, behind: LexedWords) -> str:
    """Return the verb that answers where somebody wants to be told something and no file changed, "" elsewhere.

    "Write me a poem", "draft a mail to the team", "make a list of the modules", "update me on the build".
    """
    noun, to_me = _noun_of(clause), behind.plain(0) in _ME
    if _goes_into_file(clause) or not _only_tells(clause, behind, noun, to_me):
        return ""
    return behind.lexicon.nouns.get(noun) or behind.lexicon.question_verbs.get("?", "")


def _only_tells(clause: Clause, behind: LexedWords, noun: str, to_me: bool) -> bool:
    if clause.said in THOUGHT:
        return True
    worded = is_one_of(noun, "writings") or _is_answer(noun, behind)
    if clause.said in words("wording"):
        return worded or to_me or _is_about(clause)
    if clause.said in words("making"):
        return _is_answer(noun, behind) or (to_me and (behind.is_verb(1) or _is_about(clause)))
    # Nobody changes a person: "update me on …", "drop me a note".
    return to_me and (worded or behind.has(1, "prepositions"))


def _is_about(clause: Clause) -> bool:
    """Say whether what is wanted is about something, as texts are: "a limerick about a sysadmin"."""
    return any(phrase.lead == "about" for phrase in clause.phrases)


def _is_answer(noun: str, line: LexedWords) -> bool:
    """Say whether a noun is what somebody is told: "overview", "comparison", "list"."""
    telling = line.lexicon.telling | line.lexicon.judging
    return line.lexicon.nouns.get(noun) in telling or is_one_of(noun, "results") or is_one_of(noun, "plans")


def _noun_of(clause: Clause) -> str:
    """Return the head of what is wanted, before anything that only describes it: "a tweet announcing that …"."""
    named = [token.plain for token in clause.object.tokens if token.kind == "word"] if clause.object else []
    stop = next((at for at, word in enumerate(named) if at and (word.endswith("ing") or is_closed(word))), len(named))
    return named[stop - 1] if stop else ""


def _goes_into_file(clause: Clause) -> bool:
    """Say whether a file is named that the work goes into; behind "of …" a place belongs to what is spoken of."""
    spoken = False
    for phrase in clause.phrases:
        named = any(token.kind == "path" and not token.text.endswith("/") for token in phrase.tokens)
        if named and phrase.lead in _INTO | {""} and not (spoken and phrase.lead == "in"):
            return True
        spoken = spoken or phrase.lead in ("of", "about")
    return False


def changed_by(clause: Clause, line: LexedWords) -> str:
    """Return the verb of a change where the parts of a program are put into another shape, "" elsewhere.

    "Sort the imports in a.py", "turn the loops in b.js into calls"; of a file of data the same verbs only compute.
    """
    parts = clause.object is not None and not clause.object.names and clause.said.split()[0] in words("shaping")
    goes = any(phrase.names for phrase in clause.phrases if phrase.role == "destination")
    shapes = parts and not goes and "change" in line.lexicon.verbs
    return "change" if shapes and _lies_in_program(clause) else ""


def parted_by(clause: Clause, line: LexedWords) -> str:
    """Return the verb of a change where a part of one file is to go and the file stays, "" elsewhere.

    "Remove the comma from a.json", "take line 3 out of b.txt"; "delete the logs in tmp/" is about files.
    """
    whole = clause.object is None or bool(clause.object.names)
    if whole or clause.verb not in _REMOVING or "change" not in line.lexicon.verbs:
        return ""
    names = [name for phrase in clause.phrases if phrase.lead in _PARTED for name in phrase.names]
    return "change" if names and all(_ONE_FILE.fullmatch(name) for name in names) else ""


def _lies_in_program(clause: Clause) -> bool:
    """Say whether a clause names the files in which something is, and these are no data."""
    inside = [phrase for phrase in clause.phrases if phrase.lead in ("in", "under") and phrase.role == "place"]
    held = [token for phrase in inside for token in phrase.tokens]
    paths = [token.text.lower() for token in held if token.kind == "path"]
    endings = {path.rpartition(".")[2] for path in paths} | {token.plain for token in held}
    several = bool(paths) and any(token.plain == "files" for token in held)
    return endings.isdisjoint(words("tables")) and (several or any(not path.endswith("/") for path in paths))


def tells_of(line: LexedWords) -> bool:
    """Say whether what looks like a command is what something did: "Undo saved me", "Delete failed"."""
    second = line.plain(1)
    past = second in irregular_verbs() or (second.endswith("ed") and len(second) > 4)
    return len(line) > 1 and line.is_verb(0) and past and not line.has(1, "prepositions")


def tells_habit(line: LexedWords) -> bool:
    """Say whether a sentence tells what somebody else used to do, one thing after the other.

    "A nightly job would fetch the rates, write them to rates.csv and mail the treasurer."
    """
    for place in range(1, len(line) - 1):
        verb = place + 1 if line.plain(place) == "would" else place + 2 if line.plain(place) == "used" else 0
        told_of = line.plain(place - 1) in ("he", "she", "they") or not is_closed(line.plain(place - 1))
        if verb and told_of and line.is_verb(verb):
            return True
    return False


def doubts(clause: Clause) -> bool:
    """Say whether a question is about what was asked for before it: "Is that safe?", "What could go wrong?"."""
    said = [token for token in clause.tokens if token.kind == "word" and token.plain not in words("openers")]
    return pattern("doubts").match(shape_of(said)) is not None


ENOUGH = 0.5
# A verb whose work cannot be taken back has to be said, or be as good as said.
SURE = 0.75
_MOST = 5
# How much a noun of work says, and a form of a verb.
_NOUN = 0.4
_FORMS = {"base": 0.4, "gerund": 0.3, "third": 0.15, "past": 0.15}
_DENYING = frozenset(("no", "without", "zero", "fewer"))


def guesses(sentences: Sequence[Sentence], tokens: Sequence[Token]) -> tuple[Guess, ...]:
    """Return the likeliest verbs, best first: each hint leaves less doubt, and no hint counts twice."""
    doubt: dict[str, float] = {}
    seen: set[tuple[str, str]] = set()
    for sentence in sentences:
        if sentence.line.plain(0) in ("he", "she", "they") or sentence.line.phrase(0, "own"):
            continue
        for verb, phrase, weight in _hints(sentence.line, tokens):
            if (verb, phrase) not in seen:
                seen.add((verb, phrase))
                doubt[verb] = doubt.get(verb, 1.0) * (1 - weight)
    ranked = sorted((Guess(verb, round(1 - left, 2)) for verb, left in doubt.items()), key=lambda g: (-g.odds, g.verb))
    return tuple(ranked[:_MOST])


def _hints(line: LexedWords, tokens: Sequence[Token]) -> Iterator[tuple[str, str, float]]:
    lexicon = line.lexicon
    places = dict.fromkeys(word.at for word in line)
    plain = [tokens[at].plain if tokens[at].kind == "word" else "" for at in places]
    said = 0
    for place, word in enumerate(plain):
        if not word or place < said or _DENYING & set(plain[max(0, place - 2) : place]):
            continue
        if word in lexicon.nouns:
            yield lexicon.nouns[word], word, _NOUN
        for hint in lexicon.hints.get(word, ()):
            if tuple(plain[place + 1 : place + 1 + len(hint.rest)]) == hint.rest:
                said = max(said, place + 1 + len(hint.rest))
                yield hint.verb, " ".join((word, *hint.rest)), hint.weight
        if word not in lexicon.nouns:
            single = (entry for entry in lexicon.entries.get(word, ()) if not entry.rest)
            yield from ((entry.verb, entry.verb, _FORMS[entry.form]) for entry in single)


def question(subject: str, ranked: Sequence[Guess], unknown: str) -> str:
    """Return what to ask back: it names what was understood and gives examples to choose from."""
    thing = (subject if len(subject) <= 60 else subject[:57].rstrip() + "...") or "it"
    likely = [guess.verb.replace("_", " ") for guess in ranked[:3]] or ["explain", "fix", "test"]
    examples = ", ".join(f"{verb} {thing}" for verb in likely)
    if unknown:
        return f"What should be done? No rule knows the verb {unknown!r}. For example: {examples}."
    about = f" with {thing!r}" if subject else ""
    return f"What should be done{about}? For example: {examples}."
