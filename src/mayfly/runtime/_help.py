"""Go on with a task that asked something, with what was answered; whoever shows the question only draws."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, was_hidden
from mayfly.forge import order_again

if TYPE_CHECKING:
    from mayfly.core import Outcome
    from mayfly.forge import Call
    from mayfly.runtime._run import Runtime


def answer_help(runtime: Runtime, id: str, text: str, *, model: str | None = None) -> Outcome[Any]:
    """Record *text* as the answer to the call for help *id*, or to that of the run *id*, and take its task up again."""
    id = f"h-{id.removeprefix('r-')}" if id.startswith("r-") else id
    inbox = runtime.parts.inbox
    call = inbox.get(id)
    if was_hidden(call.request):
        fix = "run it again, with the answer in its words"
        raise InputError(f"{id} was asked with a secret, which is not kept", fix=fix)
    settled = _settling(call, text)
    call = inbox.answer(id, text)
    run, _, node = call.run.partition("/")
    if node and settled is None:
        return runtime.resume(run, hints=(text,), model=model)
    changed = {"hints": (text,)} if settled is None else settled
    return runtime.run(order_again(call.request, **changed, **({"model": model} if model else {})))


def _settling(call: Call, text: str) -> dict[str, Any] | None:
    """Return what an answer to a question about one input adds to the task; None where no such question was asked."""
    if call.asked is None:
        return None
    input, offered = call.asked
    request: Any = call.request
    answers, never = list(request.get("answers") or ()), list(request.get("never") or ())
    if text.strip().lower() in ("cannot occur", "never"):
        return {"answers": answers, "never": [*never, input]}
    return {"answers": [*answers, {"input": input, "output": answer_in(text, offered)}], "never": never}


def answer_in(text: str, offered: Sequence[object]) -> object:
    """Return the output that somebody means: one that is offered, by its number or by yes, or what was written."""
    said = text.strip()
    if said.lower() in ("yes", "y") and offered:
        return offered[0]
    if said.lower() in ("no", "n"):
        raise InputError("what should it give instead?", fix="write the right output, or: cannot occur")
    numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in offered)
    # Where the answers are numbers themselves, a number is an answer and no place in the list.
    if said.isdigit() and 1 <= int(said) <= len(offered) and not numbers:
        return offered[int(said) - 1]
    try:
        value: object = json.loads(said)
    except (ValueError, RecursionError):
        return text
    return value
