"""Prompts and answers: how tasks, values and failures are shown to a model, within bounds; the code in what it says."""

from __future__ import annotations

import ast
import json
import re
import textwrap
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import Contract, Example, SecretFields, clipped, parse_python
from mayfly.forge._request import Attempt, Request
from mayfly.models import fenced

if TYPE_CHECKING:
    from mayfly.core import Verdict

PROMPTS = Path(__file__).with_name("prompts")


class Shown(NamedTuple):
    """A request for a prompt, and what stands in it for which values: the program itself is run on these."""

    request: Request
    fields: SecretFields


def shown_to_model(request: Request) -> Shown:
    """Return *request* as a prompt may say it."""
    fields = SecretFields()
    names = [name for name, _ in request.signature.parameters] if request.signature is not None else []

    def example(one: Example) -> Example:
        given = fields.arguments(one.input, names) if names else fields.data(one.input)
        return replace(one, input=given, output=fields.data(one.output))

    examples = tuple(map(example, request.examples))
    sample = tuple(fields.rows(request.sample))
    context = fields.data(dict(request.context))
    made = replace(
        request,
        # What was found in the data is said nowhere else either.
        intent=fields.text(request.intent),
        contract=_contract(request.contract, fields),
        examples=examples,
        sample=sample,
        context=context,
        hints=tuple(map(fields.text, request.hints)),
        attempts=tuple(_attempt(one, fields) for one in request.attempts),
    )
    return Shown(made, fields)


def _contract(contract: Contract, fields: SecretFields) -> Contract:
    sides = (replace(side, format=fields.text(side.format)) for side in (contract.input, contract.output))
    given, gives = sides
    edges = {name: fields.text(text) for name, text in contract.edges.items()}
    return replace(contract, input=given, output=gives, edges=edges)


def _attempt(attempt: Attempt, fields: SecretFields) -> Attempt:
    reflection = attempt.reflection
    if reflection is not None:
        failing = tuple(map(fields.said, reflection.failing))
        suggestions = tuple(map(fields.said, reflection.suggestions))
        cause = fields.said(reflection.root_cause)
        reflection = replace(reflection, root_cause=cause, suggestions=suggestions, failing=failing)
    verdicts = tuple(said_verdict(one, fields) for one in attempt.verdicts)
    return replace(attempt, source=fields.text(attempt.source), verdicts=verdicts, reflection=reflection)


def said_verdict(verdict: Verdict, fields: SecretFields) -> Verdict:
    """Return a verdict without values of the data; that of a proof repeats the input on which a program failed."""
    hide = fields.said if verdict.gate == "proof" else fields.text
    return replace(verdict, message=hide(verdict.message))


MOST_EXAMPLES = 20
MOST_LINES = 30
FEW = 3
LONGEST = 2000


def describe(request: Request) -> dict[str, str]:
    """Return every part of a request as text, by the name under which prompts ask for it; empty for what is not there.

    What was agreed on before anything was written, what is known beside the intent, the examples that may be seen, the
    beginning of the real input, what a person has said, and what was tried.
    """
    profile = request.profile
    agreed = "\n".join(f"- {line}" for line in request.contract.lines())
    examples = [f"input: {_as_json(e.input)}\noutput: {_as_json(e.output)}" for e in request.examples[:MOST_EXAMPLES]]
    most = FEW if request.simple else MOST_LINES
    sample = [item if isinstance(item, str) else _as_json(item) for item in request.sample[:most]]
    return {
        "imports": ", ".join(sorted(profile.imports)) or "nothing",
        "complexity": str(profile.max_complexity),
        "arms": str(profile.max_arms),
        "called": called(request),
        "intent": request.intent,
        "contract": f"What was agreed on:\n{agreed}\n" if agreed else "",
        "context": _under("Context", _as_json(dict(request.context)) if request.context else ""),
        "examples": _under("Examples", "\n".join(examples)),
        "sample": _under("The input begins like this", "\n".join(row[:LONGEST] for row in sample)),
        "hints": "".join(f"A person who knows the task says: {hint}\n" for hint in request.hints),
        "attempts": _show_attempts(request.attempts),
    }


def _under(title: str, data: str) -> str:
    return f"{title}:\n{fenced(data)}\n" if data else ""


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


def _show_attempts(tried: tuple[Attempt, ...]) -> str:
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


_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_PYTHON = {"", "py", "python", "python3"}
# How models say that they will not.
_REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:can(?:'|no)t|cannot|won't|will not|must decline)|as an AI)\b",
    re.IGNORECASE,
)


def fenced_blocks(answer: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of *answer*, each with the language that its fence names."""
    return [(tag, body) for _, tag, body in _FENCE.findall(answer)]


def code_in(answer: str) -> str | None:
    """Return the Python in *answer*: the largest fenced block of it, or all of it if it is code; None for prose."""
    blocks = fenced_blocks(answer)
    python = [textwrap.dedent(body) for tag, body in blocks if tag.lower() in _PYTHON and body.strip()]
    if python:
        return max(python, key=lambda body: (_defines(body), len(body))).strip("\n") + "\n"
    if blocks:
        return None
    bare = textwrap.dedent(answer).strip("\n")
    return bare + "\n" if _looks_like_code(bare) else None


def why_no_code(answer: str, *, truncated: bool) -> tuple[str, str]:
    """Say what an answer without a program is: cut off, in another language, a refusal, or plain prose."""
    if truncated:
        return "TRUNCATED", "the answer was cut off before a program was complete; the limit is models.max_output"
    others = [tag for tag, body in fenced_blocks(answer) if tag.lower() not in _PYTHON and body.strip()]
    if others:
        return "OTHER_LANGUAGE", f"the answer is {others[0]}, not Python"
    short = " ".join(answer.split())[:120]
    if _REFUSAL.search(answer[:400]):
        return "MODEL_REFUSED", f"the model refuses: {short!r}"
    return "NO_CODE", f"the answer holds no program: {short!r}" if short else "the answer is empty"


def _defines(source: str) -> bool:
    """Whether *source* parses and defines something to call; a shell line or a usage sketch does not."""
    tree = parsed(source)
    return tree is not None and any(
        isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) for node in tree.body
    )


def _looks_like_code(text: str) -> bool:
    """Whether an answer without fences is meant as code, even if it is broken code."""
    if _defines(text):
        return True
    return bool(re.search(r"^(?:class|def|async def|import|from)\s+\w", text, re.MULTILINE)) and parsed(text) is None


def parsed(source: str) -> ast.Module | None:
    """Return the tree of a source, None where it is no Python; what is wrong with it is for the gates to say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def normalised(source: str) -> str:
    """Return what stays the same when only comments and layout change; the text itself where it does not parse."""
    tree = parsed(source)
    try:
        return source.strip() if tree is None else ast.dump(tree)
    except RecursionError:
        return source.strip()
