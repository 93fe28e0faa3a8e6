"""Cut a request into words, names of things (paths, addresses, code, numbers, quoted text) and signs.

Only a plain word can ever be a verb. Everything a program or a person wrote elsewhere and put here (quotes, code, log
lines) is one piece of material.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from mayfly.language._lexicon import word_set
from mayfly.language._moments import read_clock, read_moment

TokenKind = Literal[
    "word", "path", "url", "quoted", "code", "number", "moment", "clock", "address", "data", "sign", "line", "item"
]
# What names a thing by its own writing and can never be a verb.
NAMES: frozenset[TokenKind] = frozenset(
    ("path", "url", "quoted", "code", "number", "moment", "clock", "address", "data")
)

_PIECE = re.compile(
    r"(?P<data>```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z))"
    r"|(?P<quoted>`[^`\n]+`|\"[^\"]+\"|“[^“”]+”|«[^«»]+»|‘[^‘’\n]+’(?!\w)|(?<!\w)'[^'\n]+'(?!\w))"
    r"|(?P<line>\n[ \t\r]*(?:\n\s*(?=\n))?)"
    r"|(?P<dash>[—–;…])"
    r"|(?P<chunk>[^\s\"“”«»`—–;…]+)"
    r"|(?P<other>\S)",
    re.DOTALL,
)
# A line of a log, a trace, a shell session, a difference or a quoted mail: material, whatever it says.
_DATA_LINE = re.compile(
    r"[ \t]*(?:>|\[?\d{4}[-/]\d\d[-/]\d\d[T \]]|\[?\d\d:\d\d:\d\d|\$ |>>> |Traceback \(|File \"|at [\w.$<>]+\("
    r"|@@ |\+\+\+ |--- [ab]/|diff --git|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|CRITICAL|TRACE)\b(?=[\]: ])"
    r"|\w*(?:Error|Exception): |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d{1,3}(?:\.\d{1,3}){3} - "
    r"|import [\w.]+(?: as \w|;)|from [\w.]+ import |#include|(?:def|class|func|fn) \w+[(:]|function \w*\("
    r"|(?:const|let|var) \w+ = |(?:public|private|static) (?:static |final )*(?:void|int|class|String|async)\b"
    r"|\[?\d\d?:\d\d\]? +[\w.@-]+: |commit [0-9a-f]{7,40}\b|(?:Author|Committer|Merge|Date): |//|/\*|\*/|<!--"
    r"|#+ ?(?:TODO|FIXME|XXX|HACK)\b"
    r"|SELECT [^\n]* FROM |INSERT INTO |DELETE FROM |UPDATE \w+ SET "
    r"|(?:CREATE|DROP|ALTER|TRUNCATE) (?:TABLE|INDEX|VIEW|DATABASE) )[^\n]*"
)
_ITEM = re.compile(r"(?:\(?\d{1,3}[.)]|\(?[a-zA-Z]\)|[-*+•·▪◦]|\[[ xX]?\]|#{1,6}|(?i:step) \d{1,3}[.:)]?)(?:[ \t]+|$)")
_OPENING, _CLOSING = "([{<¿¡*'’‘", ".,:!?)]}>*'’‘"
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://\S+|www\.\S+|\S+@\S+\.\w+")
# A number as it is written: sign, currency, digits with separators, a fraction, and what it counts.
_AMOUNT = re.compile(
    r"(?P<before>[-+#]?[$€£¥]?)(?P<digits>\d{1,3}(?:,\d{3})+|\d[\d_]*)(?P<fraction>\.\d+)?(?:[eE](?P<power>\d{1,3}))?"
    r"(?P<unit>%|[$€£¥]|[a-zA-Zµ]{0,12})"
)
_NUMBER = re.compile(r"[-+$€£#]?\d[\d.,:_/-]*(?:%|[a-zA-Z]{0,3})")
_ADDRESS = re.compile(
    r"(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2}|:\d{1,5})?|(?=[^\s]*:[^\s]*:)(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:/\d{1,3})?"
)
_WORKING = frozenset(("*", "+", "/", "×", "÷"))
_COMPARISONS = frozenset((">=", "<=", "!=", "<>", "==", "=>", "=<", "=", "<", ">"))
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_LINE = re.compile(r"[^\n]+")
_INDENT = 4
_DIFFERENCE = ("diff ", "@@", "+", "-")
# A text between a line that says BEGIN and one that says END.
_BLOCKS = ("BEGIN", "START", "-----BEGIN", "=== BEGIN", "--- BEGIN", "### BEGIN", "=====BEGIN")
_END = re.compile(r"\n[-=# ]*END\b[^\n]*")
_TAG = re.compile(r"<([a-zA-Z][\w:.-]{0,40})(?=[\s>]|$)")
_SHORT = {"&": "and", "w/o": "without", "w/": "with", "b/c": "because"}
_FILE = re.compile(r"[\w.@+~*-]*\.(\w{1,10})")


class Token(NamedTuple):
    """One piece of the text: *plain* is the word in small letters, *start* and *end* where it stands.

    *value* is what a number (int or float), a moment (the spans it can mean) or a clock (seconds of the day) stands
    for; *unit* is what is written behind a number, or its currency.
    """

    kind: TokenKind
    text: str
    plain: str
    start: int
    end: int
    value: object = None
    unit: str = ""


def tokens(text: str) -> list[Token]:
    """Return the pieces of *text* in order, in time linear in its length."""
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    position, fresh = 0, True
    closing: dict[str, int] = {}
    differing = False
    while position < len(text):
        if fresh:
            fresh = False
            data = _closed(text, position, closing) if text.startswith(_BLOCKS, position) else None
            data = data or _DATA_LINE.match(text, position) or _continued(text, position, differing)
            differing = bool(data) and text.startswith(_DIFFERENCE, position)
            if data:
                yield Token("data", text[position : data.end()], "", position, data.end())
                position = data.end()
                continue
            item = _ITEM.match(text, position)
            if item:
                yield Token("item", item[0], "", position, item.end())
                position = item.end()
        for found in _PIECE.finditer(text, position):
            kind, position = found.lastgroup, found.end()
            inside = _tagged(text, found, closing) if kind == "chunk" else 0
            if inside:
                yield Token("data", text[found.start() : inside], "", found.start(), inside)
                position = inside
                break
            if kind == "chunk":
                yield from _chunk(found[0], found.start())
            elif kind == "quoted":
                yield Token("quoted", found[0][1:-1], "", found.start(), position)
            elif kind == "data":
                yield Token("data", found[0], "", found.start(), position)
            elif kind == "line":
                yield Token("line", "\n", "\n", found.start(), position)
                fresh = True
                break
            else:
                sign = {"—": ",", "–": ",", "…": "."}.get(found[0], found[0])
                yield Token("sign", found[0], sign, found.start(), position)
        else:
            return


def _continued(text: str, position: int, differing: bool) -> re.Match[str] | None:
    """Return a line of a difference, or one that is indented as code is: far, and after an empty line."""
    start = text.rfind("\n", 0, position) + 1
    indented = start > 0 and (position - start >= _INDENT or "\t" in text[start:position])
    if indented and not text[text.rfind("\n", 0, start - 1) + 1 : start].strip() and not _ITEM.match(text, position):
        return _LINE.match(text, position)
    return _LINE.match(text, position) if differing and text.startswith(("+", "-"), position) else None


def _closed(text: str, position: int, closing: dict[str, int]) -> re.Match[str] | None:
    """Return the line that ends a block which begins here; that there is none is looked for only once."""
    found = _END.search(text, position) if "END" not in closing else None
    if found is None:
        closing["END"] = -1
    return found


def _tagged(text: str, found: re.Match[str], closing: dict[str, int]) -> int:
    """Return where a text between tags ends that begins here, `<log>…</log>`, else 0."""
    tag = _TAG.match(found[0])
    if tag is None:
        return 0
    ending = f"</{tag[1]}>"
    last = closing.get(ending)
    if last is None:
        last = closing[ending] = text.rfind(ending)
    return text.index(ending, found.start()) + len(ending) if last > found.start() else 0


def _chunk(chunk: str, start: int) -> Iterator[Token]:
    """Yield what is between two spaces: the signs before it, the thing, the signs after it."""
    if chunk.isalpha() and (chunk.islower() or chunk.istitle()) and chunk.lower() not in word_set("file_names"):
        yield Token("word", chunk, chunk.lower(), start, start + len(chunk))
        return
    if chunk in _COMPARISONS or chunk in _WORKING:
        yield Token("sign", chunk, chunk, start, start + len(chunk))
        return
    core = chunk.lstrip(_OPENING)
    left = len(chunk) - len(core)
    right = len(chunk)
    core = core.rstrip(_CLOSING)
    for closing in chunk[left + len(core) : right]:
        if closing not in _PAIRS or _PAIRS[closing] not in core:
            break
        core += closing
    if any(sign in "([{" for sign in chunk[:left]):
        yield Token("sign", chunk[left - 1], "(", start, start + left)
    if core:
        yield from _core(core, start + left)
    for offset in range(left + len(core), min(right, left + len(core) + 4)):
        if chunk[offset] in ".,:!?)":
            yield Token("sign", chunk[offset], chunk[offset], start + offset, start + offset + 1)


def _core(core: str, start: int) -> Iterator[Token]:
    end = start + len(core)
    if core.lower() in _SHORT:
        yield Token("word", core, _SHORT[core.lower()], start, end)
    elif "," in core and all(part.isalpha() for part in core.split(",") if part) and core.count(",") < 50:
        yield from _listed(core, start)
    elif core in _COMPARISONS:
        yield Token("sign", core, core, start, end)
    elif _URL.fullmatch(core):
        yield Token("url", core, "", start, end)
    elif core[0].isdigit() or core[0] in "-+$€£¥#:":
        yield _read_number(core, start)
    elif _is_path(core):
        yield Token("path", core, "", start, end)
    elif _WORD.fullmatch(core) and not _HUMP.search(core):
        yield Token("word", core, core.lower().replace("’", "'"), start, end)
    else:
        yield Token("code" if core.strip("-=*#|.+~_") else "sign", core, "" if core.strip("-") else ",", start, end)


def _read_number(core: str, start: int) -> Token:
    """Return what begins like a number: an address, a date, a time of day, an amount, or else a name with digits."""
    end = start + len(core)
    if _ADDRESS.fullmatch(core):
        return Token("address", core, "", start, end, core)
    if spans := read_moment(core):
        return Token("moment", core, "", start, end, spans)
    if (clock := read_clock(core)) is not None:
        return Token("clock", core, "", start, end, clock)
    if (amount := _AMOUNT.fullmatch(core)) and len(amount["digits"]) < 40:
        return Token("number", core, "", start, end, _amount(amount), amount["unit"] or amount["before"].lstrip("-+#"))
    if _NUMBER.fullmatch(core):
        return Token("number", core, "", start, end)
    if _is_path(core):
        return Token("path", core, "", start, end)
    return Token("code" if core.strip("-=*#|.+~_") else "sign", core, "" if core.strip("-") else ",", start, end)


def _amount(found: re.Match[str]) -> int | float:
    digits = found["digits"].replace(",", "").replace("_", "")
    sign = -1 if found["before"].startswith("-") else 1
    if found["fraction"] or found["power"]:
        return sign * float(f"{digits}{found['fraction'] or ''}e{found['power'] or 0}")
    return sign * int(digits)


def _listed(core: str, start: int) -> Iterator[Token]:
    """Yield the words of "this,that" that somebody wrote without spaces."""
    for found in re.finditer(r"[^,]+|,", core):
        kind: TokenKind = "sign" if found[0] == "," else "word"
        yield Token(kind, found[0], found[0].lower(), start + found.start(), start + found.end())


def _is_path(core: str) -> bool:
    if core.lower() in word_set("file_names"):
        return True
    if core.startswith(("/", "./", "../", "~/", "\\\\")) or core[1:3] == ":\\":
        return len(core) > 1
    parts = core.split("/")
    if len(parts) > 2 or (len(parts) == 2 and (not parts[1] or "." in core or "*" in core or "_" in core)):
        return "(" not in core and "=" not in core
    name = _FILE.fullmatch(parts[-1])
    return name is not None and (name[1].lower() in word_set("extensions") or core.startswith("."))
