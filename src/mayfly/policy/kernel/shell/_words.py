"""Read one word of a POSIX shell or bash: quotes, escapes and expansions, the unknown told apart from the known."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Final

from mayfly.policy.kernel.shell._marks import (
    MEANING,
    QUOTED,
    SPLIT,
    clean,
    unknown,
)

STEPS: Final = 100_000
DEPTH: Final = 16
BLANKS: Final = " \t\r"
BREAKS: Final = frozenset(" \t\r\n|&;()<>")
_RUN: Final = re.compile(r"[^\s'\"\\$`|&;()<>{},*?\[]+")
_IN_DOUBLE: Final = re.compile(r"[^\"\\$`]+")
_IN_BODY: Final = re.compile(r"[^\\$`]+")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_DEFAULT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*]):?[-=](.*)", re.DOTALL)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_LETTERS: Final = {
    "a": "\a",
    "b": "\b",
    "e": "\033",
    "E": "\033",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_SHELL_SETS: Final = {"HOME": "~", "PWD": "."}


class TooMuch(Exception):
    """Stop reading: the text would take more steps than it may."""


class Work:
    """Count the steps of one reading over all its nested texts, and collect why it is not clear."""

    def __init__(self) -> None:
        self.steps = 0
        self.limit = STEPS
        self.reasons: dict[str, None] = {}
        self.substituted: set[str] = set()
        """The names whose values were taken for granted because they are assigned once."""

    def step(self, number: int = 1) -> None:
        """Count, and stop at the limit."""
        self.steps += number
        if self.steps > self.limit:
            raise TooMuch

    def unclear(self, reason: str) -> None:
        """Remember once that something could not be read."""
        if len(self.reasons) < 32:
            self.reasons[reason] = None


class Words(ABC):
    """A place in a text from which words are read; what `$(…)` and backquotes hold is handed to the script reader."""

    def __init__(self, text: str, work: Work, *, values: Mapping[str, str], depth: int) -> None:
        if "\0" in text:
            work.unclear("it holds a NUL character")
        self.text = clean(text.replace("\0", ""))
        self.at = 0
        self.work = work
        self.values = dict(values)
        self.depth = depth

    @abstractmethod
    def substitute(self, *, backquoted: str | None = None) -> None:
        """Read the commands of a substitution: up to the closing parenthesis, or of a text of its own."""

    @abstractmethod
    def look_inside(self, text: str) -> str:
        """Find the substitutions that an arithmetic or parameter expression holds; return the text marked."""

    def word(self) -> str:
        """Read to the end of the word, and return it marked."""
        out: list[str] = []
        while self.at < len(self.text):
            self.work.step()
            run = _RUN.match(self.text, self.at)
            if run:
                out.append(run[0])
                self.at = run.end()
                continue
            char = self.text[self.at]
            if char in BREAKS or char.isspace():
                if char in BREAKS:
                    break
                out.append(char)
                self.at += 1
                continue
            out.append(self._special(char))
        return "".join(out)

    def _special(self, char: str) -> str:
        if char == "'":
            return self._single()
        if char == '"':
            return QUOTED + self.double()
        if char == "\\":
            return self._backslash()
        if char == "$":
            return self._dollar(quoted=False)
        if char == "`":
            return self._backquote()
        self.at += 1
        return MEANING[char]

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            self.work.unclear("a quote is not closed")
            self.at += 1
            return "'"
        held = self.text[self.at + 1 : end]
        self.at = end + 1
        return QUOTED + held

    def double(self) -> str:
        """Read what stands between double quotes, or to the end of a text that has none (a here-document)."""
        out: list[str] = []
        self.at += 1
        while self.at < len(self.text):
            self.work.step()
            run = _IN_DOUBLE.match(self.text, self.at)
            if run:
                out.append(run[0])
                self.at = run.end()
                continue
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return "".join(out)
            out.append(self._in_double(char))
        self.work.unclear("a double quote is not closed")
        return "".join(out)

    def _in_double(self, char: str) -> str:
        if char == "$":
            return self._dollar(quoted=True)
        if char == "`":
            return self._backquote()
        follower = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if follower == "\n":
            return ""
        return follower if follower and follower in '$`"\\' else "\\" + follower

    def _backslash(self) -> str:
        follower = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        return "" if follower == "\n" else QUOTED + follower

    def _backquote(self) -> str:
        out: list[str] = []
        start = self.at
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != "`":
            self.work.step()
            if self.text[self.at] == "\\" and self.text[self.at + 1 : self.at + 2] in ("`", "\\", "$"):
                self.at += 1
            out.append(self.text[self.at])
            self.at += 1
        if self.at >= len(self.text):
            self.work.unclear("a backquote is not closed")
        self.at += 1
        self.substitute(backquoted="".join(out))
        return unknown(self.text[start : min(self.at, start + 200)])

    def _dollar(self, *, quoted: bool) -> str:
        start = self.at
        follower = self.text[start + 1 : start + 2]
        if follower == "(":
            return self._parenthesis(start)
        if follower == "{":
            return self._parameter(start, quoted=quoted)
        if follower == "[":
            self.at = self._balanced(start + 2, "[", "]")
            self.look_inside(self.text[start + 2 : self.at - 1])
            return unknown(self.text[start : self.at])
        if follower == "'" and not quoted:
            return self._ansi()
        if follower == '"' and not quoted:
            self.at += 1
            return QUOTED + self.double()
        name = _NAME.match(self.text, start + 1)
        if name is None:
            self.at += 1
            return "$"
        self.at = name.end()
        return self._value(name[0], self.text[start : self.at], quoted=quoted)

    def _value(self, name: str, written: str, *, quoted: bool) -> str:
        if name == "IFS":
            return " " if quoted else SPLIT
        if name in _SHELL_SETS:
            return _SHELL_SETS[name]
        value = self.values.get(name)
        if value is None:
            return unknown(written)
        self.work.substituted.add(name)
        if quoted and name not in ("@", "*"):
            return value
        return SPLIT.join(value.split())

    def _parenthesis(self, start: int) -> str:
        if self.text.startswith("$((", start):
            end = self._balanced(start + 2, "(", ")")
            if self.text[end - 2 : end] == "))":
                self.at = end
                self.look_inside(self.text[start + 3 : end - 2])
                return unknown(self.text[start:end][:200])
        self.at = start + 2
        self.substitute()
        return unknown(self.text[start : min(self.at, start + 200)])

    def _parameter(self, start: int, *, quoted: bool) -> str:
        """Read `${…}`; a default (`${x:-rm}`) counts as the value of a name that is not known."""
        end = self._balanced(start + 2, "{", "}")
        inner, written = self.text[start + 2 : end - 1], self.text[start:end]
        self.at = end
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]", inner):
            return self._value(inner, written, quoted=quoted)
        self.look_inside(inner)
        given = _DEFAULT.fullmatch(inner)
        if given and given[1] not in self.values:
            return unknown("") + self._nested_word(given[2])
        return SPLIT if inner.startswith("IFS") and not quoted else unknown(written[:200])

    def _nested_word(self, text: str) -> str:
        if any(char in text for char in "$`"):
            return unknown(text[:200])
        return SPLIT.join(re.sub(r"[\"'\\]", "", text).split())

    def body(self) -> str:
        """Read to the end a text in which quotes mean nothing, such as a here-document, and return it marked."""
        out: list[str] = []
        while self.at < len(self.text):
            self.work.step()
            run = _IN_BODY.match(self.text, self.at)
            if run:
                out.append(run[0])
                self.at = run.end()
            elif self.text.startswith('\\"', self.at):
                out.append('\\"')
                self.at += 2
            else:
                out.append(self._in_double(self.text[self.at]))
        return "".join(out)

    def _balanced(self, start: int, opener: str, closer: str) -> int:
        """Return where the bracket opened before *start* ends, quotes and escapes skipped."""
        depth, at = 1, start
        while at < len(self.text):
            self.work.step()
            char = self.text[at]
            if char == "\\":
                at += 1
            elif char == "'" and opener == "(":
                at = max(self.text.find("'", at + 1), at)
            elif char == opener:
                depth += 1
            elif char == closer:
                depth -= 1
                if depth == 0:
                    return at + 1
            at += 1
        self.work.unclear(f"a bracket {opener} is not closed")
        return len(self.text)

    def _ansi(self) -> str:
        end = self.at + 2
        while end < len(self.text) and self.text[end] != "'":
            self.work.step()
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            self.work.unclear("a quote is not closed")
        held = self.text[self.at + 2 : end]
        self.at = end + 1
        return QUOTED + clean(_ESCAPE.sub(_unescape, held).split("\0")[0])


def _unescape(found: re.Match[str]) -> str:
    digits = next((found[group] for group in (1, 2, 3) if found[group]), None)
    if digits is not None:
        code = int(digits, 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    if found[4]:
        return chr(int(found[4], 8) & 0xFF)
    if found[5]:
        return chr(ord(found[5].upper()) & 0x1F)
    return _LETTERS.get(found[6], found[6] if found[6] in "\\'\"?" else "\\" + found[6])
