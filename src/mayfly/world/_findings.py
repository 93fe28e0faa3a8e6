"""What our gates say of changed files, with the file and the line: syntax, stability, judge, secrets, types."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from mayfly.core import Invocation, Tier, Verdict, find_key, harmless, looks_secret, one_line
from mayfly.gates import Criteria, Judge, Profile, check_stability, check_syntax
from mayfly.world._changes import LARGEST, Changed, ChangedFiles
from mayfly.world._place import WorkspacePlace, own_python

# The other codes say what generated programs may not import or name, which the sources of a project may.
_ABOUT_SOURCES = frozenset({"COMPLEXITY", "ARMS", "RECURSION", "LOOP", "GROWTH", "SIZE", "NESTING"})
# What is asked of a small program that somebody has to read at once, and of no file of a project.
_ABOUT_PROGRAMS = frozenset({"docstrings", "short names", "printing", "undocumented entry", "personal data"})
# What a project may do is not what a program without grants may.
_GRANTS = ("exec", "fs:workspace", "net:*", "package")
_CONFLICT = re.compile(r"(<{7}|>{7}|\|{7}) |={7}$")
_TYPE_ERROR = re.compile(r"(?P<path>[^:\n]+):(?P<line>\d+)(?::\d+)?: error: (?P<said>.+)")
_SECONDS = 120.0


class GateFinding(NamedTuple):
    """One thing that a gate says: *bad* where it would refuse, *new* where it is in a line of the change."""

    path: str
    line: int
    gate: str
    code: str
    said: str
    bad: bool
    new: bool

    def told(self) -> str:
        """Return it in one line."""
        return f"{self.path}:{self.line}: {self.gate} {self.code}: {self.said}"


def findings_in(change: ChangedFiles) -> list[GateFinding]:
    """Return what the gates that run nothing say of all files of a change, in order of file and line."""
    found = [one for file in change.files if file.text is not None for one in _of_file(file)]
    return sorted(dict.fromkeys(found))


def _of_file(file: Changed) -> Iterator[GateFinding]:
    yield from _secrets(file)
    yield from _conflicts(file)
    text = file.text or ""
    if file.path.endswith((".py", ".pyi")):
        yield from _python(file, text)
    elif file.path.endswith((".json", ".toml")):
        yield from _data(file, text)


def _python(file: Changed, text: str) -> Iterator[GateFinding]:
    parsed = check_syntax(text, limit=LARGEST)
    if parsed.tree is None:
        if text.strip():
            yield from (_verdict(file, verdict) for verdict in parsed.verdicts)
        return
    report = check_stability(parsed.tree, parsed.text, Profile(tier=Tier.BUILTIN, depth=0))
    yield from (_verdict(file, verdict) for verdict in report.verdicts if verdict.code in _ABOUT_SOURCES)
    for signal in _judge().judge(parsed.tree, parsed.text, grants=_GRANTS).signals:
        if not signal.passed and signal.name not in _ABOUT_PROGRAMS:
            more = f" (and {len(signal.reasons) - 3} more)" if len(signal.reasons) > 3 else ""
            said = one_line("; ".join(signal.reasons[:3]), limit=300) + more
            line = signal.line or 1
            # Of several places only the first line is known, so they count as new where the file is part of a change.
            new = file.is_new(signal.line) or len(signal.reasons) > 1
            yield GateFinding(file.path, line, "judge", signal.name.replace(" ", "_").upper(), said, signal.hard, new)


@cache
def _judge() -> Judge:
    return Judge(Criteria.load())


def _verdict(file: Changed, verdict: Verdict) -> GateFinding:
    line, bad = verdict.line or 1, verdict.decision == "reject"
    # A function that has grown too complex is named by its first line, which need not be a new one.
    new = file.is_new(verdict.line) or verdict.gate == "syntax"
    return GateFinding(file.path, line, verdict.gate, verdict.code, one_line(verdict.message, limit=300), bad, new)


def _secrets(file: Changed) -> Iterator[GateFinding]:
    """Find what looks like a secret in new lines; what it is stays unsaid."""
    added = list(file.added())
    for number, line in added:
        key = find_key(line)
        if key is not None:
            said = f"a key of the form of {key.issuer}"
            yield GateFinding(file.path, number, "secrets", "KEY", said, True, True)
        elif looks_secret(line):
            said = "something that looks like a password or token"
            yield GateFinding(file.path, number, "secrets", "LIKELY", said, False, True)
    whole = find_key("\n".join(line for _, line in added))
    if whole is not None and "\n" in whole.text:
        first = whole.text.partition("\n")[0]
        number = next((number for number, line in added if first in line), 1)
        yield GateFinding(file.path, number, "secrets", "KEY", f"a key of the form of {whole.issuer}", True, True)


def _conflicts(file: Changed) -> Iterator[GateFinding]:
    marks = [number for number, line in file.added() if _CONFLICT.match(line)]
    # A line of equal signs alone is a heading.
    if len(marks) > 1:
        yield GateFinding(
            file.path, marks[0], "syntax", "CONFLICT", "marks of a merge that was not finished", True, True
        )


def _data(file: Changed, text: str) -> Iterator[GateFinding]:
    try:
        if file.path.endswith(".toml"):
            tomllib.loads(text)
        else:
            json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or _line_in(str(error))
        yield GateFinding(file.path, line, "syntax", "DATA", one_line(str(error), limit=200), True, True)


def _line_in(message: str) -> int:
    found = re.search(r"line (\d+)", message)
    return int(found[1]) if found else 1


def type_findings(place: WorkspacePlace, call: Invocation, change: ChangedFiles) -> tuple[list[GateFinding], str]:
    """Return what mypy says of the changed Python files by the project's own settings, or why it says nothing."""
    files = {file.path: file for file in change.files if file.path.endswith((".py", ".pyi")) and file.text is not None}
    if not files:
        return [], ""
    options = ["--no-error-summary", "--no-color-output", "--no-pretty", "--hide-error-context"]
    # Its cache would be a change of the workspace, and is thrown away with the rest.
    cache = f"--cache-dir=/tmp/mypy-{os.getuid()}"
    command = own_python("mypy", "-m", "mypy", *options, cache, "--", *files)
    ran, _ = place.run(command, key=call.key, keep=False, timeout=_SECONDS)
    if ran.code == 0:
        return [], ""
    found = list(_type_errors(str(ran.output), files))
    if found or ran.code == 1:
        return found, ""
    return [], f"types were not checked: {one_line(harmless(str(ran.output)), limit=200) or ran.reason}"


def _type_errors(output: str, files: dict[str, Changed]) -> Iterator[GateFinding]:
    for match in _TYPE_ERROR.finditer(output):
        file = files.get(match["path"].strip())
        if file is not None:
            line = int(match["line"])
            yield GateFinding(
                file.path, line, "types", "MYPY", one_line(match["said"], limit=300), True, file.is_new(line)
            )


def tell_findings(found: Sequence[GateFinding], *, most: int) -> list[str]:
    """Return findings as lines: those of the change first, what would be refused marked."""
    ranked = sorted(found, key=lambda one: (not one.new, not one.bad, one))
    lines = [f"{'refuse' if one.bad else 'mend  '} {'' if one.new else '(old) '}{one.told()}" for one in ranked[:most]]
    return lines + ([f"[{len(ranked) - most} more]"] if len(ranked) > most else [])
