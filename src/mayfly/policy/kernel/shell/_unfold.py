"""Unfold simple commands to the calls they come to: what `sudo`, `sh -c`, `xargs` or `find -exec` would run."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Final, TypeAlias

from mayfly.policy.kernel.shell._marks import Word, literal
from mayfly.policy.kernel.shell._runners import Call, Origin, Runners, interpreter, program_name
from mayfly.policy.kernel.shell._script import KEYWORDS, Script, Simple
from mayfly.policy.kernel.shell._words import DEPTH, STEPS, TooMuch

MOST_CALLS: Final = 500
MOST_GLIMPSES: Final = 100
LONGEST_PLAIN: Final = 2000
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words with nothing in them that means anything to a shell.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:@%+,-]+(?: [A-Za-z0-9_./:@%+=,-]+)*")
_PLACES: Final = frozenset({"tee", "cp", "mv", "ln", "install", "curl", "wget", "rsync", "scp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a text would do as a shell script: its calls in order, and why it is not wholly clear."""

    calls: tuple[Call, ...]
    unclear: tuple[str, ...]


def read_script(text: str) -> Reading:
    """Read a text as a shell would."""
    return _Unfolding().run(lambda unfolding: unfolding.script(text, Origin(depth=0)))


def read_arguments(words: Sequence[str]) -> Reading:
    """Read an argument list, which no shell sees unless one is called."""
    return _Unfolding().run(lambda unfolding: unfolding.arguments(words, Origin(depth=0)))


