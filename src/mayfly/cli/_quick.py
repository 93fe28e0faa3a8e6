"""Read a command line that is plainly right by the declarations of its command, without loading typer.

Loading typer and asking it takes three times as long as starting Python. What is read here comes out as typer would
have it, which tests hold; everything else (help, a word that is wrong, missing or abbreviated, a value that is not
plain) is `None`, and left to typer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from mayfly.cli._plain import NotPlain, is_plain_path, is_text
from mayfly.cli._typer import Context, Declared, TreeContext, hints

# What a declaration may say without changing how a value is read; anything else is typer's to honour.
_KNOWN_SETTINGS = frozenset({"help", "metavar", "show_default", "hidden", "min", "max"})
_KINDS = (str, int, float, bool, Path)


class _Parameter(NamedTuple):
    """One parameter: what it takes, and whether it takes several."""

    name: str
    kind: type
    many: bool
    declared: Declared


class _Reading:
    """The words of one command line, taken apart."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.context: str | None = None
        self.arguments: list[_Parameter] = []
        self.options: dict[str, tuple[_Parameter, bool | None]] = {}
        self.given: dict[str, Any] = {}
        self.needed: set[str] = set()
        self._declare(function)

    def read(self, args: Sequence[str]) -> None:
        """Take *args* apart; `NotPlain` where typer has to."""
        words: list[str] = []
        rest = iter(args)
        for word in rest:
            if not word.startswith("-") or word == "-":
                words.append(word)
                continue
            name, equals, value = word.partition("=")
            parameter, switch = self.options.get(name, (None, None))
            if parameter is None or (equals and not (value and name.startswith("--"))):
                raise NotPlain
            if switch is not None:
                if equals:
                    raise NotPlain
                self._give(parameter, switch)
            else:
                taken = value if equals else next(rest, None)
                if taken is None or (taken.startswith("-") and taken != "-"):
                    raise NotPlain
                self._give(parameter, _value(taken, parameter))
        self._place(words)

    def _declare(self, function: Callable[..., Any]) -> None:
        code = function.__code__
        named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        found = hints(function)
        optional = len(function.__defaults__ or ())
        self.needed = set(named[: code.co_argcount - optional]) | set(named[code.co_argcount :])
        self.needed -= set(function.__kwdefaults__ or ())
        for name in named:
            hint = found.get(name)
            if hint is Context:
                self.context = name
                self.needed.discard(name)
                continue
            if hint is TreeContext or get_origin(hint) is not Annotated:
                raise NotPlain
            parameter = _parameter(name, hint)
            if parameter.declared.kind == "Argument":
                self.arguments.append(parameter)
            else:
                self.options.update(_names(parameter))

    def _give(self, parameter: _Parameter, value: Any) -> None:
        if parameter.many:
            self.given.setdefault(parameter.name, []).append(value)
        elif parameter.name in self.given:
            raise NotPlain
        else:
            self.given[parameter.name] = value

    def _place(self, words: list[str]) -> None:
        """Give the words that are no options to the arguments, in their order."""
        for parameter in self.arguments:
            if parameter.many:
                if parameter is not self.arguments[-1]:
                    raise NotPlain
                while words:
                    self._give(parameter, _value(words.pop(0), parameter))
            elif words:
                self._give(parameter, _value(words.pop(0), parameter))
        if words or self.needed - self.given.keys():
            raise NotPlain


def read_quickly(function: Callable[..., Any], args: Sequence[str], meta: dict[str, Any]) -> Callable[[], Any] | None:
    """Return *function* with what *args* give it, ready to be called; None where typer has to read them."""
    try:
        reading = _Reading(function)
        reading.read(args)
    except NotPlain:
        return None
    if reading.context is not None:
        reading.given[reading.context] = Context(meta)
    return partial(function, **reading.given)


def _parameter(name: str, hint: Any) -> _Parameter:
    declared = [one for one in hint.__metadata__ if isinstance(one, Declared)]
    if len(declared) != 1 or not declared[0].settings.keys() <= _KNOWN_SETTINGS:
        raise NotPlain
    kind = hint.__origin__
    if isinstance(kind, UnionType):
        kinds = [one for one in get_args(kind) if one is not NoneType]
        if len(kinds) != 1:
            raise NotPlain
        [kind] = kinds
    many = get_origin(kind) is list
    if many:
        [kind] = get_args(kind)
    if kind not in _KINDS or (kind is bool and (many or declared[0].kind == "Argument")):
        raise NotPlain
    return _Parameter(name, kind, many, declared[0])


def _names(parameter: _Parameter) -> Mapping[str, tuple[_Parameter, bool | None]]:
    """Return what may be typed for an option, and for a switch which way it turns."""
    long = parameter.name.lower().replace("_", "-")
    usual = f"--{long}/--no-{long}" if parameter.kind is bool else f"--{long}"
    names: dict[str, tuple[_Parameter, bool | None]] = {}
    for name in parameter.declared.names or (usual,):
        on, _, off = name.partition("/")
        if not on.startswith("-") or (off and parameter.kind is not bool):
            raise NotPlain
        names[on] = (parameter, True if parameter.kind is bool else None)
        if off:
            names[off] = (parameter, False)
    return names


def _value(word: str, parameter: _Parameter) -> Any:
    if not is_text(word):
        raise NotPlain
    kind, settings = parameter.kind, parameter.declared.settings
    if kind is str:
        return word
    if kind is Path and is_plain_path(word):
        return Path(word)
    # Sixteen digits and more are left alone: they are a mistake, or more than an `int` of others can take.
    if kind is int and word.isascii() and word.isdigit() and len(word) < 16:
        least, most = settings.get("min"), settings.get("max")
        if (least is None or int(word) >= least) and (most is None or int(word) <= most):
            return int(word)
    raise NotPlain
