"""Write a program as Python: one class with `invoke`, or one function with named parameters, and what it needs."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mayfly.core import clipped, parse_python
from mayfly.synthesis.examples._ops import imports, needed
from mayfly.synthesis.examples._tree import (
    ApplyOperation,
    Choose,
    Concat,
    Each,
    Expr,
    FixedList,
    InputPart,
    Literal,
    LoopItem,
    RecordTree,
    Value,
    walk,
)

_SCALARS = {str: "str", bool: "bool", int: "int", float: "float"}


def annotation(values: Sequence[Value]) -> str:
    """Return the narrowest annotation that all values have; unlike values in one container make it `object`."""
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return "float"
    if len(kinds) == 1 and (kind := next(iter(kinds))) in _SCALARS:
        return _SCALARS[kind]
    if values and all(isinstance(value, list) for value in values):
        return f"list[{_inner([inner for value in values if isinstance(value, list) for inner in value])}]"
    if values and all(isinstance(value, Mapping) for value in values):
        held = [inner for value in values if isinstance(value, Mapping) for inner in value.values()]
        return f"dict[str, {_inner(held)}]"
    return "object"


def _inner(values: Sequence[Value]) -> str:
    return annotation(values) if values else "object"


def element(container: str) -> str:
    """Return the type of what a container holds."""
    if container.startswith("list["):
        return container[5:-1]
    if container.startswith("dict[str, "):
        return container[10:-1]
    return "str" if container == "str" else "object"


def type_of(expr: Expr, given: str, item: str = "object") -> str:
    """Return the static type of an expression, where the input and the element at hand have the given types."""
    if isinstance(expr, InputPart):
        return _at(given, len(expr.path))
    if isinstance(expr, LoopItem):
        return item
    if isinstance(expr, ApplyOperation):
        return _applied(expr, given, item)
    if isinstance(expr, Concat):
        return "str"
    if isinstance(expr, Literal):
        return "None" if expr.constant is None else annotation([expr.constant])
    if isinstance(expr, Choose):
        return joined([type_of(result, given, item) for result in (*[arm[1] for arm in expr.arms], expr.otherwise)])
    if isinstance(expr, Each):
        return f"list[{type_of(expr.body, given, element(type_of(expr.source, given, item)))}]"
    if isinstance(expr, RecordTree):
        return "dict[str, object]"
    return "list[object]" if isinstance(expr, FixedList) else "object"


def _at(given: str, depth: int) -> str:
    if depth == 0:
        return given
    return element(given) if depth == 1 else "object"


def _applied(expr: ApplyOperation, given: str, item: str) -> str:
    """Return the declared type; `same` and `element` follow the type of the first argument."""
    returns = expr.op.returns
    if returns == "same":
        return type_of(expr.args[0], given, item)
    if returns == "element":
        return element(type_of(expr.args[0], given, item))
    return returns


def joined(types: Sequence[str]) -> str:
    """Return the type of a value that has one of several types."""
    distinct = list(dict.fromkeys(types))
    if len(distinct) == 1:
        return distinct[0]
    if set(distinct) == {"int", "float"}:
        return "float"
    scalars = {"str", "int", "float", "bool", "None"}
    if set(distinct) <= scalars:
        return " | ".join(sorted(set(distinct), key=lambda name: (name == "None", name)))
    return "object"


_HOISTED = {"datetime": "moment", "tuple[int, int]": "number", "int": "count", "str": "text", "list[str]": "parts"}
_LINE = 100
_SHADOWED = {
    "abs",
    "float",
    "int",
    "len",
    "list",
    "max",
    "min",
    "round",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
    "dict",
}


@dataclass(frozen=True, kw_only=True)
class CallShape:
    """How the program is called: its name, the types of what it takes, and the names of its parameters."""

    name: str
    given: str
    parameters: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


def emit(expr: Expr, shape: CallShape, *, summary: str, example: str) -> str:
    """Return the source of the program."""
    writer = _Writer(shape=shape)
    body = writer.body(expr)
    returns = type_of(expr, shape.given)
    entry = (
        _function(shape, returns, body, summary, example)
        if shape.parameters
        else _class(shape, returns, body, summary, example)
    )
    return _module(entry, writer, summary)


def _module(entry: str, writer: _Writer, summary: str) -> str:
    used = {node.id for node in ast.walk(parse_python(entry)) if isinstance(node, ast.Name)}
    chosen = needed(name for name in used if name.startswith("_"))
    names = used.union(*[block.names for block in chosen])
    sections = [f'"""{doc(summary)}"""']
    lines = imports(names)
    if lines:
        sections.append("\n".join(lines))
    constants = [block.text for block in chosen if block.constant] + writer.constants
    if constants:
        sections.append("\n".join(constants))
    functions = [block.text for block in chosen if not block.constant]
    shadowed = sorted(_SHADOWED & {writer.shape.name, *writer.shape.parameters})
    if shadowed:
        sections.append("\n".join(f"_builtin_{name} = {name}" for name in shadowed))
        calls = re.compile(rf"(?<![\w.])({'|'.join(shadowed)})(?=\()")
        functions = [calls.sub(r"_builtin_\1", text) for text in functions]
        first, _, rest = entry.partition("\n")
        entry = first + "\n" + calls.sub(r"_builtin_\1", rest)
    return "\n\n\n".join(["\n\n".join(sections), *functions, entry]) + "\n"


def _class(shape: CallShape, returns: str, body: list[str], summary: str, example: str) -> str:
    lines = [
        f"class {shape.name}:",
        f'    """{doc(summary)}"""',
        "",
        f"    def invoke(self, input: {shape.given}) -> {returns}:",
    ]
    lines.append(f'        """{doc(example)}"""')
    return "\n".join(lines + [f"        {line}" if line else "" for line in body])


def _function(shape: CallShape, returns: str, body: list[str], summary: str, example: str) -> str:
    pairs = zip(shape.parameters, shape.types, strict=True)
    parameters = ", ".join(f"{name}: {kind}" for name, kind in pairs)
    lines = [
        f"def {shape.name}({parameters}) -> {returns}:",
        f'    """{doc(summary)}',
        "",
        f"    {doc(example)}",
        '    """',
    ]
    return "\n".join(lines + [f"    {line}" if line else "" for line in body])