class _Unfolding(Runners):
    """Hold one reading: its calls so far and which programs each command came to."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[tuple[Call, Simple]] = []
        # Commands are told apart by identity, so none may be forgotten while the reading lasts.
        self._alive: list[Simple] = []

    def run(self, start: "Start") -> Reading:
        """Read, and whatever stops the reading is a reason why it is unclear."""
        try:
            start(self)
        except TooMuch:
            self.work.unclear("it is too long to be read")
        except RecursionError:
            self.work.unclear("it is nested too deeply")
        if any(self._may_assign(call) for call, _ in self._calls):
            self.work.unclear("a variable may have another value than the one written")
        if self._runs_what_it_writes():
            self.work.unclear("it runs a file that it writes")
        for call, simple in self._calls:
            readers = (program for reader in simple.into for program in self.programs.get(id(reader), ()))
            call.into = tuple(dict.fromkeys(readers))
        return Reading(calls=tuple(call for call, _ in self._calls), unclear=tuple(self.work.reasons))

    def _may_assign(self, call: Call) -> bool:
        """Tell whether a call may give another value to a variable whose written value was used."""
        names = self.work.substituted
        if not names or call.program not in self.known.assigning:
            return False
        if call.program in ("eval", "source", "."):
            return True
        if call.program in ("set", "shift"):
            given = call.program == "shift" or any(not word.text.startswith(("-", "+")) for word in call.words)
            return given and any(not name.isidentifier() for name in names)
        return any(word.computed or names & set(_IDENTIFIER.findall(word.text)) for word in call.words)

    def _runs_what_it_writes(self) -> bool:
        written, run = set[str](), set[str]()
        for call, _ in self._calls:
            written.update(map(normpath, call.writes))
            if call.program in _PLACES:
                written.update(normpath(word.text) for word in call.words)
            if call.path and "/" in call.path:
                run.add(normpath(call.path))
            if call.program in self.known.shells or call.program in ("source", ".") or self._interprets(call):
                run.update(normpath(word.text) for word in call.words)
        return bool(written & run)

    def _interprets(self, call: Call) -> bool:
        return interpreter(call.program) in self.known.code

    def script(self, text: str, origin: Origin) -> None:
        """Read a script and unfold each of its commands."""
        if origin.depth > DEPTH:
            self.work.unclear("it is nested too deeply")
            return
        commands = self._plain(text) or self._script(text, origin)
        self._alive.extend(commands)
        for command in commands:
            for holder in origin.holders:
                command.into.extend(holder.into)
        for command in commands:
            self._command(command, origin)
        for command in commands:
            self.feed(command, origin)

    def _plain(self, text: str) -> list[Simple]:
        """Read a single command without quotes and signs, which most are; nothing where it is something else."""
        if len(text) > LONGEST_PLAIN or not _PLAIN.fullmatch(text):
            return []
        words = text.split(" ")
        return [] if words[0] in KEYWORDS else [Simple(words=[Word(word, word) for word in words])]

    def _script(self, text: str, origin: Origin) -> list[Simple]:
        reader = Script(text, self.work, values=origin.values, depth=origin.depth)
        return self._read(reader, text, outermost=origin.depth == 0)

    def _read(self, reader: Script, text: str, *, outermost: bool) -> list[Simple]:
        """Read; of a text that is too long keep what was read and the lines that name a harmful program."""
        try:
            return reader.read()
        except TooMuch:
            if not outermost:
                raise
        self.work.unclear("it is too long to be read")
        self.work.limit += STEPS // 2
        found = reader.found[: MOST_CALLS // 2]
        for line in self._lines(text[reader.at :]):
            found.extend(Script(line, self.work, values={}, depth=1).read())
        return found

    def _lines(self, text: str) -> Iterator[str]:
        names = "|".join(sorted(map(re.escape, self.known.harmful)))
        places = re.finditer(rf"(?<![\w.-])(?:{names})(?=\s)[^\n;|&]{{0,200}}", text)
        for number, place in enumerate(places):
            if number >= MOST_GLIMPSES:
                return
            yield place[0]

    def arguments(self, words: Sequence[str], origin: Origin) -> None:
        """Unfold a list of arguments."""
        simple = Simple(words=[literal(word) for word in words])
        self._alive.append(simple)
        self._command(simple, origin)

    def _command(self, simple: Simple, origin: Origin) -> None:
        writes = tuple(word.text for word in simple.writes)
        first = len(self._calls)
        if simple.words:
            self.unfold(simple, simple.words, origin, writes)
        else:
            self.add(Call(program="", path="", words=(), writes=writes), simple, origin)
        call = self._calls[first][0]
        call.reads, call.sets, call.documents = tuple(simple.reads), tuple(simple.sets), tuple(simple.documents)

    def unfold(self, simple: Simple, words: Sequence[Word], origin: Origin, writes: tuple[str, ...] = ()) -> None:
        """Add a command and, one after the other, the commands that it runs."""
        fed = False
        for _ in range(2 * DEPTH):
            self.work.step(len(words))
            first, rest = words[0], tuple(words[1:])
            self._check_program(first)
            name = program_name(first.plain or first.text)
            self.add(Call(program=name, path=first.plain, words=rest, writes=writes), simple, origin)
            writes = ()
            if fed and (name in self.known.shells or interpreter(name) in self.known.code):
                self.work.unclear(f"what {name} runs comes from another command")
            words = self.inner(name, rest, simple, origin)
            fed = fed or name in ("xargs", "parallel")
            if not words:
                if fed and name in self.known.wrappers and name != "xargs":
                    self.work.unclear(f"what {name} runs comes from another command")
                return
        self.work.unclear("it is nested too deeply")

    def _check_program(self, word: Word) -> None:
        if word.computed or "{}" in word.text:
            self.work.unclear(f"the program is computed: {word.text[:80]}")
        elif word.pattern and word.text not in ("[", "[["):
            self.work.unclear(f"the program is a pattern: {word.text[:80]}")

    def add(self, call: Call, simple: Simple, origin: Origin) -> None:
        """Keep one call."""
        if len(self._calls) >= MOST_CALLS:
            raise TooMuch
        self._calls.append((call, simple))
        for owner in (simple, *origin.holders):
            self.programs.setdefault(id(owner), []).append(call.program)


Start: TypeAlias = Callable[[_Unfolding], None]
