"""Account for every word and every name of a step: told by the capability, or something that is given to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from mayfly.language import Token
from mayfly.promise._fit_offer import Offer, Slot
from mayfly.promise._fit_parts import Part, Step
from mayfly.promise._words import base, words

_PLACES = frozenset(("of", "in", "from", "under", "within", "inside", "below", "at", "on"))
_AIMS = frozenset(("to", "into", "as"))
_ANY_ONE = frozenset(("a", "an", "one", "any"))
_MEANS = frozenset(("with", "by", "using"))
_FILE_NAME = re.compile(r"[^\n]*\.[A-Za-z]\w{0,5}|[^\s/]+/[^\n]*")


class Taken:
    """Go through the parts of a step, and keep what is said and which places of the capability are filled."""

    def __init__(self, offer: Offer, step: Step) -> None:
        self._offer = offer
        self._free = list(offer.slots)
        # Whoever moves or copies has to be told where to, even when the description does not say so.
        aimed = any(slot.lead in _AIMS for slot in offer.slots)
        self._moving = not aimed and bool(step.operations & words("words", "moving"))
        self._verb = step.verb
        self._target = False
        self.heads: list[str] = []
        self.said: set[str] = set()
        self.plural = False
        self.any_one = False
        self.in_head = False

    def take(self, part: Part) -> bool:
        """Say whether all of a part is accounted for."""
        kept, given = self._given_words(part)
        for word in kept:
            free = words("words", "pointing") if part.lead in _AIMS else words("words", "generic")
            if word in free or word in words("words", "several"):
                continue
            if word in words("words", "entire") and part.plain[-1:] == (base(part.plain[-1]),):
                continue
            if base(word) not in self._offer.told and not self._is_plain_target(part, word):
                return False
            self.said.add(base(word))
        if part.lead == "":
            self._see_head(part, kept)
        return all(map(self._place, *self._given(part, given))) if part.names or given else True

    def _see_head(self, part: Part, kept: list[str]) -> None:
        named = set(part.after) if part.names else set()
        nouns = [word for word in kept if word not in words("words", "generic")]
        nouns = [word for word in nouns if word not in words("words", "several") | words("words", "entire")]
        nouns += [token.text.lower() for token in part.names if token.text.lower() in self._offer.told]
        # "The JSON file a.json" is JSON, and where it is; "the file a.txt" is a file.
        while len(nouns) > 1 and nouns[-1] in named and base(nouns[-1]) not in self._offer.heads:
            nouns.pop()
        self.heads = [base(word) if word.isalpha() else word for word in nouns]
        self.plural = bool(nouns) and nouns[-1] != base(nouns[-1])
        self.any_one = not self.plural and bool(_ANY_ONE & set(part.plain))

    def _given_words(self, part: Part) -> tuple[list[str], list[tuple[Token, str]]]:
        """Part the words from the one that is a name itself: "file x", "in src", "for Bern"."""
        kept = list(part.plain)
        last = part.tokens[-1] if part.tokens else None
        if last is None or last.kind != "word" or last in part.names or not kept:
            return kept, []
        before = kept[-2] if len(kept) > 1 else ""
        if base(last.plain) in self._offer.told and not self._is_called(before):
            return kept, []
        several = last.plain != base(last.plain) and part.lead not in _PLACES
        if last.plain in words("words", "generic") or (several and not self._is_called(before)):
            return kept, []
        if last.plain in words("words", "aspects") or last.plain in words("words", "several"):
            return kept, []
        if self._is_called(before) or (len(kept) == 1 and self._may_be_name(part, last)):
            return kept[:-1], [(last, before)]
        return kept, []

    def _is_called(self, before: str) -> bool:
        """Say whether a word names what is given, so that its name may follow: "file x", "key id"."""
        return before in words("words", "called") and any(base(before) in slot.nouns for slot in self._offer.slots)

    def _may_be_name(self, part: Part, word: Token) -> bool:
        """Say whether a word that stands alone can be a name here: of a directory, of what is sought or written."""
        nouns = frozenset[str]().union(*(slot.nouns for slot in self._offer.slots))
        if part.lead in _PLACES:
            return bool(nouns & words("kinds", "directory") or self._occurs(part)) or self._is_name_of(part, word)
        if part.lead == "":
            sought = self._verb in words("words", "searching") and bool(nouns & words("kinds", "sought"))
            return sought or (bool(nouns & words("kinds", "written")) and not word.plain.endswith(_made()))
        if part.lead in words("words", "naming"):
            return bool(nouns & words("kinds", "sought"))
        return self._is_name_of(part, word)

    def _occurs(self, part: Part) -> bool:
        return part.lead == "of" and self.heads[-1:] != [] and self.heads[-1] in words("words", "occurring")

    def _is_name_of(self, part: Part, word: Token) -> bool:
        return word.text[:1].isupper() and any(slot.lead == part.lead for slot in self._offer.slots)

    def _is_plain_target(self, part: Part, word: str) -> bool:
        """Say whether a target only names a plain value, where the capability does not say into what it converts."""
        aimed = any(slot.lead in _AIMS for slot in self._offer.slots)
        return part.lead in _AIMS and not aimed and base(word) in words("kinds", "number")

    def _given(self, part: Part, given: list[tuple[Token, str]]) -> tuple[list[Part], list[Token], list[str]]:
        names = [*zip(part.names, part.after, strict=True), *given]
        names = [pair for pair in names if pair[0].text.lower() not in self._offer.told]
        return [part] * len(names), [token for token, _ in names], [before for _, before in names]

    def _place(self, part: Part, name: Token, before: str) -> bool:
        """Put a name into the first free place that takes it."""
        if self._moving and part.lead in _AIMS and name.kind in ("path", "code", "quoted") and not self._target:
            self._target = True
            return True
        # What looks into files below a directory looks into one file as well.
        into = name.kind == "path" and "file" in self._offer.told
        searching = self._verb in words("words", "searching") or self._occurs(part)
        slot = next(
            (slot for slot in self._free if _takes(slot, part, name, before, searching=searching, into=into)), None
        )
        if slot is None:
            return False
        self._free.remove(slot)
        if slot.lead not in _AIMS and name.kind in ("path", "url", "code"):
            # A page from an address, or a file of a directory, is one thing and not two.
            kinds = frozenset[str]().union(*(words("kinds", kind) for kind in _kinds(name)))
            same = [other for other in self._free if other.lead not in _AIMS and other.nouns & kinds]
            self._free = [other for other in self._free if other not in same]
        self.in_head = self.in_head or part.lead == "" or not self._offer.slots[0].in_head
        return True


@cache
def _made() -> tuple[str, ...]:
    return tuple(words("words", "made"))


def _takes(slot: Slot, part: Part, name: Token, before: str, *, searching: bool, into: bool) -> bool:
    """Say whether a name can stand in a place: it is of that kind, or called so, and is led to in the same way."""
    called = bool(before) and base(before) in slot.nouns and before not in words("words", "pointing")
    if not _leads(slot, part, called=called):
        return False
    if (called and name.kind != "number") or base(before) in slot.nouns & words("kinds", "number"):
        return True
    if part.lead == "" and slot.lead and name.kind == "number":
        return bool(before) and before == base(before)
    kinds = _kinds_in(slot, part, name, searching=searching, into=into)
    return any(words("kinds", kind) & slot.nouns for kind in kinds) or _is_other(slot, part, name)


def _leads(slot: Slot, part: Part, *, called: bool) -> bool:
    """Say whether what stands after this word can be what the capability takes after its own."""
    if part.lead == "":
        return slot.in_head or called or bool(slot.nouns & words("kinds", "leading"))
    if part.lead in words("words", "naming"):
        return bool(slot.nouns & words("naming", part.lead))
    if part.lead == slot.lead or (part.lead in _MEANS and slot.lead in _MEANS):
        return True
    if slot.nouns & words("kinds", "sought") and slot.lead in _MEANS:
        return part.lead in ("for", "of", "with")
    if part.lead in _AIMS:
        return slot.lead in _AIMS
    if part.lead == "from":
        return slot.lead not in _AIMS
    return part.lead in _PLACES and slot.lead not in _MEANS


def _kinds_in(slot: Slot, part: Part, name: Token, *, searching: bool, into: bool) -> Iterator[str]:
    # A place for "one text file" is for a file, and not for a text.
    filed = name.kind == "quoted" and bool(slot.nouns & words("kinds", "path"))
    yield from (kind for kind in _kinds(name) if not (filed and kind == "quoted"))
    if name.kind == "word":
        yield from _word_kinds(slot, part, searching=searching)
    if name.kind == "code" and (slot.lead or searching):
        yield "sought"
    if into and part.lead in _PLACES and slot.lead:
        yield "directory"
    if name.kind == "quoted" and part.lead in _PLACES | _AIMS and slot.lead:
        yield "directory"
    if name.kind == "path" and slot.lead == "" and part.lead in ("in", "from"):
        yield "held"


def _word_kinds(slot: Slot, part: Part, *, searching: bool) -> Iterator[str]:
    """Yield what a plain word can be, by the preposition before it."""
    if part.lead not in _PLACES:
        yield from ("sought", "written")
    elif part.lead == "of" and searching:
        yield "sought"
    elif part.lead == slot.lead or part.lead not in ("of", "from"):
        yield "directory"


def _kinds(name: Token) -> Iterator[str]:
    """Yield what kinds of thing a name can be: a path, an address, a number, a text."""
    if name.plain in words("words", "literals"):
        yield "literal"
    elif name.kind == "path":
        yield from _path_kinds(name.text)
    elif name.kind == "quoted":
        yield "quoted"
        if _FILE_NAME.fullmatch(name.text):
            yield "path"
    elif name.kind == "code" and "/" in name.text:
        yield from ("path", "directory")
    elif name.kind == "url" and "@" in name.text and "://" not in name.text:
        yield "mailbox"
    elif name.kind in ("url", "number", "data"):
        yield name.kind


def _path_kinds(text: str) -> Iterator[str]:
    if text.endswith(("/", "\\")):
        yield "directory"
        return
    yield "path"
    last = re.split(r"[/\\]", text)[-1]
    if "." not in last:
        yield "directory"
    ending = last.rsplit(".", 1)[-1].lower()
    yield from (kind for kind in ("image", "audio", "video", "archive", "pdf") if ending in words("media", kind))


def _is_other(slot: Slot, part: Part, name: Token) -> bool:
    """Say whether a place that is for none of the known kinds takes a name after the very same word: "for Bern"."""
    if part.lead != slot.lead or not slot.lead or slot.nouns & words("kinds", "known"):
        return False
    return name.kind in ("number", "quoted") or (name.kind == "word" and name.text[:1].isupper())
