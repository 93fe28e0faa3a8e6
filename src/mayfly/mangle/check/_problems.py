"""Collect what is wrong with a program, so that its author sees everything at once."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import islice

from mayfly.mangle._ast import Place, Symbol
from mayfly.mangle._errors import MangleError, Stage, raise_all
from mayfly.mangle.builtins import count_arguments

MOST_ERRORS = 20
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Problems:
    """Keep the errors found; the ones that hinder the analysis come before those of a later stage."""

    def __init__(self) -> None:
        self._errors: list[MangleError] = []

    def __bool__(self) -> bool:
        return bool(self._errors)

    def hinder_analysis(self) -> bool:
        """Tell whether anything found is an error of the analysis itself, and not of a later stage."""
        return any(error.stage != "eval" for error in self._errors)

    def add(self, message: str, *, place: Place | None, fix: str | None = None, stage: Stage = "analyze") -> None:
        """Remember one error."""
        self._errors.append(MangleError(message, stage=stage, place=place, fix=fix))

    def extend(self, errors: Iterable[MangleError]) -> None:
        """Remember errors that were raised elsewhere."""
        self._errors.extend(errors)

    def merge(self, other: "Problems") -> None:
        """Take over what another collection found."""
        self._errors.extend(other._errors)

    def raise_found(self) -> None:
        """Raise everything found, in the order of the source, or return when there is nothing."""
        self._errors.sort(key=lambda error: (error.stage == "eval", error.place or Place("", 0, 0)))
        places: dict[str, list[MangleError]] = {}
        for error in self._errors:
            places.setdefault(error.message, []).append(error)
        told = [_with_count(found) for found in islice(places.values(), MOST_ERRORS)]
        more = len(places) - len(told)
        if more:
            last = told[-1]
            message = f"{last.message} (and {more} other errors after this one)"
            told[-1] = MangleError(message, stage=last.stage, place=last.place, fix=last.fix)
        raise_all(told)


def _with_count(found: list[MangleError]) -> MangleError:
    """Return the first of the same errors, which says how often it comes again."""
    first, more = found[0], len(found) - 1
    if not more:
        return first
    told = f"{first.message} (and in {more} more place{'s' if more > 1 else ''})"
    return MangleError(told, stage=first.stage, place=first.place, fix=first.fix)


def declare(symbol: Symbol) -> str:
    """Return the declaration that would make a predicate known."""
    names = [_LETTERS[i % 26] + (str(i // 26) if i >= 26 else "") for i in range(symbol.arity)]
    return f"Decl {symbol.name}({', '.join(names)})."


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that looks most like this one, if any looks alike."""
    found = get_close_matches(name, list(known), n=1, cutoff=0.7)
    return found[0] if found else None


def unknown_predicate(symbol: Symbol, known: Mapping[Symbol, object], *, similar: bool = True) -> tuple[str, str]:
    """Say that nothing defines a predicate, and what may have been meant."""
    arities = sorted(other.arity for other in known if other.name == symbol.name)
    if arities:
        listed = " or ".join(map(str, arities))
        return (
            f"{symbol.name} is used with {count_arguments(symbol.arity)}, but it has {listed}",
            f"give it as many, or declare the other one as well: {declare(symbol)}",
        )
    alike = nearest(symbol.name, {other.name for other in known}) if similar else None
    if alike is None:
        return f"nothing declares or defines {symbol}", f"declare it: {declare(symbol)}"
    meant = min((other for other in known if other.name == alike), key=lambda other: abs(other.arity - symbol.arity))
    return f"nothing declares or defines {symbol}", f"did you mean {meant}? If not, declare it: {declare(symbol)}"
