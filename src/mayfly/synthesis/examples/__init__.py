"""Programs by example: typed, readable Python from inputs and the outputs they have to lead to, with no model."""

from mayfly.synthesis.examples._synthesize import Synthesis, SynthesisQuestion, SynthesizedProgram, synthesize
from mayfly.synthesis.examples._trust import SHARE, STRANGE, Trust

__all__ = ["SHARE", "STRANGE", "Synthesis", "SynthesisQuestion", "SynthesizedProgram", "Trust", "synthesize"]