def doc(text: str) -> str:
    """Make a text fit for a docstring: one line without quotes, backslashes or what cannot be seen."""
    shown = "".join(char if char.isprintable() else " " for char in text).replace("\\", "/").replace('"', "'")
    return clipped(shown, 240, mark="...")


@dataclass(kw_only=True)
class _Writer:
    """Turn expressions into text, collecting constants that get a name."""

    shape: CallShape
    constants: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    local: dict[Expr, str] = field(default_factory=dict)

    def body(self, expr: Expr) -> list[str]:
        """Return the statements that compute and return the expression."""
        if not isinstance(expr, Choose):
            return self._returned(expr)
        lines: list[str] = []
        for test, result in expr.arms:
            lines.append(f"if {self.text(test)}:")
            lines.extend(f"    {line}" for line in self._returned(result))
        return lines + self._returned(expr.otherwise)

    def _returned(self, expr: Expr) -> list[str]:
        """Return the statements for one result; what is used more than once gets a name first."""
        self.local = {}
        lines: list[str] = []
        for repeated in _repeated(expr):
            kind = type_of(repeated, self.shape.given)
            base = _HOISTED.get(kind, "part")
            taken = {*self.local.values(), *self.shape.parameters}
            name = next(name for name in (base, *(f"{base}_{count}" for count in range(2, 99))) if name not in taken)
            lines.append(f"{name} = {self.text(repeated)}")
            self.local[repeated] = name
        text = self.text(expr)
        if len(text) > _LINE and isinstance(expr, Concat):
            return [*lines, "return (", *self._stacked(expr), ")"]
        return [*lines, f"return {text}"]

    def _stacked(self, expr: Concat) -> list[str]:
        parts = [self.inner(part) for part in expr.parts]
        return [f"    {parts[0]}", *(f"    + {part}" for part in parts[1:])]

    def inner(self, expr: Expr) -> str:
        """Return the text of an expression, in brackets if it has an operator at its top."""
        text = self.text(expr)
        loose = isinstance(expr, (Concat, Choose)) or (isinstance(expr, ApplyOperation) and expr.op.loose)
        return f"({text})" if loose and expr not in self.local else text

    def text(self, expr: Expr) -> str:
        """Return an expression as Python."""
        if expr in self.local:
            return self.local[expr]
        if isinstance(expr, InputPart):
            return self._given(expr)
        if isinstance(expr, LoopItem):
            return "item"
        if isinstance(expr, Literal):
            return self._literal(expr.constant)
        if isinstance(expr, Concat):
            return " + ".join(self.inner(part) for part in expr.parts)
        if isinstance(expr, Choose):
            arms = [f"{self.inner(result)} if {self.inner(test)} else " for test, result in expr.arms]
            return "".join(arms) + self.inner(expr.otherwise)
        return self._compound(expr)

    def _compound(self, expr: Expr) -> str:
        if isinstance(expr, ApplyOperation):
            args = [self.inner(arg) if expr.op.template else self.text(arg) for arg in expr.args]
            if not expr.op.template:
                return f"_{expr.op.name}({', '.join(args)})"
            return re.sub(r"\{(\d)\}", lambda match: args[int(match[1])], expr.op.template)
        if isinstance(expr, Each):
            test = f" if {self.text(expr.test)}" if expr.test is not None else ""
            return f"[{self.text(expr.body)} for item in {self.inner(expr.source)}{test}]"
        if isinstance(expr, RecordTree):
            return "{" + ", ".join(f"{quoted(name)}: {self.text(part)}" for name, part in expr.fields) + "}"
        assert isinstance(expr, FixedList)
        return "[" + ", ".join(self.text(part) for part in expr.elements) + "]"

    def _given(self, expr: InputPart) -> str:
        if self.shape.parameters:
            if not expr.path:
                return f"[{', '.join(self.shape.parameters)}]"
            first, rest = expr.path[0], expr.path[1:]
            assert isinstance(first, int)
            return self._steps(self.shape.parameters[first], self.shape.types[first], rest)
        return self._steps("input", self.shape.given, expr.path)

    def _steps(self, text: str, kind: str, path: Sequence[str | int]) -> str:
        """Return the access along a path: by subscripts as long as the types say that it works."""
        for number, step in enumerate(path):
            if not kind.startswith(("list[", "dict[")):
                return f"_part({', '.join([text, *(quoted(each) for each in path[number:])])})"
            text, kind = f"{text}[{quoted(step)}]", element(kind)
        return text

    def _literal(self, value: Value) -> str:
        if not isinstance(value, (tuple, dict)):
            return quoted(value)
        text = table_source(value)
        if text not in self.names:
            base = "NOTATIONS" if isinstance(value, tuple) else "KNOWN"
            self.names[text] = base if base not in self.names.values() else f"{base}_{len(self.names) + 1}"
            self.constants.append(f"{self.names[text]} = {text}")
        return self.names[text]


