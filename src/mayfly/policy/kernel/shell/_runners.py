"""Programs that run others: what each of them is given to run, as a command line, as text or as code."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mayfly.policy.kernel.shell._code import Found, other_code, python_code
from mayfly.policy.kernel.shell._marks import Word, literal
from mayfly.policy.kernel.shell._programs import programs
from mayfly.policy.kernel.shell._script import Simple
from mayfly.policy.kernel.shell._words import Work

if TYPE_CHECKING:
    from mayfly.policy.kernel.shell._programs import Programs

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_FIND: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FILTERS: Final = frozenset({"awk", "gawk", "mawk", "nawk", "sed"})
_SPECIAL: Final = frozenset({"eval", "trap", "alias", "ssh", "find", "source", ".", *_FILTERS})
_LOGINS: Final = frozenset({"su", "sudo", "ssh", "doas", "chroot", "unshare", "nsenter", "newgrp", "runuser"})
_SSH_VALUES: Final = frozenset("-" + letter for letter in "bcDEeFIiJLlmOopQRSWw")


@dataclass(slots=True, kw_only=True, eq=False)
class Call:
    """One program with its arguments; `into` are the programs its output flows into."""

    program: str
    path: str
    words: tuple[Word, ...]
    reads: tuple[Word, ...] = ()
    writes: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    documents: tuple[Word, ...] = ()
    into: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True, eq=False)
class Origin:
    """Where a command came from: how deep, which commands hold it, and what its parameters are."""

    depth: int
    holders: tuple[Simple, ...] = ()
    values: dict[str, str] = field(default_factory=dict)


class Runners(ABC):
    """Know how each program that runs others is told what to run."""

    def __init__(self) -> None:
        self.known: Programs = programs()
        self.work = Work()
        self.programs: dict[int, list[str]] = {}
        """Which programs each command came to, by the command's identity."""
        self._reads: dict[int, str] = {}
        """Which commands take commands or code from their input, and in which language."""

    @abstractmethod
    def script(self, text: str, origin: Origin) -> None:
        """Read a text as a shell would."""

    @abstractmethod
    def arguments(self, words: Sequence[str], origin: Origin) -> None:
        """Read an argument list."""

    @abstractmethod
    def unfold(self, simple: Simple, words: Sequence[Word], origin: Origin, writes: tuple[str, ...] = ()) -> None:
        """Add a command and what it runs."""

    @abstractmethod
    def add(self, call: Call, simple: Simple, origin: Origin) -> None:
        """Keep one call."""

    def inner(self, name: str, words: tuple[Word, ...], simple: Simple, origin: Origin) -> Sequence[Word]:
        """Return the command that *name* runs with the rest of its words, having read those it is given as text."""
        self._carried(name, words, simple, origin)
        if name in self.known.shells:
            self._shell(name, words, simple, origin)
        elif interpreter(name) in self.known.code:
            self._interpreter(name, words, simple, origin)
        elif name in _SPECIAL:
            self._special(name, words, simple, origin)
        elif name in self.known.wrappers:
            return self._wrapped(name, words, simple, origin)
        elif name in _LOGINS:
            self._listens("sh", simple, origin)
        elif name not in self.known.plain:
            return self._suspected(words)
        return ()

    def _wrapped(self, name: str, words: tuple[Word, ...], simple: Simple, origin: Origin) -> Sequence[Word]:
        wrapper = self.known.wrappers[name]
        at = _past_options(words, wrapper.values)
        if wrapper.verbs and (at >= len(words) or words[at].plain not in wrapper.verbs):
            return ()
        at += wrapper.operands
        while at < len(words) and _ASSIGNMENT.match(words[at].plain):
            self._check_assigned(words[at].plain)
            at += 1
        at = at + 1 if at < len(words) and words[at].text == "--" else at
        if at >= len(words) and name in _LOGINS:
            self._listens("sh", simple, origin)
        return words[at:]

    def _check_assigned(self, text: str) -> None:
        name = text.partition("=")[0]
        if name in ("PATH", "IFS", "ENV", "BASH_ENV") or name.startswith(("LD_", "DYLD_")):
            self.work.unclear(f"it changes {name}")

    def _suspected(self, words: tuple[Word, ...]) -> Sequence[Word]:
        """Behind a program nothing is known of, take a harmful program's name for a command."""
        for at, word in enumerate(words):
            if not word.text.startswith("-") and program_name(word.plain) in self.known.harmful:
                return words[at:]
        return ()

    def _carried(self, name: str, words: tuple[Word, ...], simple: Simple, origin: Origin) -> None:
        for prefix in self.known.carriers.get(name, ()):
            for at, word in enumerate(words):
                if word.plain == prefix and at + 1 < len(words) and not prefix.endswith(("=", "!", ":")):
                    self._text(words[at + 1], simple, origin)
                elif word.plain.startswith(prefix) and len(word.plain) > len(prefix):
                    self._text(literal(word.plain[len(prefix) :]), simple, origin)
                elif name == "git" and "=!" in word.plain and prefix == "!":
                    self._text(literal(word.plain.partition("=!")[2]), simple, origin)

    def _text(self, word: Word, simple: Simple, origin: Origin) -> None:
        if word.computed:
            self.work.unclear(f"a command in it is computed: {word.text[:80]}")
        self.script(word.plain, deeper(simple, origin))

    def _shell(self, name: str, words: tuple[Word, ...], simple: Simple, origin: Origin) -> None:
        at, reads_text, reads_input = 0, False, False
        while at < len(words) and (word := words[at].plain).startswith(("-", "+")) and len(word) > 1:
            short = not word.startswith("--")
            reads_text = reads_text or (short and "c" in word) or word.lower() in ("--command", "-enc")
            reads_input = reads_input or (short and "s" in word)
            at += 2 if word in self.known.shell_values else 1
            if word == "--":
                break
        if reads_text and at < len(words):
            self._command_text(name, words[at:], simple, origin)
        elif at >= len(words) or reads_input or words[at].computed or words[at].text in ("-", "/dev/stdin"):
            self._listens("sh", simple, origin)

    def _command_text(self, name: str, words: tuple[Word, ...], simple: Simple, origin: Origin) -> None:
        given = [word.text for word in words[1:]]
        values = {str(number): text for number, text in enumerate(given)}
        values |= {"@": " ".join(given[1:]), "*": " ".join(given[1:])}
        if words[0].computed:
            self.work.unclear(f"a command in it is computed: {words[0].text[:80]}")
        text = words[0].text if name not in ("pwsh", "powershell") else " ".join(word.text for word in words)
        self.script(text, deeper(simple, origin, values))

    def _listens(self, language: str, simple: Simple, origin: Origin) -> None:
        """Note that a command, and so whatever holds it, takes from its input what it runs."""
        for reader in (simple, *origin.holders):
            self._reads[id(reader)] = language
        self._run_documents(language, simple, simple, origin)

    def _run_documents(self, language: str, command: Simple, reader: Simple, origin: Origin) -> None:
        for document in command.documents:
            if document.computed:
                self.work.unclear(f"what is run by {language} is computed")
            self._run_text(language, document.text, reader, origin)

    def _run_text(self, language: str, text: str, simple: Simple, origin: Origin) -> None:
        if language == "sh":
            self.script(text, deeper(simple, origin))
        else:
            self._code(language, text, simple, origin)

    def _interpreter(self, name: str, words: tuple[Word, ...], simple: Simple, origin: Origin) -> None:
        language = interpreter(name)
        options = self.known.code[language]
        for at, word in enumerate(words):
            if not word.plain.startswith("-") and word.plain not in options and not word.computed:
                return
            found = next((option for option in options if _gives_code(word.plain, option)), None)
            if found is None:
                continue
            last = word.plain == found or word.plain.endswith(found[-1])
            if last and at + 1 >= len(words):
                break
            code = words[at + 1] if last else literal(word.plain.partition(found[-1])[2])
            if code.computed:
                self.work.unclear(f"code in it is computed: {code.text[:80]}")
            self._code(language, code.text, simple, origin)
            return
        self._listens(language, simple, origin)

    def _code(self, language: str, code: str, simple: Simple, origin: Origin) -> None:
        self._found(python_code(code) if language in ("python", "pypy") else other_code(code, language), simple, origin)

    def _found(self, found: Found, simple: Simple, origin: Origin) -> None:
        inner = deeper(simple, origin)
        for reason in found.unclear:
            self.work.unclear(reason)
        for text in found.scripts:
            self.script(text, inner)
        for words in found.lists:
            self.arguments(words, inner)
        if found.writes:
            self.add(Call(program="", path="", words=(), writes=found.writes), simple, origin)

    def _special(self, name: str, words: tuple[Word, ...], simple: Simple, origin: Origin) -> None:
        inner = deeper(simple, origin)
        if name == "find":
            for group in _find_groups(words):
                self.unfold(simple, group, origin)
        elif name == "eval":
            if any(word.computed for word in words):
                self.work.unclear("eval of a computed text")
            self.script(" ".join(word.text for word in words), inner)
        elif name == "trap":
            for word in words[:1]:
                self._text(word, simple, origin)
        elif name == "alias":
            for word in words:
                self._text(literal(word.plain.partition("=")[2]), simple, origin)
        elif name == "ssh":
            rest = words[_past_options(words, _SSH_VALUES) + 1 :]
            self.script(" ".join(word.text for word in rest), inner)
            if not rest:
                self._listens("sh", simple, origin)
        elif name in _FILTERS:
            self._filter(name, words, simple, origin)
        elif not words or words[0].computed or words[0].text == "/dev/stdin":
            self._listens("sh", simple, origin)

    def _filter(self, name: str, words: tuple[Word, ...], simple: Simple, origin: Origin) -> None:
        code = " ".join(word.plain for word in words)
        runs = r"system|\||getline" if name != "sed" else r"[/|#,][gpI0-9]*e[gpI0-9]*(\s|;|$)|(^|[;{}\d$])\s*e(\s|$)"
        if re.search(runs, code):
            self._found(other_code(code + " system", name), simple, origin)

    def feed(self, command: Simple, origin: Origin) -> None:
        """Read what a command writes into one that runs it; what is not written out is unclear."""
        if not command.words and self._reads:
            # The here-document of a whole group: whichever command of the group it is that runs its input.
            self._run_documents("sh", command, command, origin)
        for reader in command.into[:8]:
            language = self._reads.get(id(reader))
            if language is None:
                continue
            text, certain = _written_out(command)
            if not certain:
                self.work.unclear(f"what is run by {language} is computed")
            self._run_documents(language, command, reader, origin)
            if text:
                self._run_text(language, text.replace("\\n", "\n"), reader, origin)


