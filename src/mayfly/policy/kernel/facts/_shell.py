"""The facts about what a target or payload would do as a command."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mayfly.core import host_of
from mayfly.mangle import Name, Row, Symbol
from mayfly.policy.kernel.facts._paths import Places, is_url
from mayfly.policy.kernel.facts._symbols import symbol
from mayfly.policy.kernel.facts._symbols import word as known
from mayfly.policy.kernel.shell import Call, Reading, Word, looks_only, programs

Fact = tuple[Symbol, Row]
MOST_WORDS: Final = 4000
LONGEST_DOCUMENT: Final = 1000


class ShellFacts:
    """Number the calls of one source and say of each what it is."""

    def __init__(self, id: str, source: str, places: Places) -> None:
        self._id = id
        self._source = known(source)
        self._located = places
        self._number = 0
        self._words = 0

    def of(self, reading: Reading) -> Iterator[Fact]:
        """Yield the facts of one text's calls."""
        for reason in reading.unclear:
            yield self._unclear(reason)
        for call in reading.calls:
            if self._words > MOST_WORDS:
                yield self._unclear("it is too long to be read")
                return
            yield from self._call(call)

    def _unclear(self, reason: str) -> Fact:
        return symbol("shell_unclear"), (self._id, self._source, reason)

    def _fact(self, name: str, *values: str | Name) -> Fact:
        return symbol(name), (self._id, self._source, self._number, *values)

    def _call(self, call: Call) -> Iterator[Fact]:
        self._number += 1
        self._words += len(call.words) + 1
        if call.program:
            yield self._fact("shell_call", call.program)
        for word in (*call.words[:MOST_WORDS], *call.reads):
            yield self._fact("shell_word", word.text)
        for flag in flags(call):
            yield self._fact("shell_flag", flag)
        for program in call.into:
            yield self._fact("shell_pipes_into", program)
        if any(word.computed for word in (*call.words, *call.reads)):
            yield self._fact("shell_computed")
        if looks_only(call.program, call.words):
            yield self._fact("shell_looks")
        for name in call.sets:
            yield self._fact("shell_sets", name)
        for document in call.documents:
            yield self._fact("shell_document", document.text[:LONGEST_DOCUMENT])
        yield from self._places(call)

    def surroundings(self, settings: Iterable[str], directories: Iterable[str]) -> Iterator[Fact]:
        """Yield the variables that all calls are given and where they run, as of a call number 0."""
        for name in settings:
            yield symbol("shell_sets"), (self._id, self._source, 0, name)
        for path in directories:
            located = self._located.locate(path)
            yield symbol("shell_path"), (self._id, self._source, 0, located.path, known(located.where))

    def _places(self, call: Call) -> Iterator[Fact]:
        for path in _unique([*call.writes, *_written(call)]):
            located = self._located.locate(path)
            yield self._fact("shell_writes", located.path, known(located.where))
        for path in _unique(_paths(call)):
            located = self._located.locate(path)
            yield self._fact("shell_path", located.path, known(located.where))
        for text in _unique(_addresses(call)):
            host = host_of(text)
            if host is not None:
                yield self._fact("shell_host", host.name, known(f"/{host.kind}"))


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))[:256]


def flags(call: Call) -> list[str]:
    """Return the flags of a call: each letter of `-rf`, the word of `--force`, shortened long options in full."""
    found: dict[str, None] = {}
    for word in call.words:
        text = word.plain
        if text == "--":
            break
        if text.startswith("--"):
            found |= dict.fromkeys(_long(call.program, text[2:].partition("=")[0]))
        elif text.startswith("-") and len(text) > 1:
            found |= dict.fromkeys([*text[1:65], text[1:].partition("=")[0]])
    return list(found)


def _long(program: str, flag: str) -> list[str]:
    known = programs().long.get(program, ())
    return [flag] if flag in known or not flag else [flag, *(name for name in known if name.startswith(flag))]


def _operands(words: Sequence[Word]) -> list[str]:
    operands: list[str] = []
    ended = False
    for word in words:
        if word.text == "--" and not ended:
            ended = True
        elif ended or not word.text.startswith("-") or word.text == "-":
            operands.append(word.text)
    return operands


def _written(call: Call) -> list[str]:
    """Return the paths that a program changes by what it is, not by redirection."""
    writers = programs().writers
    operands = _operands(call.words)
    if call.program in writers["all"] or call.program.startswith("mkfs."):
        return operands
    if call.program in writers["last"]:
        return operands[-1:]
    if call.program in writers["rest"]:
        return operands[1:]
    if call.program == "dd":
        return [word.text[3:] for word in call.words if word.text.startswith("of=")]
    if call.program == "sed" and any(flag in ("i", "in-place") for flag in flags(call)):
        return operands[1:] or operands
    return []


def _paths(call: Call) -> Iterator[str]:
    if "/" in call.path and not is_url(call.path):
        yield call.path
    yield from (word.text for word in call.reads)
    for word in call.words:
        for text in (word.text, word.text.partition("=")[2], word.text.partition("@")[2]):
            if text and not is_url(text) and (text.startswith(("/", "~", "./", "..")) or _joined(text)):
                yield text


def _joined(text: str) -> bool:
    return "/" in text and not text.startswith("-") and not any(char.isspace() for char in text)


def _addresses(call: Call) -> Iterator[str]:
    for word in call.words:
        text = word.plain
        if "://" in text:
            yield text[max(0, text.find("://") - 8) :].lstrip("'\"=( ") if "=" in text.partition("://")[0] else text
        elif call.program in programs().network and not text.startswith("-"):
            yield text
