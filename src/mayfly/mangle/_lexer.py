"""Cut a Mangle source into tokens, by one compiled pattern, the longest token first as the language demands.

Some tokens are longer than a reader expects, and the language means it so: `[-` and `<-` are temporal operators even in
`[-1]` and `X<-1`, a name constant swallows a dot (`X = /a.`), and `X:1` is one (useless) word.
"""

import re
from typing import Final

from mayfly.mangle._ast import Place
from mayfly.mangle._errors import MangleError

VARIABLE: Final = "VARIABLE"
NAME: Final = "NAME"
CONSTANT: Final = "CONSTANT"
NUMBER: Final = "NUMBER"
FLOAT: Final = "FLOAT"
STRING: Final = "STRING"
BYTES: Final = "BYTES"
TIMESTAMP: Final = "TIMESTAMP"
DURATION: Final = "DURATION"
DOT_TYPE: Final = "DOT_TYPE"
WORD: Final = "WORD"
END: Final = "END"
BAD: Final = "BAD"

QUOTES: Final = "\"'`"
UPPER_KEYWORDS: Final = ("Package", "Use", "Decl")
LOWER_KEYWORDS: Final = ("temporal", "descr", "inclusion", "now", "opt", "bound", "let", "do")
KEYWORDS: Final = frozenset(UPPER_KEYWORDS + LOWER_KEYWORDS)
COMPARISONS: Final = {"<": ":lt", "<=": ":le", ">": ":gt", ">=": ":ge"}

# Groups repeat greedily and not possessively: before Python 3.11.5 a possessive group keeps what its failed last turn
# took. Nothing is lost, because what follows each of them cannot fail.
_SPACE: Final = r"[ \t\r\n\f]*+(?:#[^\n]*+[ \t\r\n\f]*+)*"
_LETTER: Final = "[A-Za-z0-9:_]"
_REST: Final = rf"{_LETTER}*+(?:\.{_LETTER}++)*"
_PIECE: Final = r"/[A-Za-z0-9.\-_~%]++"
_EXPONENT = "(?:[eE][+-]?[0-9]++)?"
ESCAPE: Final = r"""\\(?:[nt"'\\\n]|x[0-9a-f]{2}|u\{[0-9a-f]{4,6}\})"""
_QUOTED = tuple(rf"{quote}[^\\{quote}]*+(?:{ESCAPE}[^\\{quote}]*+)*{quote}" for quote in QUOTES)

# In the order in which they are tried; None means that the text of the token is its kind. One first character a rule
# is what makes the pattern fast: the rules that cannot match are passed over by one comparison.
_RULES: Final[tuple[tuple[str | None, str], ...]] = (
    (None, r"[(),\]{}=@⟸]"),
    (VARIABLE, rf"[A-Z][A-Za-z0-9]*+(?![:_]|\.{_LETTER})"),
    (VARIABLE, "_"),
    *((BYTES, f"b{pattern}") for pattern in _QUOTED),
    (NAME, f"[a-z]{_REST}"),
    (NAME, f":[a-z]{_REST}"),
    (CONSTANT, rf"{_PIECE}(?:{_PIECE})*"),
    *((STRING, pattern) for pattern in _QUOTED),
    (TIMESTAMP, r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]++)?Z?)?"),
    (DURATION, "[0-9]++(?:ms|[dhms])"),
    (FLOAT, rf"-?[0-9]*+\.[0-9]++{_EXPONENT}"),
    (NUMBER, "-?[0-9]++"),
    (DOT_TYPE, rf"\.[A-Z]{_REST}"),
    (None, r"\.|:-|:|!=|!|<[-+=]?|>=?|\|>|\[[-+]?"),
    (WORD, f"[A-Z]{_REST}"),
    (END, r"\Z"),
    (BAD, rf"[^A-Za-z0-9_\s#(),\[\]{{}}=@⟸:!<>|./\-{QUOTES}]++|."),
)
_TOKEN: Final = re.compile(_SPACE + "(?:" + "|".join(f"({pattern})" for _, pattern in _RULES) + ")", re.DOTALL)
# A goal or a fact has no temporal operators, so there a printed `[-1]` can be the list it looks like.
_TIMELESS: Final = re.compile(_TOKEN.pattern.replace(r"\[[-+]?", r"\["), re.DOTALL)
_KINDS: Final = (None, *(kind for kind, _ in _RULES))
_WORDS: Final = (VARIABLE, NAME)


class Lexer:
    """Hold the current token of a text; `advance` goes to the next one."""

    __slots__ = (
        *("_line", "_line_start", "_next", "_next_line", "_pattern"),
        *("file", "kind", "source", "start", "suspect", "text"),
    )

    def __init__(self, source: str, file: str, *, temporal: bool = True) -> None:
        self.source = source
        self.file = file
        self._pattern = _TOKEN if temporal else _TIMELESS
        self._next = self._pattern.finditer(source).__next__
        self._line = 1
        self._line_start = 0
        self._next_line = self._find_line_end()
        self.kind = BAD
        self.text = ""
        self.start = 0
        self.suspect: Place | None = None
        """Where a string over several lines began, in the current clause: its end may be missing."""
        self.advance()

    def advance(self) -> None:
        """Make the next token the current one; the end stays the end."""
        if self.kind is END:
            return
        found = self._next()
        index = found.lastindex or 0
        self.text = text = found[index]
        kind = _KINDS[index]
        self.kind = text if kind is None or (kind in _WORDS and text in KEYWORDS) else kind
        self.start = start = found.start(index)
        if start >= self._next_line:
            self._turn()

    def skip_bad(self) -> None:
        """Go past a bad token; of a bad string, past its end: its content is not taken for rules."""
        quote = self.text
        if quote in QUOTES:
            whole = re.compile(rf"{quote}[^\\{quote}]*+(?:\\.[^\\{quote}]*+)*{quote}?", re.DOTALL)
            found = whole.match(self.source, self.start)
            end = found.end() if found else len(self.source)
            self._next = self._pattern.finditer(self.source, end).__next__
        self.advance()

    def stop(self) -> None:
        """Give up: the rest of the text is not looked at."""
        self.kind = END

    def place(self) -> Place:
        """Return where the current token begins."""
        return Place(self.file, self._line, self.start - self._line_start + 1)

    def begins_line(self) -> bool:
        """Say whether the current token is the first thing in the first column of its line."""
        return self.start == self._line_start

    def error(self, message: str, *, fix: str | None = None, place: Place | None = None) -> MangleError:
        """Return a parse error at the current token, or at *place*."""
        return MangleError(message, stage="parse", place=place or self.place(), fix=fix)

    def _turn(self) -> None:
        self._line += self.source.count("\n", self._line_start, self.start)
        self._line_start = self.source.rfind("\n", 0, self.start) + 1
        self._next_line = self._find_line_end()

    def _find_line_end(self) -> int:
        found = self.source.find("\n", self._line_start)
        return len(self.source) + 1 if found < 0 else found + 1
