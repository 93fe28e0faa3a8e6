"""What a command prints, made fit for reading: no escape sequences, the last state of progress bars, a bounded size."""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable

from mayfly.core import CONTROL

# CSI, OSC and the other strings (DCS, SOS, PM, APC), and two-character sequences, as ECMA-48 has them.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|[\x1b][\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]"
)
# An unfinished line longer than this is shown in parts: a program that never ends one must not fill the memory.
_LONGEST_LINE = 1 << 16
# The beginning of an escape sequence that may go on in what comes next.
_OPEN = re.compile(r"\x1b[^\x1b]{0,4096}$")


class Output:
    """Collect output as it comes: its head and its tail, and all of it to whoever wants to see it."""

    def __init__(self, most: int, show: Callable[[str], None] | None = None) -> None:
        self.whole = 0
        self._show = show
        self._head_room = most // 2
        self._tail_room = most - most // 2
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._left_out = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line = ""

    def feed(self, data: bytes) -> None:
        """Take what was printed."""
        self.whole += len(data)
        self._line += self._decoder.decode(data)
        lines, newline, rest = self._line.rpartition("\n")
        if newline:
            self._line = rest
            self._keep("".join(clean_line(line) + "\n" for line in lines.split("\n")))
        if len(self._line) > _LONGEST_LINE and not _OPEN.search(self._line):
            part, self._line = self._line, ""
            self._keep(clean_line(part))

    def finish(self) -> str:
        """Return what is kept."""
        self._line += self._decoder.decode(b"", final=True)
        if self._line:
            self._keep(clean_line(self._line))
            self._line = ""
        gap = f"\n... {self._left_out} characters left out ...\n" if self._left_out else ""
        return "".join(self._head) + gap + "".join(self._tail)

    def _keep(self, text: str) -> None:
        if self._show is not None and text:
            self._show(text)
        if self._head_room:
            self._head.append(text[: self._head_room])
            taken = len(self._head[-1])
            self._head_room -= taken
            text = text[taken:]
        if not text:
            return
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail_size > self._tail_room:
            first = self._tail[0]
            extra = min(len(first), self._tail_size - self._tail_room)
            self._tail_size -= extra
            self._left_out += extra
            if extra == len(first):
                self._tail.popleft()
            else:
                self._tail[0] = first[extra:]


def clean_line(line: str) -> str:
    """Return one line as a terminal would leave it, without what a terminal obeys."""
    if line.isprintable():
        return line
    line = _ESCAPES.sub("", line).rstrip("\r")
    if "\r" in line:
        line = _overwritten(line.split("\r"))
    if "\b" in line:
        line = _without_backspaces(line)
    return CONTROL.sub("", line)


def _overwritten(parts: list[str]) -> str:
    """Write each part over those before it, from the left, as a terminal does."""
    shown: list[str] = []
    for part in parts:
        shown[: len(part)] = part
    return "".join(shown)


def _without_backspaces(line: str) -> str:
    left: list[str] = []
    for character in line:
        if character != "\b":
            left.append(character)
        elif left:
            left.pop()
    return "".join(left)
