"""Read plain values of options without pydantic, which typer loads to convert even a text to a text.

Loading it takes five to ten times as long as starting Python. A value that is not plain, or not right, is left to typer
and its own messages; so is everything where a version of typer has no such hook.
"""

import os
from pathlib import Path
from typing import Any, get_args, get_origin


class NotPlain(Exception):
    """Say that a value is left to typer."""


class _Plain:
    """Stand before what converts the values of one parameter."""

    def __init__(self, param: Any) -> None:
        self._usual = param.get_runtime_param
        self._annotation = param.type_descriptor.annotation
        self._info = param.type_descriptor.parameter_info

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert one value, or all values of a parameter that takes several."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        try:
            return self._converted(value)
        except NotPlain:
            return self._usual().coerce(value, param=param, ctx=ctx)

    def _converted(self, value: Any) -> Any:
        if get_origin(self._annotation) is not list:
            return self._one(value, self._annotation)
        if not isinstance(value, list | tuple):
            raise NotPlain
        [kind] = get_args(self._annotation)
        return [self._one(item, kind) for item in value]

    def _one(self, value: Any, kind: Any) -> Any:
        if isinstance(value, str) and is_text(value) and self._info.parser is None:
            if kind is str:
                return value
            if kind is Path and _takes_any_path(self._info) and is_plain_path(value):
                return Path(value)
            if kind is int and value.isascii() and value.isdigit() and len(value) < 16 and self._in_range(int(value)):
                return int(value)
        elif type(value) is kind and kind in (int, float) and self._in_range(value):
            return value
        raise NotPlain

    def _in_range(self, value: float) -> bool:
        least, most = self._info.min, self._info.max
        return (least is None or value >= least) and (most is None or value <= most)


def is_text(value: str) -> bool:
    """Whether a text has no bytes in it that were not text on the command line."""
    return value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)


def is_plain_path(value: str) -> bool:
    """Whether a path is taken as it stands where nothing more is asked of it: what is there has to be readable."""
    return not os.path.exists(value) or os.access(value, os.R_OK)


def _takes_any_path(info: Any) -> bool:
    asks = info.exists or info.resolve_path or info.writable or info.allow_dash or info.path_type is not None
    return info.file_okay and info.dir_okay and not asks


def read_plainly(command: Any) -> Any:
    """Let the parameters of a command, and of the commands below it, read plain values by themselves."""
    usual = command.get_params
    # The option for help is made only when all are asked for.
    command.get_params = lambda context: [_plain(param) for param in usual(context)]
    for inner in getattr(command, "commands", {}).values():
        read_plainly(inner)
    return command


def _plain(param: Any) -> Any:
    known = hasattr(param, "get_runtime_param") and hasattr(param, "type_descriptor")
    if known and "get_runtime_param" not in vars(param):
        plain = _Plain(param)
        param.get_runtime_param = lambda: plain
    return param