def _repeated(expr: Expr) -> list[Expr]:
    """Return the computed parts that occur more than once outside loops, the innermost first."""
    counts = Counter(_outside_loops(expr))
    chosen = [part for part, count in counts.items() if count > 1 and isinstance(part, ApplyOperation) and _worth(part)]
    outer = [
        part
        for part in chosen
        if not any(part is not other and part in set(walk(other)) and counts[other] == counts[part] for other in chosen)
    ]
    return sorted(outer, key=lambda part: len(list(walk(part))))


def _worth(part: ApplyOperation) -> bool:
    return not part.op.template or len(list(walk(part))) > 3


def _outside_loops(expr: Expr) -> Iterable[Expr]:
    yield expr
    children = [expr.source] if isinstance(expr, Each) else expr.children()
    for child in children:
        if not isinstance(child, Choose):
            yield from _outside_loops(child)


def table_source(value: tuple[Value, ...] | dict[Value, Value]) -> str:
    """Return a table or a tuple over several lines."""
    if isinstance(value, tuple):
        return "(\n" + "".join(f"    {quoted(each)},\n" for each in value) + ")"
    return "{\n" + "".join(f"    {quoted(key)}: {quoted(each)},\n" for key, each in value.items()) + "}"


def quoted(value: Value) -> str:
    """Return a constant as Python, texts in double quotes, raw where that saves backslashes."""
    if not isinstance(value, str):
        return repr(value)
    plain = value.isprintable() and '"' not in value
    if plain and "\\" in value and not value.endswith("\\"):
        return f'r"{value}"'
    if plain and "\\" not in value:
        return f'"{value}"'
    return repr(value)
