"""The forge: architects write, a test writer writes tests before that, reflection leads to the next attempt."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.forge._arbiter import Arbiter
    from mayfly.forge._by_example import ExampleArchitect
    from mayfly.forge._by_model import ModelArchitect
    from mayfly.forge._code import code_in
    from mayfly.forge._contract import ContractWriter, contract_of, type_of
    from mayfly.forge._events import ForgeReflected, ForgeWrote
    from mayfly.forge._inbox import Call, HelpAnswered, HelpAsked, Inbox
    from mayfly.forge._loop import Forge, Made, allowed_attempts
    from mayfly.forge._reflect import Reflector
    from mayfly.forge._request import Architect, Attempt, CannotWrite, Reflection, Request, Signature
    from mayfly.forge._test_writer import TestWriter, contradicts, hold_out
    from mayfly.forge._written_tests import read_tests

__all__ = [
    "Arbiter",
    "Architect",
    "Attempt",
    "Call",
    "CannotWrite",
    "ContractWriter",
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
    "contract_of",
    "contradicts",
    "hold_out",
    "read_tests",
    "type_of",
]

__getattr__ = lazily(
    __name__,
    {
        "_arbiter": "Arbiter",
        "_by_example": "ExampleArchitect",
        "_by_model": "ModelArchitect",
        "_code": "code_in",
        "_contract": "ContractWriter contract_of type_of",
        "_events": "ForgeReflected ForgeWrote",
        "_inbox": "Call HelpAnswered HelpAsked Inbox",
        "_loop": "Forge Made allowed_attempts",
        "_reflect": "Reflector",
        "_request": "Architect Attempt CannotWrite Reflection Request Signature",
        "_test_writer": "TestWriter contradicts hold_out",
        "_written_tests": "read_tests",
    },
)
