"""Say how a clause begins: with a verb to obey, perhaps behind words that lead to it, with a refusal, or with neither.

The ways to lead to a verb are frames, and frames are data: see `words/requests.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple, cast

from mayfly.core import replace
from mayfly.language._heads import ClauseHead, HeadKind, Stretch, Verb, is_finite, verb_at, work_at
from mayfly.language._inflect import VerbForm
from mayfly.language._lexicon import load_words
from mayfly.language._verbs import PARTICLES
from mayfly.language._words import LexedWords, is_closed, words

FrameKind = Literal["command", "weak", "trying", "refusal", "passive", "hoped", "hope", "wished", "earlier"]
_LEADING: tuple[FrameKind, ...] = ("command", "weak", "trying", "refusal")
# No polite request goes through more frames than this: "could you please help me to …".
_MOST_FRAMES = 5
# So many words name a thing inside of a frame, and stand between commas behind one.
_LONGEST_THING, _LONGEST_ASIDE = 8, 16
_FORMS: dict[str, VerbForm] = {"V": "base", "Ving": "gerund", "Ved": "past"}


class FrameStep(NamedTuple):
    """One step of a frame: a choice of words, or a slot for a verb in some forms, a noun of work or a thing."""

    choices: frozenset[str]
    optional: bool
    slot: str


class Frame(NamedTuple):
    """One way to lead to a verb, and what it makes of it; *slot* is what it ends with."""

    kind: FrameKind
    steps: tuple[FrameStep, ...]
    slot: str


class Match(NamedTuple):
    """Where a frame was found to end, whether "not" stands in it, and the thing it names."""

    end: int
    negated: bool
    thing: Stretch


@cache
def _frames(kind: FrameKind) -> dict[str, tuple[Frame, ...]]:
    """Return the frames of a kind by each word they can begin with."""
    found: dict[str, tuple[Frame, ...]] = {}
    for text in cast("dict[str, list[str]]", load_words("requests")["frames"])[kind]:
        steps = tuple(_step(item) for item in text.split())
        first = next(place for place, step in enumerate(steps) if not step.optional)
        for word in frozenset().union(*(step.choices for step in steps[: first + 1])):
            found[word] = (*found.get(word, ()), Frame(kind, steps, steps[-1].slot))
    return found


def _step(item: str) -> FrameStep:
    optional, item = item.endswith("?"), item.rstrip("?")
    if item in ("N", "NP") or item.startswith("V"):
        return FrameStep(frozenset(), optional, item)
    lists = cast("dict[str, str]", load_words("requests")["lists"])
    choices = (lists.get(part[1:]) or " ".join(words(part[1:])) if part[0] == "@" else part for part in item.split("|"))
    return FrameStep(frozenset(" ".join(choices).split()), optional, "")


def frames_at(line: LexedWords, place: int, *kinds: FrameKind) -> Iterator[tuple[Frame, Match]]:
    """Yield the frames that stand here, each with every way in which it does."""
    for kind in kinds:
        for frame in _frames(kind).get(line.plain(place), ()):
            yield from ((frame, match) for match in _walk(line, place, frame.steps))


def _walk(
    line: LexedWords,
    here: int,
    steps: Sequence[FrameStep],
    negated: bool = False,
    thing: Stretch = (0, 0),
    first: bool = True,
) -> Iterator[Match]:
    there, denied = (here, negated) if first else _after_adverbs(line, here, negated)
    if not steps or (steps[0].slot and steps[0].slot != "NP"):
        yield Match(there, denied, thing)
        return
    step, rest = steps[0], steps[1:]
    if step.slot == "NP":
        for stop in range(there + 1, min(there + _LONGEST_THING, len(line)) + 1):
            # "Keep the rows where port is Oban" does not say that rows are to be kept as they are.
            related = stop - 1 > there and line.has(stop - 1, "relatives")
            if line.sign(stop - 1) or line.has(stop - 1, "conjunctions") or related:
                return
            yield from _walk(line, stop, rest, denied, (there, stop), first=False)
    elif line.plain(here) in step.choices:
        yield from _walk(line, here + 1, rest, negated, thing, first=False)
    elif line.plain(there) in step.choices:
        yield from _walk(line, there + 1, rest, denied, thing, first=False)
    if step.optional:
        yield from _walk(line, here, rest, negated, thing, first)


def _after_adverbs(line: LexedWords, here: int, negated: bool = False) -> tuple[int, bool]:
    """Return where adverbs and "not" end, and whether "not" stood among them."""
    while line.has(here, "adverbs") or line.plain(here) in ("not", "never"):
        negated = negated or line.plain(here) in ("not", "never")
        here += 1
    return here, negated


def skip_openers(line: LexedWords, place: int) -> tuple[int, bool]:
    """Return where the words that only lead up to a clause end, and whether one of them marks a new one."""
    marked = False
    while place < len(line):
        aside = line.phrase(place, "asides") or _order_at(line, place)
        to_do = line.plain(place) == "to" and line.plain(place - 1) == "please"
        opens = line.sign(place) or line.has(place, "openers") or to_do or line.words[place].plain == "@"
        if not aside and (not opens or (line.plain(place) == "instead" and line.plain(place + 1) == "of")):
            break
        marked = marked or line.has(place, "markers") or _order_at(line, place) > 0
        place += aside or 1
    return place, marked


def _order_at(line: LexedWords, place: int) -> int:
    """Return how many words here say only when something is done: "step two:", "after that", "once it is finished"."""
    if line.has(place, "steps") and line.sign(place + 2) in (":", ",", "."):
        return 3 if place + 2 < len(line) else 0
    if line.plain(place) == "after" and line.plain(place + 1) in ("that", "this", "which"):
        # "After that bug is fixed" and "after this call" speak of something else.
        alone = line.plain(place + 1) == "which" or bool(line.sign(place + 2)) or verb_at(line, place + 2) is not None
        return 2 if alone else 0
    here = place + 2
    if line.plain(place) not in ("when", "once", "after") or not line.has(place + 1, "pronouns", "subjects"):
        return 0
    while line.has(here, "auxiliaries"):
        here += 1
    return here + 1 - place if here > place + 2 and line.has(here, "over") else 0


def head_at(line: LexedWords, place: int) -> ClauseHead | None:
    """Say how the clause at *place* begins, behind words like "please" and "then"; None where nothing is asked for."""
    start, marked = skip_openers(line, place)
    found = _find(line, start, ("base",))
    if found is None and line.plain(start - 1) in ("only", "just", "please", "simply") and start > place:
        work = work_at(line, start)
        found = replace(work, framed=True) if work else None
    return replace(found, marked=marked) if found else None


def unknown_at(line: LexedWords, place: int) -> ClauseHead | None:
    """Return a verb that no rule knows where a clause begins like a command: "frobnicate the config"."""
    place = skip_openers(line, place)[0]
    word = line.plain(place)
    if word != "do" and (
        not word or is_closed(word) or is_finite(line, place) or word.endswith(("ed", "ing", "s", "ly"))
    ):
        return None
    word, end = _with_particle(line, place)
    if line.has(place, "results") and line.plain(end) == "into":
        # "result -> a.txt" has no verb and needs none.
        return ClauseHead(kind="unknown", place=place, end=place, verb=Verb("", "put"))
    after = end + (line.plain(end) in ("only", "just"))
    object_ = line.has(after, "determiners", "pronouns") and line.plain(after) not in _NO_OBJECT
    # "Put whatever it prints into a.txt": nobody asks a question with such a verb.
    object_ = object_ or (line.has(after, "free") and word in words("storing"))
    object_ = object_ or (line.plain(after) == "how" and line.plain(after + 1) in ("many", "much"))
    named = end < len(line) and line.words[end].kind in ("path", "url", "quoted")
    return ClauseHead(kind="unknown", place=place, end=end, verb=Verb("", word)) if object_ or named else None


def _with_particle(line: LexedWords, place: int) -> tuple[str, int]:
    """Return a verb with what belongs to it, and where that ends: "work out the sum", "jot down the date"."""
    word, end = line.plain(place), place + 1
    # "In" and "on" lead to a place instead.
    return (f"{word} {line.plain(end)}", end + 1) if line.plain(end) in PARTICLES - words("places") else (word, end)


_NO_OBJECT = frozenset(("no", "nothing", "you", "which", "what"))


def _find(line: LexedWords, here: int, forms: tuple[VerbForm, ...], depth: int = 0) -> ClauseHead | None:
    """Return the head with the frame that reaches furthest, else the verb that stands here itself."""
    here = _after_aside(line, here) if depth else here
    leading = _LEADING if "base" in forms and depth < _MOST_FRAMES else ()
    found = [
        head
        for frame, match in frames_at(line, here, *leading)
        if (frame.kind == "refusal" or match.negated or not _wonders(line, here, match.end))
        and (head := _head_of_frame(line, frame, match, depth))
    ]
    best = max(found, key=lambda head: (head.verb is not None and head.kind != "unknown", head.end), default=None)
    direct = _direct(line, here, forms)
    # "Get that sorted" is one verb to the rules, and not to have something sorted.
    known = best is not None and best.kind != "unknown"
    whole = direct is not None and direct.verb is not None and not direct.verb.plain and not direct.work[1]
    return best if known and not (best and direct and whole and direct.end >= best.end) else direct or best


def _wonders(line: LexedWords, start: int, stop: int) -> bool:
    """Say whether a frame asks what somebody would do, and wants nothing done: "would you ever edit …"."""
    return any(line.plain(place) == "ever" for place in range(start, stop))


def _head_of_frame(line: LexedWords, frame: Frame, match: Match, depth: int) -> ClauseHead | None:
    inner = head_behind(line, frame, match, depth)
    looking = line.lexicon.telling | line.lexicon.judging
    if inner is None or (frame.kind == "trying" and not (inner.verb and inner.verb.verb in looking)):
        return None
    refused = match.negated or "refusal" in (frame.kind, inner.kind)
    kind: HeadKind = "refusal" if refused else inner.kind
    if match.thing[1]:
        inner = replace(inner, means=match.thing) if frame.slot == "V" else replace(inner, gap=match.thing)
    return replace(inner, kind=kind, framed=True, weak=inner.weak or frame.kind == "weak")


def head_behind(line: LexedWords, frame: Frame, match: Match, depth: int = _MOST_FRAMES) -> ClauseHead | None:
    """Return what a frame leads to: a verb in the form it wants, a noun of work, or only that something is refused."""
    if frame.slot == "N":
        return work_at(line, match.end)
    if not frame.slot:
        return ClauseHead(kind="refusal", place=match.end, end=_after_aside(line, match.end))
    forms = tuple(_FORMS[form] for form in frame.slot.split("/"))
    if match.thing[1] and frame.slot == "Ved":
        return _caused_verb(line, match)
    inner = _find(line, match.end, forms, depth + 1)
    if inner or "base" not in forms or frame.kind not in ("command", "weak"):
        return inner
    here = _after_aside(line, match.end)
    word = line.plain(here)
    unknown = word and not is_closed(word) and not word.endswith(("ing", "ed"))
    word, end = _with_particle(line, here)
    return ClauseHead(kind="unknown", place=here, end=end, verb=Verb("", word)) if unknown else None


def _caused_verb(line: LexedWords, match: Match) -> ClauseHead | None:
    """Return the verb of what somebody is to have done to a thing: "get it tested", "I want the config validated".

    "Get the files changed yesterday" and "I need the rows deleted by Bob" only say which ones: a participle that goes
    on counts after "have", or where the thing is a pronoun, and nowhere else.
    """
    start, stop = match.thing
    head = verb_at(line, match.end, "past")
    if head is None or line.has(stop - 1, "articles"):
        return None
    pronoun = stop == start + 1 and line.has(start, "pronouns")
    loosely = pronoun or line.plain(start - 1) == "have"
    # "… raised from 5 to 30", "… appended to a.log" says what is to become of it.
    moved = line.plain(head.end) in ("from", "to") and head.end + 1 < len(line)
    loosely = loosely or (moved and line.words[head.end + 1].kind in ("number", "path"))
    over = line.ends(head.end) or line.has(head.end, "openers", "conjunctions") or line.phrase(head.end, "trailing")
    return head if over or (loosely and line.has(head.end, "prepositions", "subordinate", "adverbs")) else None


def _direct(line: LexedWords, here: int, forms: tuple[VerbForm, ...]) -> ClauseHead | None:
    head = next((head for form in forms if (head := verb_at(line, here, form))), None)
    if head is None or head.verb is None:
        return None
    if head.verb.base == "rm" and head.end < len(line) and line.words[head.end].plain == "-":
        return None  # "rm -rf build" was copied from a shell; who asks for it says so in words
    if line.plain(head.end) in ("nothing", "no"):
        return ClauseHead(kind="refusal", place=here, end=head.end)
    return None if head.verb.plain and "base" in forms and line.says("states", head.end, far=3) else head


def _after_aside(line: LexedWords, here: int) -> int:
    """Return where adverbs, and a clause put between commas, end: "could you please, before you go on, read …"."""
    here = _after_adverbs(line, here)[0]
    if line.sign(here) != "," or not line.has(here + 1, "subordinate", "prepositions"):
        return here
    inside = range(here + 2, min(here + _LONGEST_ASIDE, len(line)))
    return next((place + 1 for place in inside if line.sign(place) == ","), here)
