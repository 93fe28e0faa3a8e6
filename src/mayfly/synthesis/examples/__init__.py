"""Programs by example: typed, readable Python from inputs and the outputs they have to lead to, with no model."""

from mayfly.synthesis.examples._synthesize import Program, Question, Synthesis, synthesize
from mayfly.synthesis.examples._trust import SHARE, STRANGE, Trust

__all__ = ["SHARE", "STRANGE", "Program", "Question", "Synthesis", "Trust", "synthesize"]
