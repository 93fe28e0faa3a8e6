"""Run tests whose calls of the program are answered from a recording; a call without an answer ends the run.

The program is not in this process: its objects could lie to the test. What stands for them holds plain data only.
"""

import builtins
from types import ModuleType
from typing import Any

from mayfly.gates.proof.harness.pytest_stand_in import EAGER, PYTEST, Skipped


class Need(BaseException):
    """The next answer is not recorded yet."""


class Cannot(Exception):
    """The test does something a recording cannot answer; the message says what."""


class Session:
    """The calls one test makes, in order, and the answers known so far."""

    def __init__(self, answers: list[Any], shape: Any) -> None:
        self.answers = answers
        self.steps: list[Any] = []
        self.shape = shape
        self.kinds: dict[str, Any] = {}

    def call(
        self, of: int | None, name: str, arguments: Any, keywords: Any, read: bool = False, lazy: bool = False
    ) -> Any:
        """Take one step and return its number and its answer; a *lazy* one may go on without an answer."""
        step = {
            "of": of,
            "name": name,
            "arguments": [self.encode(item) for item in arguments],
            "keywords": {key: self.encode(item) for key, item in keywords.items()},
            "read": read,
        }
        at = len(self.steps)
        self.steps.append(step)
        if at >= len(self.answers):
            if lazy and not EAGER:
                return at, {"object": name}
            raise Need
        answer = self.answers[at]
        if "error" in answer:
            raise self.error(answer)
        return at, answer

    def value(self, of: int | None, name: str, arguments: Any, keywords: Any, read: bool = False) -> Any:
        """Call or read something and return what stands for the answer."""
        at, answer = self.call(of, name, arguments, keywords, read)
        if "object" in answer:
            kind = self.kinds.get(answer["object"]) or Record
            return self.instance(kind, at, {})
        return self.decode(answer["ok"], at)

    def instance(self, kind: Any, at: int | None, held: dict[str, Any]) -> Any:
        """Make an object that stands for one of the program's."""
        made = object.__new__(kind)
        made.__dict__.update(_at=at, _session=self, **held)
        made.__dict__["_held"] = list(held)
        return made

    def error(self, answer: Any) -> BaseException:
        """Return the exception that the program ended in, as the test should see it."""
        for name in answer["error"]:
            kind = self.kinds.get(name) or getattr(builtins, name, None)
            if isinstance(kind, type) and issubclass(kind, BaseException):
                try:
                    return kind(answer["message"])
                except TypeError:
                    continue
        return Cannot(f"{answer['error'][0]}: {answer['message']}")

    def encode(self, value: Any) -> Any:
        """Write an argument; what an earlier step made is named by that step."""
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if value - value == 0 else {"float": repr(value)}
        if isinstance(value, Record):
            if value._at is not None:
                return {"made": value._at}
            return {"record": type(value).__name__, "fields": {k: self.encode(getattr(value, k)) for k in value._held}}
        if isinstance(value, list):
            return [self.encode(item) for item in value]
        for kind in (tuple, set, frozenset):
            if isinstance(value, kind):
                return {kind.__name__: [self.encode(item) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[self.encode(key), self.encode(item)] for key, item in value.items()]}
        if hasattr(type(value), "__next__") or isinstance(value, range):
            return [self.encode(item) for item in value]
        raise Cannot(f"an argument of type {type(value).__name__} cannot be handed to the program")

    def decode(self, value: Any, at: int | None = None) -> Any:
        """Read an answer; *at* is the step that gave it."""
        if isinstance(value, list):
            return [self.decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "record" in value:
            held = {name: self.decode(item) for name, item in value["fields"].items()}
            return self.instance(self.kinds.get(value["record"]) or Record, at, held)
        kind, held = next(iter(value.items()))
        if kind == "dict":
            return {self.decode(key): self.decode(item) for key, item in held}
        if kind == "float":
            return float(held)
        return {"tuple": tuple, "set": set}[kind](self.decode(item) for item in held)


class Record:
    """Stand for an object of the program: fields that crossed the wall, methods that are asked for."""

    _at: int | None
    _session: Session
    _held: list[str]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_session" not in self.__dict__:
            raise AttributeError(name)
        if self._held and self._at is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._session.value(self._at, name, (), {}, read=True)

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, str) and name in self._held:
            return self.__dict__[name]
        raise KeyError(name)

    def __eq__(self, other: object) -> bool:
        mine = {name: self.__dict__[name] for name in self._held}
        if isinstance(other, Record):
            theirs = {name: other.__dict__[name] for name in other._held}
            return type(self).__name__ == type(other).__name__ and (mine == theirs if mine else self is other)
        return bool(mine) and mine == other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={self.__dict__[name]!r}' for name in self._held)})"


