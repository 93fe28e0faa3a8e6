"""Check that what stands in `bound […]` is a type."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from mayfly.mangle._ast import Apply, Constant, Place, Term, Variable
from mayfly.mangle._text import show_term
from mayfly.mangle._values import Name
from mayfly.mangle._visit import variables
from mayfly.mangle.check._problems import nearest

CONSTRUCTORS: Final[Mapping[str, int | None]] = MappingProxyType(
    {
        "fn:Union": None,
        "fn:Singleton": 1,
        "fn:List": 1,
        "fn:Option": 1,
        "fn:Pair": 2,
        "fn:Tuple": None,
        "fn:Map": 2,
        "fn:Struct": None,
        "fn:TaggedUnion": None,
        "fn:Fun": None,
        "fn:Rel": None,
    }
)
"""What builds a type from others, with the number of its arguments (None: it varies)."""

OPTIONAL: Final = "fn:opt"


class TypeFault(NamedTuple):
    """What is wrong with a type expression, and where."""

    message: str
    place: Place
    fix: str | None = None


class StructField(NamedTuple):
    """One field of a struct type."""

    label: Name
    type: Term
    optional: bool


def faults(term: Term) -> Iterator[TypeFault]:
    """Yield what keeps a term from being a type."""
    if isinstance(term, Variable):
        return
    if isinstance(term, Constant):
        if not isinstance(term.value, Name):
            yield _not_a_type(term)
        return
    arity = CONSTRUCTORS.get(term.function, -1)
    if arity == -1:
        yield _unknown_constructor(term)
    elif arity is not None and len(term.arguments) != arity:
        yield TypeFault(
            f"{_name(term)} takes {arity} type{'s' if arity > 1 else ''}, not {len(term.arguments)}", term.place
        )
    else:
        yield from _by_constructor(term)


def fields(struct: Apply) -> tuple[StructField, ...]:
    """Return the fields of a well-formed struct type."""
    found: list[StructField] = []
    arguments = iter(struct.arguments)
    for argument in arguments:
        optional = isinstance(argument, Apply) and argument.function == OPTIONAL
        label, kind = argument.arguments if isinstance(argument, Apply) and optional else (argument, next(arguments))
        assert isinstance(label, Constant)
        assert isinstance(label.value, Name)
        found.append(StructField(label.value, kind, optional))
    return tuple(found)


def _by_constructor(term: Apply) -> Iterator[TypeFault]:
    if term.function == "fn:Struct":
        yield from _struct_faults(term)
    elif term.function == "fn:TaggedUnion":
        yield from _tagged_faults(term)
    elif term.function == "fn:Fun":
        yield from _function_faults(term)
    elif term.function == "fn:Union" and not term.arguments:
        yield TypeFault("a union of no types has no values", term.place, "name at least one type in .Union<…>")
    elif term.function == "fn:Tuple" and len(term.arguments) < 3:
        yield TypeFault("a tuple type has three parts or more", term.place, "use .Pair<…> for two")
    else:
        for argument in term.arguments:
            yield from faults(argument)


def _struct_faults(term: Apply) -> Iterator[TypeFault]:
    arguments = iter(term.arguments)
    for argument in arguments:
        if isinstance(argument, Apply) and argument.function == OPTIONAL:
            if len(argument.arguments) != 2:
                yield TypeFault("an optional field has a name and a type", argument.place, "write opt /label : type")
                continue
            label, kind = argument.arguments
        else:
            label, kind = argument, next(arguments, argument)
            if kind is argument:
                yield TypeFault("a field of a struct type has no type", argument.place, "write /label : type")
                return
        if not (isinstance(label, Constant) and isinstance(label.value, Name)):
            yield TypeFault(
                f"a field of a struct type is a name, not {show_term(label)}", label.place, "write /label : type"
            )
        yield from faults(kind)


def _tagged_faults(term: Apply) -> Iterator[TypeFault]:
    arguments = term.arguments
    if len(arguments) < 3 or len(arguments) % 2 == 0:
        yield TypeFault("a tagged union has a tag field and pairs of tag and struct type", term.place)
        return
    names = (arguments[0], *arguments[1::2])
    for name in names:
        if not (isinstance(name, Constant) and isinstance(name.value, Name)):
            yield TypeFault(f"a tag is a name, not {show_term(name)}", name.place)
            return
    seen: set[object] = set()
    for tag, kind in zip(arguments[1::2], arguments[2::2], strict=True):
        assert isinstance(tag, Constant)
        if tag.value in seen:
            yield TypeFault(f"the tag {show_term(tag)} is there twice", tag.place)
        seen.add(tag.value)
        yield from _variant_faults(arguments[0], kind)


def _variant_faults(tag_field: Term, kind: Term) -> Iterator[TypeFault]:
    if not (isinstance(kind, Apply) and kind.function == "fn:Struct"):
        yield TypeFault(f"a variant is a struct type, not {show_term(kind)}", kind.place, "write .Struct<…>")
        return
    found = list(_struct_faults(kind))
    yield from found
    assert isinstance(tag_field, Constant)
    if not found and any(field.label is tag_field.value for field in fields(kind)):
        yield TypeFault(f"a variant must not have the tag field {show_term(tag_field)} itself", kind.place)


def _function_faults(term: Apply) -> Iterator[TypeFault]:
    if not term.arguments:
        yield TypeFault("a function type has at least a result", term.place)
        return
    result, *taken = term.arguments
    known = {variable.name for kind in taken for variable in variables(kind)}
    for variable in variables(result):
        if variable.name not in known:
            yield TypeFault(f"the type variable {variable.name} of the result is in no argument", variable.place)
    for kind in term.arguments:
        yield from faults(kind)


def _not_a_type(term: Constant) -> TypeFault:
    if isinstance(term.value, str):
        inclusion = f"inclusion [{term.value}(X)]" if term.value.isidentifier() else "inclusion […]"
        fix = f"write a type such as /string; to demand a predicate, use {inclusion}"
        return TypeFault(f"the bound {show_term(term)} is not a type", term.place, fix)
    return TypeFault(f"the bound {show_term(term)} is not a type", term.place, "write a type such as /number")


def _unknown_constructor(term: Apply) -> TypeFault:
    similar = nearest(term.function, CONSTRUCTORS)
    known = "known are " + ", ".join(f".{name.removeprefix('fn:')}<…>" for name in CONSTRUCTORS)
    fix = f"did you mean .{similar.removeprefix('fn:')}<…>?" if similar else known
    return TypeFault(f"{_name(term)} is not a type", term.place, fix)


def _name(term: Apply) -> str:
    name = term.function.removeprefix("fn:")
    return f".{name}" if name[:1].isupper() else term.function
