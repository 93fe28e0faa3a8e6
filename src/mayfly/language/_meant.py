"""Take power away from what only sounds like a request to change something: in doubt the weaker reading holds."""

from __future__ import annotations

import re
from typing import cast

from mayfly.language._lexicon import irregular_verbs, load_words
from mayfly.language._request import Clause
from mayfly.language._words import Line, is_closed, is_one_of, words

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


def told_by(clause: Clause, behind: Line) -> str:
    """Return the verb that answers where somebody wants to be told something and no file changed, "" elsewhere.

    "Write me a poem", "draft a mail to the team", "make a list of the modules", "update me on the build".
    """
    noun, to_me = _noun_of(clause), behind.plain(0) in _ME
    if _goes_into_file(clause) or not _only_tells(clause, behind, noun, to_me):
        return ""
    return behind.lexicon.nouns.get(noun) or behind.lexicon.question_verbs.get("?", "")


def _only_tells(clause: Clause, behind: Line, noun: str, to_me: bool) -> bool:
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


def _is_answer(noun: str, line: Line) -> bool:
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


def changed_by(clause: Clause, line: Line) -> str:
    """Return the verb of a change where the parts of a program are put into another shape, "" elsewhere.

    "Sort the imports in a.py", "turn the loops in b.js into calls"; of a file of data the same verbs only compute.
    """
    parts = clause.object is not None and not clause.object.names and clause.said.split()[0] in words("shaping")
    goes = any(phrase.names for phrase in clause.phrases if phrase.role == "destination")
    shapes = parts and not goes and "change" in line.lexicon.verbs
    return "change" if shapes and _lies_in_program(clause) else ""


def parted_by(clause: Clause, line: Line) -> str:
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


def judges(line: Line) -> bool:
    """Say whether a sentence is only a judgement: "Fantastic idea.", "Great plan"."""
    said = [line.plain(place) for place in range(len(line))]
    return (
        1 < len(said) < 5
        and said[-1] in words("judged") | {"plan", "move"}
        and bool(words("agreeing") & set(said) or _good() & set(said))
    )


def _good() -> frozenset[str]:
    return words("judged") | frozenset(cast("dict[str, str]", load_words("requests")["lists"])["good"].split())


def mocks(line: Line) -> bool:
    """Say whether somebody agrees and then judges what he seems to ask for: "Sure, drop prod, great plan"."""
    if line.plain(0) == "oh" and line.plain(1) in _good() | words("agreeing"):
        return True  # Nobody who means it begins with "Oh great".
    signs = [place for place in range(len(line)) if line.sign(place) == "," and place + 1 < len(line)]
    if len(signs) < 2 or not line.has(0, "agreeing"):
        return False
    last = signs[-1] + 1
    foretold = line.plain(last) in ("that", "this", "it") and line.plain(last + 1) in ("will", "would", "is")
    return foretold or line.plain(last) in _good() or line.has(last, "questions")


def wonders(line: Line, *, asked: bool) -> bool:
    """Say whether a sentence asks about somebody or something else, or what one would rather do; that asks for nothing.

    "Does pip uninstall also take out the dependencies?", "Would you rather refactor first?"; "could you fix it?" asks.
    """
    polite = any(line.plain(at) == "you" and line.plain(at + 1) in words("modals") for at in range(2, len(line)))
    if not asked or not line.has(0, "inverted") or polite:
        return False  # "Is there a way you could speed it up?" asks for it.
    if line.plain(1) != "you":
        return line.plain(1) not in (
            "we",
            "i",
            "it",
            "someone",
            "somebody",
            "anyone",
            "anybody",
            "not",
            "n't",
            "please",
        )
    return line.plain(2) in ("rather", "prefer", "ever", "recommend", "consider", "mind") and not (
        line.plain(2) == "mind" and line.plain(3).endswith("ing")
    )


def tells_of(line: Line) -> bool:
    """Say whether what looks like a command is what something did: "Undo saved me", "Delete failed"."""
    second = line.plain(1)
    past = second in irregular_verbs() or (second.endswith("ed") and len(second) > 4)
    return len(line) > 1 and line.is_verb(0) and past and not line.has(1, "prepositions")


def tells_habit(line: Line) -> bool:
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
    plain = [token.plain for token in clause.tokens if token.kind == "word" and token.plain not in words("openers")]
    if plain[:1] and plain[0] in words("questions") and plain[1:2] and plain[1] in words("modals"):
        return "you" not in plain
    judged = "it" in plain[1:2] and bool(words("judged") & set(plain))
    return plain[:1] != [] and plain[0] in words("inverted") and (judged or plain[1:2] in (["that"], ["this"]))