def _result(value: Any, waits: bool) -> Any:
    async def ready() -> Any:
        return value

    return ready() if waits else value


def _method(name: str, waits: bool) -> Any:
    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if self._at is None:
            raise Cannot(f"{name} of an object inside a result cannot be called")
        return _result(self._session.value(self._at, name, arguments, keywords), waits)

    return method


def _kind(name: str, shape: Any, session: Session) -> Any:
    """Make the class that stands for one class of the program."""
    if shape["error"]:
        return type(name, (getattr(builtins, shape["error"], Exception),), {})

    def new(cls: Any, *arguments: Any, **keywords: Any) -> Any:
        at, answer = session.call(None, name, arguments, keywords, lazy=not shape["data"])
        if "object" in answer:
            return session.instance(cls, at, {})
        return session.decode(answer["ok"], at)

    methods = {method: _method(method, waits) for method, waits in shape["methods"].items()}
    return type(name, (Record,), {**methods, "__new__": new, "__init__": lambda self, *a, **k: None})


def _function(name: str, waits: bool, session: Session) -> Any:
    return lambda *arguments, **keywords: _result(session.value(None, name, arguments, keywords), waits)


def _names(session: Session) -> dict[str, Any]:
    shape = session.shape
    session.kinds = {name: _kind(name, held, session) for name, held in shape["classes"].items()}
    functions = {name: _function(name, waits, session) for name, waits in shape["functions"].items()}
    return {**functions, **session.kinds}


def _importer(names: dict[str, Any], allowed: set[str]) -> Any:
    """Give tests pytest, the modules they may use, and for any other module the program's names."""
    program = ModuleType("program")
    program.__dict__.update(names)

    def guarded(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if name == "pytest":
            return PYTEST
        if not level and name.partition(".")[0] in allowed:
            return __import__(name, globals, locals, fromlist or (), level)
        return program

    return guarded


def _rows(function: Any) -> list[dict[str, Any]]:
    return getattr(function, "_rows", [{}])


def _finish(value: Any) -> None:
    if hasattr(value, "send"):
        try:
            while True:
                value.send(None)
        except StopIteration:
            return


def _call(space: dict[str, Any], name: str) -> None:
    owner, dot, method = name.partition(".")
    for row in _rows(getattr(space[owner], method) if dot else space[owner]):
        target = getattr(space[owner](), method) if dot else space[owner]
        _finish(target(**row))


def _explain(error: BaseException, source: str) -> dict[str, Any]:
    """Say what failed: the line of the test, and what its left side was where that can be said without a call."""
    import ast

    line, frame, step = None, None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == "/test.py":
            line, frame = step.tb_lineno, step.tb_frame
        step = step.tb_next
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if line and isinstance(error, AssertionError) and not str(error):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or line):
                text = ast.unparse(node)
                left = node.test.left if isinstance(node.test, ast.Compare) else node.test
                plain = not any(isinstance(part, (ast.Call, ast.Await, ast.NamedExpr)) for part in ast.walk(left))
                if plain and frame is not None:
                    try:
                        text += (
                            f", but {ast.unparse(left)} is {eval(ast.unparse(left), frame.f_globals, frame.f_locals)!r}"
                        )
                    except BaseException:
                        pass
    return {"failed": text[:500], "line": line}


def _one(test: Any, shape: Any, allowed: set[str]) -> dict[str, Any]:
    EAGER.clear()
    session = Session(test["answers"], shape)
    names = _names(session)
    space: dict[str, Any] = {**names, "pytest": PYTEST, "__name__": "test"}
    space["__builtins__"] = {**vars(builtins), "__import__": _importer(names, allowed)}
    try:
        exec(compile(test["source"], "/test.py", "exec", dont_inherit=True), space)
        _call(space, test["pick"])
        if len(session.steps) > len(session.answers):
            raise Need
        outcome: dict[str, Any] = {"passed": True}
    except Need:
        outcome = {"need": True}
    except Skipped as error:
        outcome = {"failed": f"skipped: {error}", "line": None}
    except BaseException as error:
        outcome = _explain(error, test["source"])
    return {**outcome, "steps": session.steps}


def run(request: Any) -> Any:
    """Run each test with its own recording."""
    allowed = set(request["imports"])
    return [_one(test, request["shape"], allowed) for test in request["tests"]]