def deeper(simple: Simple, origin: Origin, values: dict[str, str] | None = None) -> Origin:
    """Return the origin of what *simple* holds."""
    return Origin(depth=origin.depth + 1, holders=(*origin.holders, simple), values=values or {})


def program_name(path: str) -> str:
    """Return the name by which a program is known: no directory, no version of a dynamic loader."""
    name = path.rstrip("/").rpartition("/")[2] or path
    return "ld-linux-x86-64" if name.startswith(("ld-linux", "ld-musl", "ld.so")) else name.removesuffix(".exe")


def interpreter(name: str) -> str:
    """Return the language of an interpreter's name: python3.11 is python."""
    return re.sub(r"[\d.]+$", "", name) or name


def _written_out(command: Simple) -> tuple[str, bool]:
    """Return what a command writes, as far as its words say it, and whether that is all there is to know."""
    if not command.words:
        return "", True
    name, rest = program_name(command.words[0].plain), command.words[1:]
    computed = any(word.computed for word in command.words)
    if name == "cat":
        return "", bool(command.documents) and not rest and not computed
    words = [word.text for word in rest if not re.fullmatch(r"-[neE]+", word.text)]
    text = " ".join(words)
    if name == "echo":
        return text, not computed and "\\" not in text
    if name == "printf":
        return text, not computed and not re.search(r"%|\\(?!n)", text)
    return "", name in ("true", ":", "cd", "sleep")


def _gives_code(word: str, option: str) -> bool:
    if len(option) != 2 or option[0] != "-":
        return word == option
    return word == option or (word.startswith("-") and not word.startswith("--") and option[1] in word[1:])


def _past_options(words: Sequence[Word], values: Iterable[str]) -> int:
    at, takes = 0, frozenset(values)
    while at < len(words) and (text := words[at].plain).startswith("-") and len(text) > 1:
        at += 2 if text in takes else 1
        if text == "--":
            break
    return at


def _find_groups(words: Sequence[Word]) -> list[tuple[Word, ...]]:
    groups: list[tuple[Word, ...]] = []
    current: list[Word] | None = None
    for word in words:
        if word.plain in _FIND:
            current = []
        elif current and word.plain in (";", "+"):
            groups.append(tuple(current))
            current = None
        elif current is not None:
            current.append(word)
    return [*groups, tuple(current)] if current else groups
