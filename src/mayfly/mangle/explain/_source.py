"""What a model was given from outside: the facts of the call and the external predicates."""

from collections.abc import Iterable, Iterator, Mapping

from mayfly.mangle._ast import Atom, Symbol
from mayfly.mangle._checked import Declared
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import Row
from mayfly.mangle.engine import External, Model
from mayfly.mangle.explain._terms import value_of


def told(model: Model) -> Iterator[tuple[Symbol, Row]]:
    """Yield the facts of the call."""
    asked = externals(model)
    for symbol, row in model.facts():
        origin = model.origin(symbol, row)
        if origin is not None and origin.rule is None and origin.place is None and symbol not in asked:
            yield symbol, row


def externals(model: Model) -> Mapping[Symbol, External]:
    """Return the external predicates of the call."""
    run = model._run
    return {run.layout.symbols[number]: external for number, external in (run.externals or {}).items()}


def recorded(model: Model) -> bool:
    """Say whether the evaluation kept derivations."""
    return model._run._record


def answers(model: Model, declared: Declared, asked: Atom) -> Iterable[Row]:
    """Return the rows of an external predicate: those the evaluation saw, or else what it answers now."""
    rows = model.match(asked)
    external = externals(model).get(declared.symbol)
    known = tuple(value_of(argument, {}) for argument in asked.arguments)
    if rows or external is None or not _may_be_asked(declared, [value is not None for value in known]):
        return rows
    try:
        return list(external(known))
    except MangleError:
        raise
    except Exception as error:
        raise MangleError(f"the external predicate {declared.symbol} failed: {error}", stage="eval") from error


def _may_be_asked(declared: Declared, known: list[bool]) -> bool:
    """Say whether every input of one of the declared modes is known."""
    return not declared.modes or any(
        all(given or mode != "+" for given, mode in zip(known, modes, strict=True)) for modes in declared.modes
    )
