"""Take the program out of what a model answered: models wrap code in prose and fences."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings

from mayfly.core import parse_python

_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_PYTHON = {"", "py", "python", "python3"}
# How models say that they will not.
_REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:can(?:'|no)t|cannot|won't|will not|must decline)|as an AI)\b",
    re.IGNORECASE,
)


def code_in(answer: str) -> str | None:
    """Return the Python in *answer*: the largest fenced block of it, or all of it if it is code; None for prose."""
    blocks = [(tag.lower(), textwrap.dedent(body)) for _, tag, body in _FENCE.findall(answer)]
    python = [body for tag, body in blocks if tag in _PYTHON and body.strip()]
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
    others = [tag for _, tag, body in _FENCE.findall(answer) if tag.lower() not in _PYTHON and body.strip()]
    if others:
        return "OTHER_LANGUAGE", f"the answer is {others[0]}, not Python"
    short = " ".join(answer.split())[:120]
    if _REFUSAL.search(answer[:400]):
        return "MODEL_REFUSED", f"the model refuses: {short!r}"
    return "NO_CODE", f"the answer holds no program: {short!r}" if short else "the answer is empty"


def _defines(source: str) -> bool:
    """Whether *source* parses and defines something to call; a shell line or a usage sketch does not."""
    tree = _parse(source)
    return tree is not None and any(
        isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) for node in tree.body
    )


def _looks_like_code(text: str) -> bool:
    """Whether an answer without fences is meant as code, even if it is broken code."""
    if _defines(text):
        return True
    return bool(re.search(r"^(?:class|def|async def|import|from)\s+\w", text, re.MULTILINE)) and _parse(text) is None


def _parse(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def normalised(source: str) -> str:
    """Return what stays the same when only comments and layout change; the text itself where it does not parse."""
    tree = _parse(source)
    try:
        return source.strip() if tree is None else ast.dump(tree)
    except RecursionError:
        return source.strip()
