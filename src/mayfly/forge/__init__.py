"""The forge: architects write, a test writer writes tests before that, reflection leads to the next attempt."""

from mayfly.forge._by_example import ExampleArchitect
from mayfly.forge._by_model import ModelArchitect
from mayfly.forge._code import code_in
from mayfly.forge._events import ForgeReflected, ForgeWrote
from mayfly.forge._inbox import Call, HelpAnswered, HelpAsked, Inbox
from mayfly.forge._loop import Forge, Made, allowed_attempts
from mayfly.forge._reflect import Reflector
from mayfly.forge._request import Architect, Attempt, CannotWrite, Reflection, Request, Signature
from mayfly.forge._test_writer import TestWriter, hold_out
from mayfly.forge._written_tests import read_tests

__all__ = [
    "Architect",
    "Attempt",
    "Call",
    "CannotWrite",
    "ExampleArchitect",
    "Forge",
    "ForgeReflected",
    "ForgeWrote",
    "HelpAnswered",
    "HelpAsked",
    "Inbox",
    "Made",
    "ModelArchitect",
    "Reflection",
    "Reflector",
    "Request",
    "Signature",
    "TestWriter",
    "allowed_attempts",
    "code_in",
    "hold_out",
    "read_tests",
]
