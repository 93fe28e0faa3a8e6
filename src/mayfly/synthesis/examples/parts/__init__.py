"""Building blocks of written programs: each function is run in the host as it is, and copied as it is into a source."""

from mayfly.synthesis.examples.parts import _data, _moment, _number, _text

__all__ = ["MODULES"]

MODULES = (_text, _number, _moment, _data)
