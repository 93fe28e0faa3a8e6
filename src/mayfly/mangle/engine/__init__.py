"""The engine: rules compiled to Python and evaluated from the bottom up, each fact with its first derivation."""

from mayfly.mangle.engine._frozen import freeze, functions, thaw
from mayfly.mangle.engine._limits import Limits
from mayfly.mangle.engine._program import Model, Origin, Program, compile_program
from mayfly.mangle.engine._run import External

__all__ = ["External", "Limits", "Model", "Origin", "Program", "compile_program", "freeze", "functions", "thaw"]
