"""The built-in capabilities: what a leaf of a promise tree can have done on the host itself."""

from mayfly.library.builtin._all import builtins

__all__ = ["builtins"]
