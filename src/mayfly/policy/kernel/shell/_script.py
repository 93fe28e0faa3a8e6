"""Read a shell script into its simple commands: which there are, what they write, and what flows into what."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mayfly.policy.kernel.shell._marks import QUOTED, Word, finish, plain_text, unknown, whole_word
from mayfly.policy.kernel.shell._words import BLANKS, DEPTH, Words, Work

_REDIRECT: Final = re.compile(r"(?:\d+|\{[A-Za-z_]\w*\})?(<<<|<<-|<<|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|(&>>?)")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\ue005[^=]*\])?(\+?)=", re.DOTALL)
_ASSIGNED: Final = re.compile(
    r"\b([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]\n]{0,200}\])?\+?=|\b(?:for|select)\s+([A-Za-z_]\w*)"
)
_FUNCTION: Final = re.compile(r"[ \t]*\([ \t]*\)")
_SKIPPED: Final = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "time", "coproc"})
_OPENS: Final = frozenset({"{", "if", "while", "until", "for", "select", "case"})
_CLOSES: Final = frozenset({"}", "fi", "done", "esac"})
_DECLARING: Final = frozenset({"export", "declare", "local", "readonly", "typeset"})
KEYWORDS: Final = _SKIPPED | _OPENS | _CLOSES | _DECLARING | {"function", "[["}
"""Words that mean something to the shell where a command begins."""
_LOADED: Final = frozenset({"PATH", "IFS", "ENV", "BASH_ENV", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS"})


@dataclass(slots=True, kw_only=True, eq=False)
class Simple:
    """One simple command; `into` are the commands that read its output, `documents` what its input is written as.

    `reads` are the files its input comes from, `sets` the variables that it is given a value for.
    """

    words: list[Word] = field(default_factory=list)
    reads: list[Word] = field(default_factory=list)
    writes: list[Word] = field(default_factory=list)
    sets: list[str] = field(default_factory=list)
    documents: list[Word] = field(default_factory=list)
    into: "list[Simple]" = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Frame:
    """One open compound: where its present pipeline stage began and the stages before it."""

    start: int
    closer: str = ""
    stages: list[tuple[int, int]] = field(default_factory=list)
    patterns: bool = False


@dataclass(slots=True, kw_only=True)
class _Document:
    delimiter: str
    strip: bool
    expanded: bool
    command: Simple


class Script(Words):
    """Read commands; every one found, wherever it is nested, is added to `found`."""

    def __init__(
        self, text: str, work: Work, *, values: Mapping[str, str], depth: int, found: list[Simple] | None = None
    ) -> None:
        super().__init__(text, work, values=values, depth=depth)
        self.found: list[Simple] = [] if found is None else found
        self._documents: list[_Document] = []
        self._current: Simple | None = None
        count = Counter(name for pair in _ASSIGNED.findall(self.text) for name in pair if name)
        self._doubtful = {name for name, number in count.items() if number > 1}

    def read(self) -> list[Simple]:
        """Read the whole text; a closing parenthesis too many is passed over and named."""
        self._commands()
        while self.at < len(self.text):
            self.work.unclear("a bracket ) was not opened")
            self.at += 1
            self._commands()
        return self.found

    def substitute(self, *, backquoted: str | None = None) -> None:
        """Read a substitution in place, and note that its output flows into the command that holds it."""
        before, holder = len(self.found), self._current
        self.work.step(16)
        self.depth += 1
        if self.depth > DEPTH:
            self.work.unclear("it is nested too deeply")
            self.at = len(self.text) if backquoted is None else self.at
        elif backquoted is None:
            self._commands()
            if self.text[self.at : self.at + 1] != ")":
                self.work.unclear("a bracket ( is not closed")
            self.at += 1
        else:
            Script(backquoted, self.work, values=self.values, depth=self.depth, found=self.found).read()
        self.depth -= 1
        self._current = holder
        if holder is not None:
            for command in self.found[before:]:
                command.into.append(holder)

    def look_inside(self, text: str) -> str:
        """Read the substitutions of an expression or a here-document, and return it marked."""
        if not any(char in text for char in "$`\\"):
            return text
        if self.depth >= DEPTH:
            self.work.unclear("it is nested too deeply")
            return text
        inner = Script(text, self.work, values=self.values, depth=self.depth + 1, found=self.found)
        inner._current = self._current
        return inner.body()

    def _commands(self) -> None:
        """Read commands up to an unmatched closing parenthesis or the end."""
        frames = [_Frame(start=len(self.found))]
        while self.at < len(self.text):
            self.work.step()
            char = self.text[self.at]
            if frames[-1].patterns:
                self._patterns(frames)
            elif char in BLANKS or self.text.startswith("\\\n", self.at):
                self.at += 1 if char in BLANKS else 2
            elif char == "\n":
                self._end_pipeline(frames[-1])
                self._newline()
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif char == ")":
                if not self._close(frames, ")"):
                    break
                self.at += 1
            elif char in ";&|" and not self.text.startswith("&>", self.at):
                self._operator(frames)
            elif char == "(":
                self._open_parenthesis(frames)
            else:
                self._command(frames)
        while frames:
            self._end_pipeline(frames.pop())
        self._read_documents()

    def _operator(self, frames: list[_Frame]) -> None:
        frame = frames[-1]
        for operator in (";;&", ";;", ";&", "&&", "||", "|&", "|", "&", ";"):
            if self.text.startswith(operator, self.at):
                break
        self.at += len(operator)
        if operator in ("|", "|&"):
            frame.stages.append((frame.start, len(self.found)))
            frame.start = len(self.found)
            return
        self._end_pipeline(frame)
        frame.patterns = frame.closer == "esac" and operator in (";;", ";&", ";;&")

    def _end_pipeline(self, frame: _Frame) -> None:
        stages = [*frame.stages, (frame.start, len(self.found))]
        frame.stages, frame.start = [], len(self.found)
        for number, (first, last) in enumerate(stages[:-1]):
            consumers = self.found[stages[number + 1][0] : stages[-1][1]][:64]
            self.work.step(len(consumers) * (last - first))
            for command in self.found[first:last]:
                command.into.extend(consumers)

    def _open_parenthesis(self, frames: list[_Frame]) -> None:
        if self.text.startswith("((", self.at):
            end = self._balanced(self.at + 1, "(", ")")
            if self.text[end - 2 : end] == "))":
                self.look_inside(self.text[self.at + 2 : end - 2])
                self.at = end
                return
        frames.append(_Frame(start=len(self.found), closer=")"))
        self._check_frames(frames)
        self.at += 1

    def _check_frames(self, frames: list[_Frame]) -> None:
        if len(frames) > 4 * DEPTH:
            self.work.unclear("it is nested too deeply")
            self.at = len(self.text)

    def _close(self, frames: list[_Frame], closer: str) -> bool:
        """Close the nearest compound of that kind with all that is open in it; False where there is none."""
        if all(frame.closer != closer for frame in frames):
            return False
        while True:
            frame = frames.pop()
            self._end_pipeline(frame)
            if frame.closer == closer:
                return True

    def _newline(self) -> None:
        self.at += 1
        self._read_documents()

    def _read_documents(self) -> None:
        waiting, self._documents = self._documents, []
        for document in waiting:
            lines: list[str] = []
            while self.at < len(self.text):
                self.work.step()
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = min(end + 1, len(self.text))
                line = line.lstrip("\t") if document.strip else line
                if line == document.delimiter:
                    break
                lines.append(line)
            body = "\n".join(lines)
            marked = self.look_inside(body) if document.expanded else body
            document.command.documents.append(whole_word(marked))

    def _command(self, frames: list[_Frame]) -> None:
        """Read one simple command, or the reserved word that stands where a command may begin."""
        command = Simple()
        self._current = command
        while self.at < len(self.text):
            self.work.step()
            char = self.text[self.at]
            if char in BLANKS:
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif redirect := _REDIRECT.match(self.text, self.at):
                self._redirect(command, redirect)
            elif char in "<>":
                self._process(command, outward=char == ">")
                command.words.append(Word(f"{char}(…)", "", True))
            elif char in "\n;|&()" or (char == "#" and self.text[self.at - 1] in " \t\n;"):
                break
            elif self._argument(command, frames):
                return
        self._current = None
        waits = any(document.command is command for document in self._documents)
        if command.words or command.reads or command.writes or command.sets or command.documents or waits:
            self.found.append(command)

    def _process(self, command: Simple, *, outward: bool) -> None:
        """Read a process substitution: `<(…)` flows into the command, the command flows into `>(…)`."""
        self.at += 2
        before = len(self.found)
        self.substitute()
        if outward:
            inner = self.found[before:]
            command.into.extend(inner)
            for reader in inner:
                reader.into = [other for other in reader.into if other is not command]

    def _argument(self, command: Simple, frames: list[_Frame]) -> bool:
        """Read one word; True where it was a reserved word, so that a command may begin after it."""
        marked = self.word()
        if not command.words:
            if self._reserved(marked, frames):
                return True
            if _ASSIGNMENT.match(marked):
                self._assign(marked)
                return False
            if _FUNCTION.match(self.text, self.at):
                self.at = self.text.index(")", self.at) + 1
                return True
        words = [word for word in finish(marked) if word.text or word.quoted or word.computed]
        if command.words and command.words[0].text in _DECLARING:
            self._declare(marked, words)
        command.words.extend(words)
        return False

    def _declare(self, marked: str, words: list[Word]) -> None:
        """Take note of an argument of `export` and its like, which assigns however it is quoted."""
        if _ASSIGNMENT.match(marked):
            self._assign(marked)
        elif any(re.match(r"[A-Za-z_]\w*\+?=|-\w*n|\$", word.text) for word in words):
            self.work.unclear("a variable may have another value than the one written")

    def _reserved(self, marked: str, frames: list[_Frame]) -> bool:
        if QUOTED in marked:
            return False
        text = plain_text(marked)
        if text in _CLOSES:
            self._close(frames, text)
            return True
        if text in _OPENS:
            closer = {"{": "}", "if": "fi", "case": "esac"}.get(text, "done")
            frames.append(_Frame(start=len(self.found), closer=closer))
            self._check_frames(frames)
        if text in ("for", "select", "case", "function", "[["):
            self._head(text, frames)
            return True
        return text in _SKIPPED or text == "{"

    def _head(self, text: str, frames: list[_Frame]) -> None:
        """Read what follows `for`, `select`, `case`, `function` or `[[` up to where commands begin."""
        while self.at < len(self.text):
            self.work.step()
            char = self.text[self.at]
            if char in BLANKS or char in "<>&|()!":
                if char in "()&|" and text == "function":
                    self.at += 1 if char in "()" else 0
                    return
                if self.text.startswith("((", self.at):
                    return
                self.at += 1
            elif char in "\n;":
                if text != "[[" and text != "case":
                    return
                self.at += 1
            else:
                word = plain_text(self.word())
                if (text == "[[" and word == "]]") or (text == "function" and not _FUNCTION.match(self.text, self.at)):
                    return
                if text == "case" and word == "in":
                    frames[-1].patterns = True
                    return
        self.work.unclear(f"{text} is not closed")

    def _patterns(self, frames: list[_Frame]) -> None:
        """Read the patterns of one branch of a `case`, up to their parenthesis."""
        while self.at < len(self.text):
            self.work.step()
            char = self.text[self.at]
            if char == ")":
                self.at += 1
                break
            if char.isspace() or char in "(|&;<>":
                self.at += 1
            elif plain_text(self.word()) == "esac":
                self._close(frames, "esac")
                return
        frames[-1].patterns = False

    def _assign(self, marked: str) -> None:
        """Remember a value that is written out, if the name is given one only once."""
        found = _ASSIGNMENT.match(marked)
        if found is None:
            return
        name, value = found[1], marked[found.end() :]
        if self._current is not None:
            self._current.sets.append(name)
        if name in _LOADED or name.startswith(("LD_", "DYLD_", "BASH_FUNC")):
            self.work.unclear(f"it changes {name}")
        if self.text[self.at : self.at + 1] == "(" and not value:
            self.at += 1
            self._array()
            value = unknown(name)
        words = finish(value)
        known = name not in self._doubtful and not found[2] and not any(word.computed for word in words)
        if known:
            self.values[name] = " ".join(word.text for word in words)
        else:
            self.values.pop(name, None)

    def _array(self) -> None:
        while self.at < len(self.text) and self.text[self.at] != ")":
            self.work.step()
            if self.text[self.at].isspace() or self.text[self.at] in "(|&;<>":
                self.at += 1
            else:
                self.word()
        if self.at >= len(self.text):
            self.work.unclear("a bracket ( is not closed")
        self.at += 1

    def _redirect(self, command: Simple, found: re.Match[str]) -> None:
        operator = found[1] or found[2]
        self.at = found.end()
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        if operator in ("<<", "<<-"):
            marked = self.word()
            delimiter, strip = plain_text(marked), operator == "<<-"
            expanded = QUOTED not in marked
            self._documents.append(_Document(delimiter=delimiter, strip=strip, expanded=expanded, command=command))
            return
        if self.text.startswith((">(", "<("), self.at):
            self._process(command, outward=self.text[self.at] == ">")
            return
        marked = self.word()
        if operator == "<<<":
            command.documents.append(whole_word(marked))
            return
        for word in finish(marked):
            if (">" in operator) and not (operator == ">&" and re.fullmatch(r"\d*-?", word.text)):
                command.writes.append(word)
            if operator in ("<", "<>"):
                command.reads.append(word)
