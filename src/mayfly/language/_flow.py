"""Say which clause takes what another one gives, and which only comes after another."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from mayfly.core import replace
from mayfly.language._inflect import bases
from mayfly.language._objects import points_back
from mayfly.language._request import Clause, RequestPhrase
from mayfly.language._tokens import Token
from mayfly.language._verbs import Lexicon
from mayfly.language._words import LexedWords, is_one_of, words, words_of

# "Duplicates", "duplicate rows": more words than these say what is meant by themselves.
_FEW = 2
_OWNED = frozenset(("its", "their", "this", "these", "that", "those"))


def with_flow(
    clauses: Sequence[Clause], later: Collection[int], tokens: Sequence[Token], lexicon: Lexicon
) -> tuple[Clause, ...]:
    """Return the clauses with what each needs of the earlier ones; *later* are those that are said to come after.

    What follows "then" comes after all that was joined before it: "review a.py and test b.py, then deploy".
    """
    articles = {token.start for before, token in pairwise(tokens) if before.plain == "the"}
    found = list(clauses)
    earlier: dict[int, Clause] = {}
    before, group = list[int](), list[int]()
    for place, clause in enumerate(clauses):
        if clause.kind == "question":
            found[place] = replace(clause, needs=tuple(_asked_about(clause.tokens, earlier, articles, lexicon)))
            earlier[place] = clause
        if clause.kind not in ("command", "unknown"):
            continue
        # Of two ways only one is gone, so that neither takes anything of the other.
        parted = clause.alternative or any(phrase.lead == "otherwise" for phrase in clause.conditions)
        known = dict(list(earlier.items())[: -1 if parted else None])
        if place in later:
            before, group = group or before, []
        shared = not clause.phrases or (bool(group) and not clauses[group[-1]].phrases)
        after = {*before, *group[-1:]} if shared and not parted else {*before}
        needs = tuple(_needs(clause, known, articles, lexicon))
        found[place] = replace(clause, needs=needs, after=tuple(sorted(after.difference(needs))))
        earlier[place] = clause
        group.append(place)
    return tuple(found)


def _needs(clause: Clause, before: Mapping[int, Clause], articles: set[int], lexicon: Lexicon) -> Sequence[int]:
    """Return the clauses whose results a clause works on: "hash it", "write the number to a.txt", "save to b.txt".

    A clause that names nothing of its own takes what the nearest one before it gives.
    """
    places, object_ = list(before), clause.object
    last = places[-1:]
    if not last or words("pointing") & set(clause.said.split()):
        return last
    if _depends(clause):
        return last
    if object_ is None:
        # "… are to be collected and then counted": who is only told what is done to it knows of what.
        passive = clause.tokens and all(token.plain not in clause.said.split() for token in clause.tokens)
        return last if clause.destination or stored_in(clause) or passive else ()
    first = object_.tokens[0]
    if _is_left_open(clause, object_, lexicon):
        return last
    # "Check that the sums match" asks, "save that figure" points.
    told = first.plain != "that" or (len(object_.tokens) > 1 and object_.tokens[1].plain in words("determiners"))
    if first.plain in words("asking") | {"if"} and told:
        return _asked_about(object_.tokens, before, articles, lexicon)
    if points_back(LexedWords(words_of(object_.tokens), lexicon)):
        return places[-2:] if first.plain == "both" else last
    if first.plain in _OWNED or (first.plain in ("each", "all") and len(object_.tokens) == 1):
        return last
    return _named_before(clause, object_, before, articles, lexicon)


def _named_before(
    clause: Clause, object_: RequestPhrase, before: Mapping[int, Clause], articles: set[int], lexicon: Lexicon
) -> Sequence[int]:
    """Return the clauses that gave what a noun stands for: "the sum", "the listing", "matches"."""
    last, aim = list(before)[-1:], stored_in(clause)
    others = [phrase for phrase in clause.phrases if phrase is not aim]
    elsewhere = any(phrase.names or phrase.role in ("place", "destination", "each") for phrase in others)
    given = before[last[0]].said in words("giving") | words("joining") and not elsewhere
    first = object_.tokens[0]
    if first.start not in articles or object_.names:
        # "Sort names.txt and remove duplicates": several of something, and nothing else to take them from.
        several = len(object_.tokens) <= _FEW and object_.tokens[-1].plain.endswith("s")
        return last if given and several and not object_.names else ()
    named = [place for place in before if _gives(before[place], clause.head, lexicon)]
    # Who only stores something has it from before, whatever it is called.
    put = aim is not None and not elsewhere and clause.said.partition(" ")[0] in words("storing") - words("wording")
    put = put and clause.said not in ("add", "list", "print")
    return named[-1:] or (last if given or put or is_one_of(clause.head, "results") else ())


def stored_in(clause: Clause) -> RequestPhrase | None:
    """Return the phrase with the file that a clause puts something into: "as a.csv", "in a.csv", "at the end of a"."""
    if clause.said.partition(" ")[0] not in words("storing"):
        return None
    aims = (one for one in clause.phrases if one.role == "destination" or one.lead in ("in", "on", "under"))
    return next((one for one in aims if any(token.kind in ("path", "quoted") for token in one.tokens)), None)


def _is_left_open(clause: Clause, object_: RequestPhrase, lexicon: Lexicon) -> bool:
    """Say whether an object is a clause that names nothing: "what is left", "how many there are", "what it prints"."""
    plain = [token.plain for token in object_.tokens]
    if object_.names or any(phrase.names for phrase in clause.phrases if phrase is not stored_in(clause)):
        return False
    first = plain[0].removesuffix("'s")
    if first in words("free") and (clause.verb not in lexicon.telling or clause.said in words("storing")):
        return not any(word in words("articles") for word in plain)
    counted = plain[:2] in (["how", "many"], ["how", "much"])
    return (
        counted
        and not any(phrase.role in ("place", "each") for phrase in clause.phrases)
        and not (any(word in words("articles") | words("prepositions") for word in plain))
    )


def _depends(clause: Clause) -> bool:
    """Say whether a clause hangs on the one before it: by "the broken ones", or by a condition that names nothing."""
    ones = any(token.plain in ("one", "ones") for phrase in clause.phrases for token in phrase.tokens[1:])
    # "… followed by it", "copy a.txt into it": also behind the object it is what came before.
    ones = ones or any(token.plain in ("it", "them") for phrase in clause.phrases[1:] for token in phrase.tokens)
    # "if there are more than 500" is about what was just counted; "otherwise" has been answered before.
    bound = any(not phrase.names and phrase.lead in ("if", "unless") for phrase in clause.conditions)
    return bound or ones


def _asked_about(
    said: Sequence[Token], before: Mapping[int, Clause], articles: set[int], lexicon: Lexicon
) -> Sequence[int]:
    """Return the clauses that a question inside of a clause is about: "tell me whether the two digests match"."""
    last = list(before)[-1:]
    for place, token in enumerate(said):
        if token.plain in ("it", "they", "them", "both"):
            return last
        # The noun stands a few words behind its article: "the first two digests".
        for noun in said[place : place + 4] if token.start in articles else ():
            named = [other for other in before if _gives(before[other], noun.plain, lexicon)] if noun.plain else []
            if named or is_one_of(noun.plain, "results"):
                return named[-1:] or last
    return ()


def _gives(clause: Clause, head: str, lexicon: Lexicon) -> bool:
    """Say whether a thing is what a clause gave: "sum … the sum", "review … the review", "list files … the files"."""
    noun = lexicon.nouns.get(head) or lexicon.products.get(head)
    known = bases(clause.head) | bases(clause.said) if head else frozenset()
    return bool(noun and noun == clause.verb) or not bases(head).isdisjoint(known)
