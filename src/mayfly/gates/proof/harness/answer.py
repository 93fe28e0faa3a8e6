"""Appended to a program: call it, and turn every answer into plain data or a described error.

It may not import anything, because the program's tier may not, and it may not trust the names of builtins, because the
program may have reused them.
"""

from typing import Any

_mayfly_b: Any = __builtins__
_mayfly_b = _mayfly_b if _mayfly_b.__class__ is {}.__class__ else _mayfly_b.__dict__


class _MayflyNotData(BaseException):
    """What was returned cannot cross the wall; the message names its type."""


class _MayflyLate(BaseException):
    """The alarm rang."""


def _mayfly_plain(value: Any, tagged: bool, depth: int = 0) -> Any:
    """Return *value* as JSON can hold it; *tagged* keeps apart what JSON would merge."""
    b = _mayfly_b
    is_a = b["isinstance"]
    if value is None or value is True or value is False or is_a(value, b["str"]):
        return value
    if is_a(value, b["int"]):
        return value
    if is_a(value, b["float"]):
        if value - value == 0:
            return value
        if tagged:
            return {"float": b["repr"](value)}
        raise _MayflyNotData("the result holds " + b["repr"](value) + ", which is not JSON")
    if depth > 99:
        raise _MayflyNotData("the result is nested too deeply")
    return _mayfly_nested(value, tagged, depth + 1)


def _mayfly_nested(value: Any, tagged: bool, depth: int) -> Any:
    b = _mayfly_b
    is_a = b["isinstance"]
    if is_a(value, b["list"]):
        return [_mayfly_plain(item, tagged, depth) for item in value]
    if is_a(value, b["tuple"]):
        items = [_mayfly_plain(item, tagged, depth) for item in value]
        return {"tuple": items} if tagged else items
    if is_a(value, b["dict"]):
        if tagged:
            return {"dict": [[_mayfly_plain(k, True, depth), _mayfly_plain(v, True, depth)] for k, v in value.items()]}
        for key in value:
            if not (key is None or is_a(key, (b["str"], b["int"], b["float"]))):
                raise _MayflyNotData("the result is not JSON: a key is of type " + b["type"](key).__name__)
        return {key: _mayfly_plain(item, False, depth) for key, item in value.items()}
    kind = b["type"](value)
    fields = b["getattr"](kind, "__dataclass_fields__", None)
    if fields is not None and not is_a(value, b["type"]):
        held = {name: _mayfly_plain(b["getattr"](value, name), tagged, depth) for name in fields}
        return {"record": kind.__name__, "fields": held} if tagged else held
    if tagged and is_a(value, (b["set"], b["frozenset"])):
        return {"set": [_mayfly_plain(item, True, depth) for item in value]}
    raise _MayflyNotData("the result is not JSON: it holds a value of type " + kind.__name__)


async def _mayfly_settle(value: Any) -> Any:
    """Wait for what is awaited and collect what is yielded."""
    b = _mayfly_b
    kind = b["type"](value)
    if b["hasattr"](kind, "__await__"):
        value = await value
        kind = b["type"](value)
    if b["hasattr"](kind, "__anext__"):
        return [item async for item in value]
    return b["list"](value) if b["hasattr"](kind, "__next__") else value


def _mayfly_error(error: Any, lines: int) -> Any:
    """Describe *error* by the names of its classes, its message and the program's own line."""
    b = _mayfly_b
    if b["type"](error) is _MayflyNotData:
        return {"error": ["NotData"], "message": b["str"](error), "line": None}
    try:
        message = b["str"](error)[:500]
    except BaseException:
        message = "(its message could not be read)"
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == "/job.py" and step.tb_lineno <= lines:
            line = step.tb_lineno
        step = step.tb_next
    return {"error": [kind.__name__ for kind in b["type"](error).__mro__[:-1]], "message": message, "line": line}


async def _mayfly_input(target: Any, value: Any, lines: int) -> Any:
    """Answer one input of the entry."""
    b = _mayfly_b
    try:
        call = target().invoke if b["isinstance"](target, b["type"]) else target
        return {"ok": _mayfly_plain(await _mayfly_settle(call(value)), False)}
    except _MayflyLate:
        raise
    except BaseException as error:
        return _mayfly_error(error, lines)


async def _mayfly_asked(space: Any, entry: str, ask: Any, lines: int) -> Any:
    """Answer one question, which is an input of the entry or a session."""
    if "steps" in ask:
        return await _mayfly_asked.__globals__["_mayfly_session"](space, ask["steps"], lines)
    return await _mayfly_input(space[entry], ask["input"], lines)


async def _mayfly_all(request: Any) -> Any:
    space = _mayfly_all.__globals__
    entry, lines = request["entry"], request["lines"]
    return [await _mayfly_asked(space, entry, ask, lines) for ask in request["asks"]]


def _mayfly_answers(request: Any) -> Any:
    """Answer every question of the request; a program that waits for something is given an event loop."""
    work = _mayfly_all(request)
    return work if request["waits"] else _mayfly_finish(work)


def _mayfly_finish(work: Any) -> Any:
    """Run a coroutine that waits for nothing."""
    try:
        while True:
            work.send(None)
    except _mayfly_b["StopIteration"] as done:
        return done.value
