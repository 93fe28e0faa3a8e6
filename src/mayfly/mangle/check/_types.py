"""Tell whether a value fits a type, and whether two types can have a value in common."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias, TypeGuard

from mayfly.mangle._ast import Apply, Constant, Place, Term, Variable
from mayfly.mangle._text import show_term
from mayfly.mangle._values import FALSE, TRUE, Duration, Float, List, Map, Name, Pair, Struct, Time, Value
from mayfly.mangle.builtins import TypeExpression
from mayfly.mangle.check._type_terms import StructField, fields

Test: TypeAlias = Callable[[Value], bool]

NOWHERE: Final = Place("", 0, 0)
_BASE: Final[Mapping[str, type]] = MappingProxyType(
    {
        "/name": Name,
        "/number": int,
        "/float64": Float,
        "/string": str,
        "/bytes": bytes,
        "/time": Time,
        "/duration": Duration,
    }
)
_SHAPES: Final[Mapping[str, type]] = MappingProxyType(
    {"fn:Pair": Pair, "fn:List": List, "fn:Map": Map, "fn:Struct": Struct}
)
_SCALARS: Final = (int, str, bytes, Float, Time, Duration)

ANYTHING: Final = Variable(name="_", place=NOWHERE)
"""The type of what nothing is known of."""


def conforms(value: Value, type_term: Term) -> bool:
    """Tell whether a value fits a type; where the language leaves it open, it does."""
    return test_of(type_term)(value)


def test_of(term: Term) -> Test:
    """Return the test of a type, made once for many values."""
    if isinstance(term, Variable):
        return _always
    if isinstance(term, Constant):
        assert isinstance(term.value, Name)
        return _base_test(term.value.text)
    if term.function in _COMBINED:
        return _COMBINED[term.function](term)
    # Function and relation types describe no values that a fact can hold: nothing can be proved of them.
    return _always


def singleton(value: Value) -> Term:
    """Return the type that has this value only."""
    return Apply(function="fn:Singleton", arguments=(Constant(value=value, place=NOWHERE),), place=NOWHERE)


def type_of(expression: TypeExpression) -> Term:
    """Return the type that the tables of builtins write as plain data."""
    if isinstance(expression, tuple):
        function, *arguments = expression
        assert isinstance(function, str)
        return Apply(function=function, arguments=tuple(map(type_of, arguments)), place=NOWHERE)
    if expression.startswith("/"):
        return Constant(value=Name(expression), place=NOWHERE)
    return Variable(name=expression, place=NOWHERE)


def show_type(term: Term) -> str:
    """Return a type as a message names it: the one value of a singleton, what a prefix of names means."""
    if _is(term, "fn:Singleton"):
        return show_term(term.arguments[0])
    if _shape(term) is Name and not _is_name(term, "/name"):
        return f"a name below {show_term(term)}/"
    return show_term(term)


def disjoint(one: Term, other: Term) -> bool:
    """Tell whether it is certain that no value fits both types."""
    one, other = _expanded(one), _expanded(other)
    for first, second in ((one, other), (other, one)):
        if _is(first, "fn:Union"):
            return all(disjoint(part, second) for part in first.arguments)
    for first, second in ((one, other), (other, one)):
        if _is(first, "fn:Singleton"):
            held = first.arguments[0]
            return isinstance(held, Constant) and not conforms(held.value, second)
    return _disjoint_plain(one, other)


def _disjoint_plain(one: Term, other: Term) -> bool:
    shapes = [_shape(one), _shape(other)]
    if None in shapes:
        return _is_name(one, "/bot") or _is_name(other, "/bot")
    if shapes[0] is not shapes[1]:
        return True
    if isinstance(one, Constant) and isinstance(other, Constant):
        return shapes[0] is Name and _disjoint_names(one, other)
    assert isinstance(one, Apply)
    assert isinstance(other, Apply)
    if shapes[0] is Pair:
        return any(disjoint(left, right) for left, right in zip(one.arguments, other.arguments, strict=True))
    if shapes[0] is Struct:
        return _disjoint_structs(one, other)
    return False  # The empty list or map fits both.


def _disjoint_names(one: Constant, other: Constant) -> bool:
    assert isinstance(one.value, Name)
    assert isinstance(other.value, Name)
    if "/name" in (one.value.text, other.value.text):
        return False
    left, right = one.value.text + "/", other.value.text + "/"
    return not (left.startswith(right) or right.startswith(left))


def _disjoint_structs(one: Apply, other: Apply) -> bool:
    required = {field.label: field.type for field in fields(other) if not field.optional}
    return any(
        not field.optional and field.label in required and disjoint(field.type, required[field.label])
        for field in fields(one)
    )


def _shape(term: Term) -> type | None:
    """Return the class of the values of a type; None when they may be of several, or nothing is known."""
    if isinstance(term, Constant):
        text = term.value.text if isinstance(term.value, Name) else ""
        return None if text in ("/any", "/bot", "/bool") else _BASE.get(text, Name)
    return _SHAPES.get(term.function) if isinstance(term, Apply) else None


def _is(term: Term, function: str) -> TypeGuard[Apply]:
    return isinstance(term, Apply) and term.function == function


def _is_name(term: Term, text: str) -> bool:
    return isinstance(term, Constant) and isinstance(term.value, Name) and term.value.text == text


def _expanded(term: Term) -> Term:
    """Return a tuple type as nested pairs and a tagged union as a union of structs; any other type as it is."""
    if _is(term, "fn:Tuple"):
        return _nested_pairs(term)
    if _is(term, "fn:TaggedUnion"):
        return _variants(term)
    return term


def _nested_pairs(term: Apply) -> Term:
    *firsts, result = term.arguments
    for first in reversed(firsts):
        result = Apply(function="fn:Pair", arguments=(first, result), place=term.place)
    return result


def _variants(term: Apply) -> Apply:
    tag_field, *rest = term.arguments
    variants: list[Term] = []
    for tag, struct in zip(rest[::2], rest[1::2], strict=True):
        assert isinstance(tag, Constant)
        assert isinstance(struct, Apply)
        arguments = (tag_field, singleton(tag.value), *struct.arguments)
        variants.append(Apply(function="fn:Struct", arguments=arguments, place=struct.place))
    return Apply(function="fn:Union", arguments=tuple(variants), place=term.place)


def _always(_: Value) -> bool:
    return True


def _base_test(text: str) -> Test:
    if text == "/any":
        return _always
    if text == "/bot":
        return lambda _: False
    if text == "/bool":
        return lambda value: value is TRUE or value is FALSE or _has_prefix(value, "/bool/")
    kind = _BASE.get(text)
    if kind is not None:
        return lambda value: isinstance(value, kind)
    prefix = text + "/"
    return lambda value: _has_prefix(value, prefix)


def _has_prefix(value: Value, prefix: str) -> bool:
    return isinstance(value, Name) and value.text.startswith(prefix)


def _pair_test(term: Apply) -> Test:
    left, right = map(test_of, term.arguments)
    return lambda value: isinstance(value, Pair) and left(value.held[0]) and right(value.held[1])


def _list_test(term: Apply) -> Test:
    inner = test_of(term.arguments[0])
    return lambda value: isinstance(value, List) and all(map(inner, value.held))


def _map_test(term: Apply) -> Test:
    key, held = map(test_of, term.arguments)
    return lambda value: isinstance(value, Map) and all(key(entry[0]) and held(entry[1]) for entry in value.held)


def _struct_test(term: Apply) -> Test:
    known = [(field, test_of(field.type)) for field in fields(term)]
    return lambda value: isinstance(value, Struct) and _fits(dict(value.held), known)


def _fits(found: Mapping[Value, Value], known: list[tuple[StructField, Test]]) -> bool:
    """Look at the fields that the type names; a struct with more of them fits as well."""
    return all(test(found[field.label]) if field.label in found else field.optional for field, test in known)


def _union_test(term: Apply) -> Test:
    tests = [test_of(part) for part in term.arguments]
    return lambda value: any(test(value) for test in tests)


def _singleton_test(term: Apply) -> Test:
    held = term.arguments[0]
    return (lambda value: value == held.value) if isinstance(held, Constant) else _always


def _option_test(term: Apply) -> Test:
    """Refuse only what is neither the inner type nor could stand for an option, which has no values of its own yet."""
    inner = test_of(term.arguments[0])
    return lambda value: not isinstance(value, _SCALARS) or inner(value)


_COMBINED: Final[Mapping[str, Callable[[Apply], Test]]] = MappingProxyType(
    {
        "fn:Pair": _pair_test,
        "fn:List": _list_test,
        "fn:Map": _map_test,
        "fn:Struct": _struct_test,
        "fn:Union": _union_test,
        "fn:Singleton": _singleton_test,
        "fn:Option": _option_test,
        "fn:Tuple": lambda term: test_of(_nested_pairs(term)),
        "fn:TaggedUnion": lambda term: _union_test(_variants(term)),
    }
)
