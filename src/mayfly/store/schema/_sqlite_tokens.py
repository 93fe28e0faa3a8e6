"""The words of a statement as SQLite's own tokenizer cuts them; what they mean, the engine says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<blob>[xX]'[0-9A-Fa-f]*')
    |(?P<text>'(?:[^']|'')*')
    |(?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    |(?P<number>0[xX][0-9A-Fa-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<word>[^\W\d][\w$]*)
    |(?P<value>\?\d*|[:@$#][\w$]+)
    |(?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One word, quoted name, text, number or sign, and where it begins and ends."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The word in capitals, as keywords are compared; nothing where it is quoted."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """What a name means, without its quotation marks."""
        if self.kind != "name":
            return self.text
        mark = self.text[-1]
        return self.text[1:-1] if mark == "]" else self.text[1:-1].replace(mark * 2, mark)


def tokens_of(sql: str) -> list[Token]:
    """Return what the statement is made of, without spaces and comments."""
    found = (Token(str(one.lastgroup), one[0], one.start(), one.end()) for one in _TOKEN.finditer(sql))
    return [token for token in found if token.kind != "space"]


def statements_of(sql: str) -> Iterator[str]:
    """Yield what stands between semicolons, as it is written, without a comment after its last word.

    The engine writes an added column into the schema as it stands: a comment at its end would hide the rest.
    """
    begin, end = 0, 0
    for token in tokens_of(sql):
        if token.text == ";" and token.kind == "sign":
            if end:
                yield sql[begin:end].strip()
            begin, end = token.end, 0
        else:
            end = token.end
    if end:
        yield sql[begin:end].strip()


def words_of(tokens: Sequence[Token], number: int) -> str:
    """Return the first words in small letters."""
    return " ".join(token.text.lower() for token in tokens[:number])


def with_names(sql: str) -> Iterator[str]:
    """Yield, in small letters, every name that a WITH could give to a query: it stands before AS and a bracket."""
    tokens = tokens_of(sql)
    for at, token in enumerate(tokens):
        if token.word != "AS" or at == 0:
            continue
        before = at - 1
        if tokens[before].text == ")":
            while before > 0 and tokens[before].text != "(":
                before -= 1
            before -= 1
        if before >= 0 and tokens[before].kind in ("word", "name"):
            yield tokens[before].name.lower()
