"""What starting a command found and compiled, kept for the next one: an image beside the compiled files of Mayfly.

Python keeps each module's code by itself. Four things it does again in every process: it looks for each module along
the path, opens two files for it, compiles the methods of dataclasses from text, and compiles patterns. The image has
them for every module that a command has loaded. An entry holds only while the file, the directory it is in and all
directories before it on the path are as they were; otherwise the module is looked for as usual and its entry renewed.

To read an image is to run what it says. It lies in our own `__pycache__`: who can write there can change our code.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mayfly._image import Image, Key, own_folders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Raised whenever what is in an image, or how it is laid out, changes.
_FORMAT = 3


class _Later(ModuleType):
    """A module of the standard library that is loaded when somebody looks into it."""

    @classmethod
    def hide_from(cls, user: str, used: str) -> None:
        """Import *user* without what it imports at its top and commands have no use for.

        `dataclasses` looks into `inspect` for classes without a docstring alone, and loading that takes a third as long
        as starting Python. Nobody else sees the stand-in: no other thread has been started yet.
        """
        if user in sys.modules or used in sys.modules:
            return
        sys.modules[used] = cls(used)
        try:
            import_module(user)
        finally:
            if isinstance(sys.modules.get(used), cls):
                del sys.modules[used]

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def begin(folder: str | None = None) -> Image | None:
    """Find modules by the image in *folder*, or beside our own compiled files; None where that cannot be done."""
    place = _place(folder or os.path.join(os.path.dirname(__file__), "__pycache__"))
    if place is None or any(isinstance(finder, Image) for finder in sys.meta_path) or PathFinder not in sys.meta_path:
        return None
    image = Image(*place, _hook)
    # After those that know better than the path: built-in and frozen modules, and what others have put there.
    sys.meta_path.insert(sys.meta_path.index(PathFinder), image)
    _Later.hide_from("dataclasses", "inspect")
    for name in tuple(_HOOKS):
        if name in sys.modules:
            _hook(sys.modules[name], image)
    return image


def keep() -> None:
    """Keep what was found since the images were opened."""
    for image in _images():
        image.keep()


def set_apart(*packages: str) -> None:
    """Keep what is found of *packages* in an image of its own.

    They are large, and commands that do without them should not have to look through them.
    """
    whole = next(_images(), None)
    if whole is not None and not any(image.only == set(packages) for image in _images()):
        image = Image(whole.path.removesuffix(".image") + f"-{packages[0]}.image", whole.key, _hook, packages)
        sys.meta_path.insert(sys.meta_path.index(whole), image)


def _images() -> Iterator[Image]:
    """Yield the images that are in use, the one for everything first."""
    found = [finder for finder in sys.meta_path if isinstance(finder, Image)]
    yield from reversed(found)


def kept_table(path: str, read: Callable[[str], Any]) -> Any:
    """Return what *read* makes of a file of ours, from the image where there is one."""
    image = next(_images(), None)
    return read(path) if image is None else image.table(path, read)


def _place(folder: str) -> tuple[str, Key] | None:
    """Return the file of the image and what it has to have been made for."""
    from zlib import crc32

    if sys.implementation.cache_tag is None or sys.pycache_prefix is not None:
        return None
    key = (_FORMAT, sys.version, sys.flags.optimize, sys.path[own_folders() :])
    return f"{folder}/start.{sys.implementation.cache_tag}-{crc32(repr(key).encode()):08x}.image", key


def _hook(module: ModuleType, image: Image) -> None:
    hook = _HOOKS.get(module.__name__)
    if hook is not None:
        hook(module, image)


def _hook_dataclasses(module: Any, image: Image) -> None:
    """Give `dataclasses` an `exec` of its own; it makes every method from a text."""
    module.exec = lambda text, *names: exec(image.text(text, "exec") if isinstance(text, str) else text, *names)


def _hook_patterns(module: Any, image: Image) -> None:
    usual = module.compile
    module.compile = lambda pattern, flags=0: image.pattern(usual, pattern, flags)


def _hook_tuples(module: Any, image: Image) -> None:
    """Give `collections` an `eval` of its own; it makes the constructor of each named tuple from a text."""
    module.eval = lambda text, *names: eval(image.text(text, "eval") if isinstance(text, str) else text, *names)


_HOOKS: dict[str, Callable[[Any, Image], None]] = {
    "dataclasses": _hook_dataclasses,
    "re._compiler": _hook_patterns,
    "collections": _hook_tuples,
}
