"""How a function that has to be written is called: its parameters, their defaults, and what its docstring shows.

A call crosses into the sandbox as one list: the value of every parameter in order, defaults filled in.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mayfly.core import UNSET, Example, InputError, canonical_json, parse_python
from mayfly.forge._request import Signature
from mayfly.gates import Parameter, examples_in

_EMPTY = inspect.Parameter.empty
# An example that goes on for longer than this is not taken apart; it is read as it stands.
_LONGEST_CALL = 2000


@dataclass(frozen=True, kw_only=True)
class FunctionSignature(Signature):
    """A signature with its defaults and the kinds of its parameters."""

    shape: inspect.Signature

    def __str__(self) -> str:
        return f"def {self.name}({', '.join(_shown(self.shape))}) -> {self.returns or 'object'}"

    def arguments(self, args: Sequence[object], kwargs: dict[str, object]) -> list[object]:
        """Return the value of every parameter for a call, in order; a call that does not fit is a `TypeError`."""
        bound = self.shape.bind(*args, **kwargs)
        bound.apply_defaults()
        return [bound.arguments[name] for name in self.shape.parameters]


def signature_of(function: Callable[..., object]) -> FunctionSignature:
    """Read the signature of *function*; what cannot be passed to a written one is an `InputError` in one line."""
    name = getattr(function, "__name__", "the function")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise _is_async(name)
    return _signature(name, inspect.signature(function), inspect.cleandoc(function.__doc__ or ""))


def signature_of_node(node: ast.FunctionDef | ast.AsyncFunctionDef) -> FunctionSignature:
    """Read the signature of a function that is only there as source."""
    if isinstance(node, ast.AsyncFunctionDef):
        raise _is_async(node.name)
    for argument, default in _defaults(node.args):
        try:
            ast.literal_eval(default)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            raise InputError(
                f"{node.name}: the default of {argument} is {ast.unparse(default)}, known only when the module runs",
                fix=f"write the value itself: {argument}=…",
            ) from None
    # Its defaults are literals and its annotations stay text, so that nothing of the module runs here.
    stub = ast.FunctionDef(name=node.name, args=node.args, body=[ast.Pass()], decorator_list=[], returns=node.returns)
    if "type_params" in ast.FunctionDef._fields:
        stub.type_params = []  # type: ignore[attr-defined,unused-ignore]
    space: dict[str, Callable[..., object]] = {}
    module = ast.fix_missing_locations(ast.Module(body=[stub], type_ignores=[]))
    code = compile(module, "<signature>", "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    exec(code, {"__builtins__": {}}, space)
    return _signature(node.name, inspect.signature(space[node.name]), ast.get_docstring(node) or "")


def _defaults(given: ast.arguments) -> list[tuple[str, ast.expr]]:
    """Return the parameters that have a default; those of positional ones belong to the last of them."""
    positional = [one.arg for one in (*given.posonlyargs, *given.args)]
    pairs = [*zip(reversed(positional), reversed(given.defaults), strict=False)][::-1]
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return [*pairs, *((one.arg, default) for one, default in named if default is not None)]


def examples_of(signature: Signature) -> list[Example]:
    """Return the examples its docstring gives; their inputs are lists of arguments, with the defaults filled in."""
    text = signature.doc
    if isinstance(signature, FunctionSignature):
        text = _positional(text, signature)
    found = examples_in(text, signature.name, spread=True)
    return [Example(input=test.input, output=test.expected) for test in found if test.expected is not UNSET]


def _signature(name: str, shape: inspect.Signature, doc: str) -> FunctionSignature:
    kinds = inspect.Parameter
    for parameter in shape.parameters.values():
        if parameter.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD):
            stars = "*" if parameter.kind is kinds.VAR_POSITIONAL else "**"
            raise InputError(
                f"{name}: {stars}{parameter.name} cannot be passed to a written function",
                fix="name each parameter, or take one list or dict",
            )
        _check_default(name, parameter)
    return FunctionSignature(
        name=name,
        parameters=tuple(Parameter(one.name, _text(one.annotation)) for one in shape.parameters.values()),
        returns=_text(shape.return_annotation),
        doc=doc,
        shape=shape,
    )


def _check_default(name: str, parameter: inspect.Parameter) -> None:
    """Refuse a default that cannot cross the wall: every call hands all values over."""
    if parameter.default is _EMPTY:
        return
    try:
        canonical_json(parameter.default)
    except (TypeError, ValueError, RecursionError):
        raise InputError(
            f"{name}: the default of {parameter.name} is no plain value and cannot be passed to a written function",
            fix=f"use None, a number, a text, a list or a dict: {parameter.name}=None",
        ) from None


def _is_async(name: str) -> InputError:
    return InputError(
        f"{name} is async, and a written function is not awaited",
        fix=f"write def {name}; to wait without blocking: await asyncio.to_thread({name}, …)",
    )


def _shown(shape: inspect.Signature) -> list[str]:
    """Return the parameters as they are written in a definition, with the marks between their kinds."""
    kinds, parts, before = inspect.Parameter, list[str](), None
    for parameter in shape.parameters.values():
        if before is kinds.POSITIONAL_ONLY and parameter.kind is not before:
            parts.append("/")
        if parameter.kind is kinds.KEYWORD_ONLY and before is not parameter.kind:
            parts.append("*")
        before = parameter.kind
        annotation, default = _text(parameter.annotation), parameter.default
        text = f"{parameter.name}: {annotation}" if annotation else parameter.name
        parts.append(text if default is _EMPTY else f"{text} = {default!r}" if annotation else f"{text}={default!r}")
    return [*parts, "/"] if before is kinds.POSITIONAL_ONLY else parts


def _text(annotation: object) -> str:
    if annotation is _EMPTY:
        return ""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _positional(text: str, signature: FunctionSignature) -> str:
    """Return *text* with every call of the function written out: all values, in the order of the parameters."""
    parts, at = [], 0
    for start in re.finditer(rf"(?<![\w.]){re.escape(signature.name)}\(", text):
        if start.start() < at:
            continue
        call = _call_at(text, start.start())
        written = None if call is None else _written_out(call[0], signature)
        if call is not None and written is not None:
            parts += [text[at : start.start()], written]
            at = call[1]
    return "".join([*parts, text[at:]])


def _call_at(text: str, start: int) -> tuple[ast.Call, int] | None:
    """Return the call that begins at *start* and where it ends: at the first bracket that makes it whole."""
    end = start
    while end := text.find(")", end, start + _LONGEST_CALL) + 1:
        try:
            node = parse_python(text[start:end], mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        return (node, end) if isinstance(node, ast.Call) else None
    return None


def _written_out(call: ast.Call, signature: FunctionSignature) -> str | None:
    """Return the call with all its values in order; None where they are no literals or do not fit."""
    try:
        args = [ast.literal_eval(one) for one in call.args]
        values = signature.arguments(args, {str(word.arg): ast.literal_eval(word.value) for word in call.keywords})
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return f"{signature.name}({', '.join(map(repr, values))})"
