"""Run many variants of one program in one job: each in a module of its own, with an alarm, its answers compared.

Only how good the tests are is decided here, so a variant that cheats harms nobody.
"""

import asyncio
import json
import signal
import sys
import time
from types import CodeType, ModuleType
from typing import Any

from mayfly.gates.proof.harness.answer import _mayfly_asked, _mayfly_finish, _MayflyLate

_HIDDEN = ("open", "input", "eval", "exec", "compile", "globals", "breakpoint", "help", "exit", "quit")


class _Nowhere:
    """Swallow what is printed."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        return None


def _ring(*_: object) -> None:
    raise _MayflyLate


def _alarm(seconds: float) -> None:
    # Processor time, so that a busy machine makes nobody late.
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)


def _builtins(allowed: Any) -> dict[str, Any]:
    import builtins

    names = {name: value for name, value in vars(builtins).items() if name not in _HIDDEN}
    if allowed is not None:
        names["__import__"] = _importer(frozenset(allowed))
    return names


def _importer(allowed: frozenset[str]) -> Any:
    def guarded(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if type(fromlist) is not list and (level or name.partition(".")[0] not in allowed | {"__future__"}):
            raise ImportError(f"import of {name!r} is not allowed here", name=name)
        return __import__(name, globals, locals, fromlist or (), level)

    return guarded


def _same_code(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects do the same, wherever their text is."""
    if (one.co_code, one.co_names, one.co_varnames) != (other.co_code, other.co_names, other.co_varnames):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    for mine, theirs in zip(one.co_consts, other.co_consts, strict=True):
        if isinstance(mine, CodeType) and isinstance(theirs, CodeType):
            if not _same_code(mine, theirs):
                return False
        elif type(mine) is not type(theirs) or mine != theirs:
            return False
    return True


def _load(code: CodeType, names: dict[str, Any]) -> dict[str, Any]:
    module = ModuleType("job")
    module.__dict__["__builtins__"] = names
    sys.modules["job"] = module
    exec(code, module.__dict__)
    return module.__dict__


