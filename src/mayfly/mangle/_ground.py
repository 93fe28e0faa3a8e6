"""Make a value of a term without variables: what stands in a fact that somebody types or that was printed."""

from mayfly.mangle._ast import Constant, Term, Variable
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import Value
from mayfly.mangle.builtins import FUNCTIONS, BuiltinError


def evaluate(term: Term) -> Value:
    """Return the value of a term that has no variables, its functions computed."""
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Variable):
        raise MangleError(f"a fact has no variables, found {term.name}", stage="parse", place=term.place)
    function = FUNCTIONS.get(term.function)
    if function is None:
        raise MangleError(f"there is no function {term.function}", stage="parse", place=term.place)
    arguments = [evaluate(argument) for argument in term.arguments]
    try:
        return function.taking(len(arguments))(*arguments)
    except BuiltinError as error:
        raise MangleError(str(error), stage="parse", place=term.place) from None
