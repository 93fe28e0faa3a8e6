"""`LibrarySupply`: the library as leaves of a tree use it: what is there is used, what is missing is made for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from mayfly.core import Capability, ConflictError, Example, MayflyError, mismatch, one_line
from mayfly.gates import Suite, Test
from mayfly.gates.stability import importable
from mayfly.library._card import words_of
from mayfly.library._signature import read_signature

if TYPE_CHECKING:
    from mayfly.library._tool_caller import OpenedTool
    from mayfly.library._tools import Tools

# Of what the words of a request find, so many are looked at; who is meant is among the first.
_LOOKED_AT = 5
# One example fits many programs: of those that fit a single one, three in ten are right.
_LEAST_EXAMPLES = 2


class ToolMissing(MayflyError):
    """A step names a tool that there is not, and none could be made; says what a person can do."""

    code = "TOOL_MISSING"


class LibrarySupply:
    """Find tools of one library, and have them made by the one way that leads into it."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def make(
        self, name: str, intent: str, arguments: Mapping[str, object], *, model: str | None, run: str
    ) -> Capability:
        """Return a tool for a call: one with the same intent, one that is made now, or one that turns out to be it."""
        tools = self._tools
        for one in tools.find(intent, _LOOKED_AT):
            with suppress(MayflyError):  # one that cannot be opened is not it
                card, _ = tools.show(one.name)
                if _said(intent) in (_said(card.intent), _said(card.summary)):
                    return self._fitting(one.name, arguments)
        try:
            made = tools.write(intent, name=name, arguments=arguments, model=model, by="plan")
            return self._fitting(made.twin or made.name, arguments, made.reason)
        except ConflictError as error:
            # Another process was quicker, or the name is a built-in's.
            with suppress(MayflyError):
                return self._fitting(name, arguments)
            raise _missing(name, intent, run, error.message) from error
        except MayflyError as error:
            raise _missing(name, intent, run, error.message) from error

    def _fitting(self, name: str, arguments: Mapping[str, object], reason: str = "") -> Capability:
        found = self._tools.capability(name)
        if found is None:
            raise ToolMissing(reason or f"{name} does not serve")
        wrong = mismatch(dict(arguments), found.input_schema)
        if wrong:
            raise ToolMissing(f"{name} is called in another way: {wrong}")
        return found

    def find(
        self, intent: str, examples: Sequence[Example], input: object
    ) -> tuple[Capability, dict[str, object]] | None:
        """Return a proven tool that has every word of the intent and gives what every example says."""
        asked = words_of(intent)
        if not asked or len(examples) < _LEAST_EXAMPLES:
            return None
        for one in self._tools.find(intent, _LOOKED_AT):
            with suppress(MayflyError):  # one that cannot be opened or run is passed over
                tool = self._tools.open(one.name)
                found = self._tools.capability(one.name)
                if found is None or tool.card.opened or not set(asked) <= set(tool.card.words):
                    continue
                signature = read_signature(tool.source, tool.card.name)
                arguments = signature.named(signature.positional(input))
                if found.has_test and not mismatch(arguments, found.input_schema) and self._agrees(tool, examples):
                    proves = f"{found.proves}, and gives what {len(examples)} examples say"
                    return replace(found, proves=proves), arguments
        return None

    def _agrees(self, tool: OpenedTool, examples: Sequence[Example]) -> bool:
        """Whether the tool passes the examples as if they were tests of its own, behind the wall."""
        signature = read_signature(tool.source, tool.card.name)
        tests = tuple(
            Test(name=f"example {number}", kind="example", input=signature.positional(one.input), expected=one.output)
            for number, one in enumerate(examples, 1)
        )
        prover = self._tools.prover
        results = prover.rerun(tool.source, tool.entry, Suite(tests=tests), imports=importable(tool.profile))
        return len(results) == len(tests) and all(one.passed for one in results)


def _said(text: str) -> str:
    """Return words as they are compared: none is left out, since each may turn the meaning round."""
    return " ".join(text.casefold().split()).strip(" .!")


def _missing(name: str, intent: str, run: str, reason: str) -> ToolMissing:
    asked = one_line(intent, limit=100).replace('"', "'")
    return ToolMissing(
        f"there is no tool {name}, and none could be made: {one_line(reason, limit=300)}",
        fix=f'make it: mayfly tools write "{asked}" --name {name} --examples FILE.json; then: mayfly resume {run}',
    )
