"""Python as a language among others: the parts that the gates for it are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from mayfly.forge._prompt import called, code_in
from mayfly.forge.languages._language import ChoiceFact, Facts, FunctionFact, Reading
from mayfly.gates import NoEntry, Profile, check_stability, check_syntax, find_entry
from mayfly.gates.proof import Answer, Program, ask
from mayfly.gates.stability import scan

if TYPE_CHECKING:
    from mayfly.forge._request import Request
    from mayfly.gates import TypeGate
    from mayfly.sandbox import Sandbox


class Python:
    """Python, by the gates and the sandbox that it has anyway."""

    name = "python"
    title = "Python"

    def __init__(self, types: TypeGate, sandbox: Sandbox, profile: Profile) -> None:
        self._types = types
        self._sandbox = sandbox
        self._profile = profile

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the gates and the sandbox to whom they belong."""

    def code_in(self, answer: str) -> str | None:
        """Return the Python in *answer*."""
        return code_in(answer)

    def called(self, request: Request) -> str:
        """Say how the program is called."""
        return called(request)

    def read(self, source: str, *, entry: str = "") -> Reading:
        """Parse, scan and check types."""
        parsed = check_syntax(source, limit=self._profile.source)
        if parsed.tree is None:
            return Reading(source=source, syntax=parsed.verdicts)
        found = scan(parsed.tree)
        measured = ("COMPLEXITY", "ARMS")
        refused = check_stability(parsed.tree, parsed.text, self._profile).verdicts
        try:
            called = find_entry(parsed.tree, entry)
        except NoEntry:
            called = None
        return Reading(
            source=source,
            facts=Facts(
                functions=tuple(FunctionFact(one.name, one.line, one.complexity) for one in found.scopes),
                choices=tuple(ChoiceFact(one.number, one.node.lineno, one.scope.name) for one in found.choices),
                lines=parsed.text.count("\n") + 1,
            ),
            refused=tuple(one for one in refused if one.code not in measured),
            types=tuple(one for one in self._types.check(source).verdicts if one.decision != "accept"),
            entry=called,
            runs=source,
        )

    def ask(self, reading: Reading, inputs: Sequence[object]) -> list[Answer]:
        """Run it in the sandbox."""
        if reading.entry is None:
            return [Answer(errors=("NoEntry",)) for _ in inputs]
        program = Program(source=reading.source, entry=reading.entry, imports=self._profile.imports)
        return ask(self._sandbox, program, [{"input": one} for one in inputs])
