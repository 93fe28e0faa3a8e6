"""The part of typer that commands use, without loading it: declarations that become typer's own where it is needed.

A command module says `from mayfly.cli import _typer as typer`. `_quick` reads most command lines by these declarations
alone; help, completion and everything that was typed wrongly are typer's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Annotated, Any, NamedTuple, TypeVar, get_origin, get_type_hints

Command = TypeVar("Command", bound=Callable[..., Any])


class Declared(NamedTuple):
    """An option or an argument as a command declares it."""

    kind: str
    names: tuple[str, ...]
    settings: dict[str, Any]

    def real(self) -> Any:
        """Return what typer calls by the same name."""
        import typer

        return getattr(typer, self.kind)(*self.names, **self.settings)


def Option(*names: str, **settings: Any) -> Any:
    """Declare an option."""
    return Declared("Option", names, settings)


def Argument(**settings: Any) -> Any:
    """Declare an argument."""
    return Declared("Argument", (), settings)


class Exit(RuntimeError):
    """End the command with a status."""

    def __init__(self, code: int = 0) -> None:
        super().__init__(code)
        self.exit_code = code


class Context:
    """What a command may ask about how it was called."""

    def __init__(self, meta: dict[str, Any]) -> None:
        self.meta = meta


class TreeContext(Context):
    """A context that knows the commands above and beside it; it is made by typer alone."""

    parent: Any
    invoked_subcommand: str | None
    get_help: Callable[[], str]


class Typer:
    """A group of commands; *only_helps* says that its callback does nothing where a command is named."""

    def __init__(self, *, help: str | None = None, only_helps: bool = False) -> None:
        self.commands: dict[str, Callable[..., Any]] = {}
        self.only_helps = only_helps
        self._help = help
        self._settings: dict[str, dict[str, Any]] = {}
        self._callback: tuple[Callable[..., Any], dict[str, Any]] | None = None

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Command], Command]:
        """Add a function as a command; its name is the function's if none is given."""

        def add(function: Command) -> Command:
            called = name or function.__name__.lower().replace("_", "-")
            self.commands[called] = function
            self._settings[called] = settings
            return function

        return add

    def callback(self, **settings: Any) -> Callable[[Command], Command]:
        """Let a function run before the commands of the group."""

        def take(function: Command) -> Command:
            self._callback = (function, settings)
            return function

        return take

    def quick(self, name: str) -> Callable[..., Any] | None:
        """Return the command called *name*, if nothing but its own words decides how it is called."""
        return self.commands.get(name) if self.only_helps and not self._settings.get(name) else None

    def real(self) -> Any:
        """Return the group as typer has it."""
        import typer

        # Without a text of its own it has that of its callback.
        told: dict[str, Any] = {} if self._help is None else {"help": self._help}
        made = typer.Typer(**told, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        if self._callback is not None:
            function, settings = self._callback
            made.callback(**settings)(real(function))
        for name, function in self.commands.items():
            made.command(name, **self._settings[name])(real(function))
        return made


def real(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return *function* with its declarations as typer reads them."""
    assert isinstance(function, FunctionType)
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__doc__ = function.__doc__
    made.__annotations__ = {name: _real_hint(hint) for name, hint in hints(function).items()}
    return made


def hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return what each parameter is declared as."""
    found: dict[str, Any] = function.__annotations__
    if any(isinstance(hint, str) for hint in found.values()):
        return get_type_hints(function, include_extras=True)
    return found


def _real_hint(hint: Any) -> Any:
    if get_origin(hint) is Annotated:
        return Annotated[
            (hint.__origin__, *(one.real() if isinstance(one, Declared) else one for one in hint.__metadata__))
        ]
    if isinstance(hint, type) and issubclass(hint, Context):
        import typer

        return typer.Context
    return hint


def echo(text: str) -> None:
    """Print what typer has written, as typer prints it."""
    import typer

    typer.echo(text)


def usage_error(error: BaseException) -> Any:
    """Return *error* if it is typer's about what was typed; without typer there is none."""
    loaded: Any = sys.modules.get("typer")
    return error if loaded is not None and isinstance(error, loaded.TyperException) else None


def is_stopped(error: BaseException) -> bool:
    """Whether a person stopped a question of typer's."""
    loaded: Any = sys.modules.get("typer")
    return loaded is not None and isinstance(error, loaded.Abort)
