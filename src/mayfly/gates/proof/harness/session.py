"""Appended after `answer` where tests call a program by its own names: take the steps of a session in turn."""

from typing import Any

from mayfly.gates.proof.harness.answer import _mayfly_b, _mayfly_error, _mayfly_plain, _mayfly_settle, _MayflyLate


def _mayfly_given(value: Any, made: Any, space: Any) -> Any:
    """Put what earlier steps made, and what JSON cannot say, back into an argument."""
    b = _mayfly_b
    if b["isinstance"](value, b["list"]):
        return [_mayfly_given(item, made, space) for item in value]
    if not b["isinstance"](value, b["dict"]):
        return value
    if "made" in value:
        return made[value["made"]]
    if "record" in value:
        fields = {key: _mayfly_given(item, made, space) for key, item in value["fields"].items()}
        return space[value["record"]](**fields)
    kind, held = b["next"](b["iter"](value.items()))
    if kind == "dict":
        return {_mayfly_given(key, made, space): _mayfly_given(item, made, space) for key, item in held}
    if kind == "float":
        return b["float"](held)
    return b[kind](_mayfly_given(item, made, space) for item in held)


async def _mayfly_step(space: Any, step: Any, made: Any) -> Any:
    """Take one step of a session and return what it gives."""
    b = _mayfly_b
    arguments = _mayfly_given(step["arguments"], made, space)
    keywords = {key: _mayfly_given(value, made, space) for key, value in step["keywords"].items()}
    if step["of"] is None:
        return await _mayfly_settle(space[step["name"]](*arguments, **keywords))
    target = b["getattr"](made[step["of"]], step["name"])
    return target if step["read"] else await _mayfly_settle(target(*arguments, **keywords))


async def _mayfly_session(space: Any, steps: Any, lines: int) -> Any:
    """Answer every step; later ones may use what earlier ones made."""
    b = _mayfly_b
    made: Any = []
    answers: Any = []
    for step in steps:
        value = None
        try:
            value = await _mayfly_step(space, step, made)
            if b["type"](value).__module__ == "job" and not b["hasattr"](value, "__dataclass_fields__"):
                answers.append({"object": b["type"](value).__name__})
            else:
                answers.append({"ok": _mayfly_plain(value, True)})
        except _MayflyLate:
            raise
        except BaseException as error:
            answers.append(_mayfly_error(error, lines))
        made.append(value)
    return {"steps": answers}
