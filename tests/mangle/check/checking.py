"""Shorthands for checking a program given as text."""

from collections.abc import Mapping

from mayfly.mangle._ast import Symbol
from mayfly.mangle._checked import CheckedProgram, CheckedRule, DeclaredPredicate
from mayfly.mangle._errors import MangleError, MangleErrors
from mayfly.mangle._parser import parse
from mayfly.mangle._text import show_premise
from mayfly.mangle.check import check_program


def accept(*texts: str, extra: Mapping[Symbol, DeclaredPredicate] | None = None) -> CheckedProgram:
    """Return the checked program of one or more sources."""
    units = [parse(text, file=f"rules{number or ''}.mg") for number, text in enumerate(texts)]
    return check_program(units, extra=extra or {})


def refuse(*texts: str, extra: Mapping[Symbol, DeclaredPredicate] | None = None) -> list[MangleError]:
    """Return what is wrong with a program."""
    try:
        accept(*texts, extra=extra)
    except MangleErrors as errors:
        return list(errors.errors)
    except MangleError as error:
        return [error]
    raise AssertionError("the program was accepted")


def only(*texts: str, extra: Mapping[Symbol, DeclaredPredicate] | None = None) -> MangleError:
    """Return the one thing that is wrong with a program."""
    (error,) = refuse(*texts, extra=extra)
    return error


def spot(error: MangleError) -> tuple[int, int]:
    """Return line and column of an error."""
    assert error.place is not None
    return error.place.line, error.place.column


def body(rule: CheckedRule) -> list[str]:
    """Return the premises of a rule in the order of evaluation."""
    return [show_premise(premise) for premise in rule.premises]