class Run:
    """One job: the first program is the original, the others are compared with it."""

    def __init__(self, request: Any) -> None:
        self.entry: str = request["entry"]
        self.waits: bool = request["waits"]
        self.lines: int = request["lines"]
        self.tests: list[str] = request["tests"]
        self.more: list[str] = request["more"]
        self.seconds: float = request["seconds"]
        self.until = time.process_time() + request["total"]
        self.more_seconds: float = request["more_seconds"]
        self.differing: int = request["differing"]
        self.patience: int = request["patience"]
        self.generous: float = request["generous"]
        self.factor: float = request["factor"]
        self.names = _builtins(request["imports"])
        self.load_seconds = self.seconds
        self.first: list[str] = []
        self.wanted: list[str] = []

    def ask(self, space: dict[str, Any], text: str) -> Any:
        """Ask one question, given as JSON text."""
        work = _mayfly_asked(space, self.entry, json.loads(text), self.lines)
        return asyncio.run(work) if self.waits else _mayfly_finish(work)

    def answer(self, space: dict[str, Any], text: str, seconds: float) -> str:
        """Return the answer as JSON text; one that does not come in time says so."""
        try:
            try:
                _alarm(seconds)
                return json.dumps(self.ask(space, text))
            finally:
                _alarm(0)
        except _MayflyLate:
            return '{"late": true}'
        except BaseException as error:
            return json.dumps({"error": [type(error).__name__], "message": str(error)[:200], "line": None})

    def load(self, code: CodeType, seconds: float) -> Any:
        """Load a program; one that cannot be loaded is the reason, as text."""
        try:
            try:
                _alarm(seconds)
                return _load(code, self.names)
            finally:
                _alarm(0)
        except BaseException as error:
            return f"{type(error).__name__}: {error}"[:200]

    def original(self, code: CodeType, backwards: bool) -> Any:
        """Answer everything as the program itself does; the others are compared with that."""
        begun = time.process_time()
        space = self.load(code, self.generous)
        self.load_seconds = max(self.seconds, self.factor * (time.process_time() - begun))
        if isinstance(space, str):
            return {"broken": space}
        order = range(len(self.tests))
        answers, slowest = {}, 0.0
        for at in reversed(order) if backwards else order:
            begun = time.process_time()
            answers[at] = self.answer(space, self.tests[at], self.generous)
            slowest = max(slowest, time.process_time() - begun)
        self.first = [answers[at] for at in order]
        self.seconds = max(self.seconds, self.factor * slowest)
        self.more_seconds = max(self.more_seconds, self.factor * slowest)
        spent: list[float] = []
        lates = 0
        for text in self.more:
            begun = time.process_time()
            skip = begun > self.until or lates > self.patience
            self.wanted.append('{"skipped": true}' if skip else self.answer(space, text, self.more_seconds))
            lates += self.wanted[-1] == '{"late": true}'
            spent.append(round(time.process_time() - begun, 4))
        return {"tests": self.first, "more": self.wanted, "spent": spent}

    def variant(self, code: CodeType) -> Any:
        """Answer the tests as a variant does; one that answers as the original is asked more."""
        space = self.load(code, self.load_seconds)
        if isinstance(space, str):
            return {"broken": space}
        changed = {}
        for at, text in enumerate(self.tests):
            answer = self.answer(space, text, self.seconds)
            if answer != self.first[at]:
                changed[at] = answer
            if answer == '{"late": true}':
                break
        return {"changed": changed} if changed else {"more": self.disagreements(space)}

    def disagreements(self, space: dict[str, Any]) -> list[Any]:
        """Return further inputs for which a variant that passes the tests gives something else."""
        found: list[Any] = []
        for at, (text, wanted) in enumerate(zip(self.more, self.wanted, strict=True)):
            if not wanted.startswith('{"ok"') or time.process_time() > self.until:
                continue
            answer = self.answer(space, text, self.more_seconds)
            if answer != wanted:
                found.append([at, answer])
                if len(found) >= self.differing:
                    break
        return found


def _covered(run: Run, code: CodeType, source: str) -> Any:
    """Return the lines of functions, and those of them that the tests reach."""
    reached: set[int] = set()

    def local(frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            reached.add(frame.f_lineno)
        return local

    def trace(frame: Any, event: str, argument: Any) -> Any:
        return local if frame.f_code.co_filename == "/job.py" else None

    space = run.load(code, run.generous)
    if isinstance(space, str):
        return None
    sys.settrace(trace)
    try:
        for text in run.tests:
            run.answer(space, text, run.generous)
    finally:
        sys.settrace(None)
    known: set[int] = set()
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    while inner:
        part = inner.pop()
        inner += [constant for constant in part.co_consts if isinstance(constant, CodeType)]
        if part.co_flags & 2 or part.co_name == "<module>":
            known.update(line for _, _, line in part.co_lines() if line and line != part.co_firstlineno)
    return {"known": sorted(known), "reached": sorted(known & reached)}


def run(request: Any) -> Any:
    """Return how the original and each variant answered."""
    signal.signal(signal.SIGPROF, _ring)
    kept, nowhere = sys.stdout, _Nowhere()
    vars(sys)["stdout"] = nowhere
    try:
        return _run(request)
    finally:
        sys.stdout = kept


def _run(request: Any) -> Any:
    job = Run(request)
    source = request["programs"][0]
    code = compile(source, "/job.py", "exec", dont_inherit=True)
    covered = _covered(job, code, source) if request["cover"] else None
    first = job.original(code, request["backwards"])
    answers = []
    for text in request["programs"][1:]:
        if "broken" in first or time.process_time() > job.until:
            answers.append({"skipped": True})
            continue
        try:
            changed = compile(text, "/job.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            answers.append({"same": True})
            continue
        answers.append({"same": True} if _same_code(code, changed) else job.variant(changed))
    return {"first": first, "others": answers, "covered": covered}
