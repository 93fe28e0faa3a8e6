"""Put a request into words for a prompt: contract, context, examples, samples, hints, earlier attempts."""

from __future__ import annotations

import json

from mayfly.core import Contract, Example, clipped
from mayfly.forge._prompt import fenced
from mayfly.forge._request import Attempt, Request

MOST_EXAMPLES = 20
MOST_LINES = 30
FEW = 3
LONGEST = 2000


def called(request: Request) -> str:
    """Say how the program is called."""
    if request.signature is not None:
        return f"Define exactly this module-level function: `{request.signature}`."
    kinds = "an iterable of lines of text, in order" if request.lines else "the value described by the task"
    stream = (
        " Write `def invoke(self, input: Iterable[str]) -> Iterator[Record]` as a generator if the result is one item"
        " for some of the lines, so that files of any size pass through."
        if request.lines
        else ""
    )
    return (
        "Define exactly one class with a public method `invoke(self, input)`, annotated, and no constructor arguments;"
        f" its input is {kinds}. Results are JSON values or dataclasses.{stream}"
    )


def agreed(contract: Contract) -> str:
    """Write what was agreed on before anything was written."""
    told = "\n".join(f"- {line}" for line in contract.lines())
    return f"What was agreed on:\n{told}\n" if told else ""


def context(request: Request) -> str:
    """Write what is known beside the intent."""
    return f"Context:\n{fenced(_as_json(dict(request.context)))}\n" if request.context else ""


def examples(given: tuple[Example, ...]) -> str:
    """Write the examples that may be seen."""
    if not given:
        return ""
    rows = [f"input: {_as_json(e.input)}\noutput: {_as_json(e.output)}" for e in given[:MOST_EXAMPLES]]
    return f"Examples:\n{fenced(chr(10).join(rows))}\n"


def sample(request: Request) -> str:
    """Write the beginning of the real input."""
    if not request.sample:
        return ""
    most = FEW if request.simple else MOST_LINES
    rows = [item if isinstance(item, str) else _as_json(item) for item in request.sample[:most]]
    return f"The input begins like this:\n{fenced(chr(10).join(row[:LONGEST] for row in rows))}\n"


def hints(request: Request) -> str:
    """Write what a person has said about the task."""
    return "".join(f"A person who knows the task says: {hint}\n" for hint in request.hints)


def attempts(tried: tuple[Attempt, ...]) -> str:
    """Write the last attempt, why it was refused and what every reflection so far suggested."""
    if not tried:
        return ""
    last = tried[-1]
    lines = [f"Attempt {last.number} was refused. It was:", fenced(last.source)]
    if last.reflection is not None:
        lines += [f"Root cause: {last.reflection.root_cause}"]
        lines += [f"Failure: {failure}" for failure in last.reflection.failing]
        lines += [f"Suggestion: {suggestion}" for suggestion in last.reflection.suggestions]
    earlier = [attempt.error for attempt in tried[:-1] if attempt.error]
    lines += [f"Before that: {error}" for error in earlier]
    return "\n".join([*lines, "Write the whole program again, with this mended."])


def _as_json(value: object) -> str:
    return clipped(json.dumps(value, ensure_ascii=False, default=repr), LONGEST, mark=" …")
