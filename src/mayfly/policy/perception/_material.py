"""Tell what was only pasted or reported from what is asked: by what leads up to it, and by where it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._verbs import phrase_at
from mayfly.policy.perception._words import words

_LOOK_BACK = 30
# A shorter quoted text is a word of the material rather than all of it.
_QUOTE = 12
_TITLE = 2
_BEGGING = frozenset(("can", "could", "would", "will", "can't", "won't", "wouldn't", "may", "any"))


def is_title(held: list[Token], lexicon: Lexicon) -> bool:
    """Say whether the words before material only name it: "Email from Bob:", "Commit message:"."""
    if len(held) == 1 or held[0].plain in words("letters"):
        return not lexicon.tells(held[0].plain)
    named = any(token.plain in words("determiners") or token.plain in words("given") for token in held)
    return held[0].plain in words("noun_or_verb") and len(held) == _TITLE and not named


def material_from(tokens: list[Token], position: int, held: list[Token], lexicon: Lexicon, several: bool) -> int:
    """Return where to read on if the token before *position* leads from the words held to material, else 0."""
    token = tokens[position - 1]
    if not held or token.kind not in ("line", "sign"):
        return 0
    if token.plain != ":":
        shows = _SHOWING.get(token.plain)
        shown = shows is not None and shows(tokens, position, held, lexicon)
        return _after_material(tokens, position, held, lexicon) if shown else 0
    told = _tells(held, lexicon, only=len(held) > 1 and not _at_line(tokens, position))
    if _introduces_material(held, lexicon) or (told and _has_verbs(tokens, position, lexicon)):
        return _after_quote(tokens, position) or _after_material(tokens, position, held, lexicon)
    return _after_speaker(tokens, position, held, lexicon, several)


def _after_speaker(tokens: list[Token], position: int, held: list[Token], lexicon: Lexicon, several: bool) -> int:
    """Return where to read on after the words of a speaker, "Bob: …", or after a mail, else 0."""
    name = held[0].plain
    if len(held) > 1 or held[0].kind not in ("word", "code"):
        return 0
    if name in words("headers"):
        return _after_material(tokens, position, held, lexicon)
    speaks = several and name not in words("labels") and not lexicon.is_base(name)
    return _after_line(tokens, position) if speaks or name in words("speakers") else 0


def _pasted_below(tokens: list[Token], position: int, held: list[Token], lexicon: Lexicon) -> bool:
    """Say whether a line ends with what was pasted under it: "Summarize this log"."""
    return len(held) > 1 and held[-2].plain in words("given") and held[-1].plain in words("pasted")


def _shown_below(tokens: list[Token], position: int, held: list[Token], lexicon: Lexicon) -> bool:
    """Say whether a sentence points to the lines under it: "Please read the message below."."""
    return _at_line(tokens, position) and bool({"below", "following"} & {other.plain for other in held[-3:]})


def _at_line(tokens: list[Token], position: int) -> bool:
    return position < len(tokens) and tokens[position].kind in ("line", "item", "data")


def _has_verbs(tokens: list[Token], position: int, lexicon: Lexicon) -> bool:
    """Say whether a verb stands in the rest of a line, or whether that is on the lines below."""
    if _at_line(tokens, position):
        return True
    return any(lexicon.is_base(token.plain) for token in tokens[position : _after_line(tokens, position)])


def _asks_about(tokens: list[Token], position: int, held: list[Token], lexicon: Lexicon) -> bool:
    """Say whether a question is about what stands in the lines below it: "What do you think of this plan?"."""
    plain = [token.plain for token in held[-_LOOK_BACK:]]
    if not _at_line(tokens, position) or not words("given") & set(plain) or words("doing") & set(plain[-3:]):
        return False
    asks = plain[0] in words("questions") or plain[0] in words("inverted") - _BEGGING
    texts = words("described") | words("material")
    return asks or (bool(texts & set(plain[-3:])) and any(lexicon.tells(word) for word in plain))


def _tells(held: list[Token], lexicon: Lexicon, *, only: bool = False) -> bool:
    """Say whether a clause begins with a verb of telling: what stands after it is told."""
    first = next((token.plain for token in held if token.plain not in words("openers")), "")
    return lexicon.tells(first, only=only) and not words("doing") & {token.plain for token in held}


def _after_quote(tokens: list[Token], position: int) -> int:
    """Return where to read on when the material is one quoted text that ends its sentence, else 0."""
    if position >= len(tokens) or tokens[position].kind != "quoted" or len(tokens[position].text) < _QUOTE:
        return 0
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    if following is None or tokens[position].text.rstrip().endswith((".", "!", "?")):
        return position + 1
    return position + 2 if following.kind == "line" or following.plain in (".", "!", "?") else 0


def _after_line(tokens: list[Token], position: int) -> int:
    while position < len(tokens) and tokens[position].kind != "line":
        position += 1
    return position


def _introduces_material(held: list[Token], lexicon: Lexicon) -> bool:
    """Say whether what stands before a colon names a text, or is a verb that wants one: "summarize this:"."""
    plain = [token.plain or token.text.lower() for token in held[-_LOOK_BACK:]]
    if words("doing") & set(plain) and not lexicon.tells(plain[0]):
        return False
    last = set(plain[-3:])
    if last & words("material"):
        return len(held) > 1 or not lexicon.is_base(plain[0]) or lexicon.tells(plain[0])
    if _names_text(held, plain) or _says(plain):
        return True
    if phrase_at(held, 0, "showing") and not words("wanted") & set(plain):
        return True
    if last & words("described") and any(lexicon.tells(word) for word in plain):
        return True
    return bool(last & words("given")) and any(lexicon.is_base(word) for word in plain)


def _names_text(held: list[Token], plain: list[str]) -> bool:
    """Say whether the words begin with a text: "Output of the tool", "the log of the run"."""
    named = held[0].plain in words("determiners")
    head = plain[1] if named and len(plain) > 1 else plain[0]
    return head in words("material") and (named or head not in words("noun_or_verb"))


def _says(plain: list[str]) -> bool:
    """Say whether the words end in what somebody did before he is quoted: "the attacker typed"."""
    told = len(plain) > 1 and plain[-1].endswith("ed") and "be" not in plain
    return told and plain[0] not in words("questions") | {"things", "tasks", "still", "not", "needed"}


def _after_material(tokens: list[Token], position: int, held: list[Token], lexicon: Lexicon) -> int:
    """Return where the request goes on after a text that was put here: in its last paragraph, if anywhere.

    A text may have many paragraphs and ask for things itself. What was written by somebody, or what the words before
    the colon already say what to do with, is over only where a question or a word like "then" shows it.
    """
    while position < len(tokens) and tokens[position].kind == "line":
        position += 1
    last = _last_paragraph(tokens, position)
    if last >= len(tokens):
        return _last_question(tokens, position)
    plain = {token.plain for token in held[-_LOOK_BACK:]}
    told = any(lexicon.is_base(word) for word in plain - words("material"))
    if told or plain & words("writings") or plain & words("headers"):
        shown = tokens[-1].plain == "?" or any(token.plain in words("resumes") for token in tokens[last : last + 12])
        return last if shown else len(tokens)
    return last


def _last_question(tokens: list[Token], position: int) -> int:
    """Return where a question begins that ends the text; "can you …?" may be asked by the material itself."""
    if tokens[-1].plain != "?":
        return len(tokens)
    start = len(tokens) - 1
    while start > position and not (tokens[start - 1].kind in ("line", "sign") and tokens[start - 1].plain in "\n.!?"):
        start -= 1
    first = tokens[start].plain.removesuffix("'s")
    asks = first in words("questions") or first in words("inverted") - _BEGGING
    return start if asks and start > position else len(tokens)


def _last_paragraph(tokens: list[Token], position: int) -> int:
    """Return where the last paragraph after *position* begins, or the end when there is but one."""
    stop = len(tokens)
    while stop > position and tokens[stop - 1].kind == "line":
        stop -= 1
    for place in range(stop - 1, position, -1):
        if tokens[place].kind == "line" and tokens[place - 1].kind == "line":
            return place + 1
    return len(tokens)


# What can lead to material beside a colon: the end of a line, of a sentence, of a question.
_SHOWING: Mapping[str, Callable[[list[Token], int, list[Token], Lexicon], bool]] = {
    "\n": _pasted_below,
    ".": _shown_below,
    "?": _asks_about,
}
