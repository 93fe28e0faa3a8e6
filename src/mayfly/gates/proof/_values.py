"""The values of a proof: the tests and numbers that it starts from, and the report that it ends in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any, Literal

from mayfly.core import UNSET, InputError, Proof, Unset, Verdict

GATE = "proof"
refuse = partial(Verdict, gate=GATE, decision="reject")
TestKind = Literal[
    "example", "held-out", "answer", "intent", "check", "function", "doctest", "reading", "relation", "property"
]
# What the author of a program was shown: whoever writes can make it pass.
SHOWN = frozenset(("example", "doctest"))
# What somebody wrote from the intent: where the program does otherwise, either may be wrong.
WRITTEN = frozenset(("intent", "check", "function"))


@dataclass(frozen=True, kw_only=True)
class Test:
    """Ask one thing of a program.

    Its *kind* says where it is from: an example that was shown to the author or held out, an answer that a person gave
    later, a case or a check or a function that was written from the *words* of the intent, or something that follows
    from the kind of request.

    With *expected* the output for *input* has to equal it, and is compared outside every sandbox. With *check*, the
    source of ``def check(input, output) -> bool``, a sandbox of its own has to answer exactly True. With *function*,
    the source of a ``def test_...()`` that calls the program by its own names, it has to end without an error; it runs
    in a sandbox of its own, and each call it makes of the program is answered from the program's.
    """

    __test__ = False

    name: str
    kind: TestKind
    input: object = None
    expected: object | Unset = UNSET
    raises: str = ""
    check: str = ""
    function: str = ""
    description: str = ""
    # The words of the intent that it stands for.
    words: str = ""
    confidence: float = 1.0

    def to_json(self) -> dict[str, object]:
        """Return the fields that say something, as plain data."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        empty = {field.name: field.default for field in fields(self)}
        return {key: value for key, value in held.items() if key == "input" or value is not empty[key]}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Test:
        """Read back what `to_json` gave."""
        return cls(**_known(cls, data))


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Hold the tests of one request, written before the code and apart from it."""

    tests: tuple[Test, ...] = ()
    author: str = ""
    # Inputs of which somebody said that they cannot be.
    never: tuple[object, ...] = ()
    # What every text of an input matches, by the contract.
    pattern: str = ""
    # Inputs of the data, of which nobody has said what they give.
    samples: tuple[object, ...] = ()
    # Who vouches for the expected outputs apart from the program's author: an independent reading of the input. Then
    # the tests are the proof; how well they pin this source says nothing about what was asked.
    witness: str = ""

    def to_json(self) -> dict[str, object]:
        """Return the suite as plain data, for the ledger."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in held.items()}
        return {**plain, "tests": [test.to_json() for test in self.tests]}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Suite:
        """Read back what `to_json` gave."""
        known = _known(cls, data)
        held: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in known.items()}
        held["tests"] = tuple(map(Test.from_json, known.get("tests", ())))
        return cls(**held)


def _known(kind: type[Test] | type[Suite], data: Mapping[str, object]) -> dict[str, Any]:
    """Return *data* if it has only the fields of *kind*."""
    names = {field.name for field in fields(kind)}
    if not isinstance(data, Mapping) or not data.keys() <= names:
        raise InputError(f"this is no {kind.__name__.lower()}: {str(data)[:100]}")
    return dict(data)


@dataclass(frozen=True, kw_only=True)
class ProofOptions:
    """Say how much is tried, and for how long."""

    mutants: int = 24
    # How many inputs of the domain everything is tried on, and on how many a rival has to agree to be a witness.
    inputs: int = 60
    agreeing: int = 10
    timeout: float = 5.0
    mutant_seconds: float = 0.05
    mutant_factor: float = 20.0
    input_seconds: float = 0.1
    total_seconds: float = 5.0
    memory: int = 100 * 1024 * 1024
    suspects: int = 2


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """Say how one test ended; every field is plain data."""

    __test__ = False

    name: str
    kind: str
    passed: bool
    expected: str = ""
    got: str = ""
    error: str = ""
    input: str = ""
    line: int | None = None

    def to_json(self) -> dict[str, object]:
        """Return the fields as plain data."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Survivor:
    """A wrong program that passes every test: its change, and why the tests do not see it."""

    line: int
    change: str
    kind: str
    reached: bool = True
    input: str = ""
    answers: tuple[str, str] = ("", "")

    def describe(self) -> str:
        """Say it in one line."""
        if not self.reached:
            return f"line {self.line} is reached by no test"
        told = f"; for {self.input} it gives {self.answers[1]}, not {self.answers[0]}" if self.input else ""
        return f"line {self.line}: {self.change}{told}"


@dataclass(frozen=True, kw_only=True)
class RivalQuestion:
    """Ask for the output that the tests leave open, with the answers that rival programs give."""

    input: object
    answers: tuple[object, ...]
    text: str


@dataclass(frozen=True, kw_only=True)
class Disputed:
    """A test from the intent that a program fails, with what the program gives; UNSET where it gives nothing."""

    test: Test
    gave: object | Unset = UNSET


@dataclass(frozen=True, kw_only=True)
class ProofReport:
    """Hold everything a proof found.

    *disputed* are the tests that were written from the intent and that the program fails: either may be wrong.
    """

    proof: Proof
    verdicts: tuple[Verdict, ...] = ()
    results: tuple[TestResult, ...] = ()
    survivors: tuple[Survivor, ...] = ()
    notes: tuple[str, ...] = ()
    question: RivalQuestion | None = None
    disputed: tuple[Disputed, ...] = ()
    milliseconds: float = 0.0

    @property
    def accepted(self) -> bool:
        """Whether no verdict rejects."""
        return all(verdict.decision != "reject" for verdict in self.verdicts)

    def to_json(self) -> Mapping[str, object]:
        """Return everything as plain data."""
        return asdict(self)
