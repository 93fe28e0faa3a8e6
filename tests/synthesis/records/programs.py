"""Run generated programs as plain Python: what they answer is data, whatever classes they use inside."""

import dataclasses
import json
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path

from mayfly.gates import Test
from mayfly.synthesis.records import Plan, plan, tests

EXAMPLES = Path(__file__).parents[3] / "examples"


def lines(name: str) -> list[str]:
    """Return the lines of one of the sample files."""
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


def planned(intent: str, sample: Sequence[object]) -> Plan:
    """Return the plan for an intent that has to be understood."""
    made = plan(intent, sample)
    assert isinstance(made, Plan), made.reason
    return made


def call(source: str, entry: str, items: Sequence[object]) -> object:
    """Run a program and return its answer as JSON would carry it."""
    module = types.ModuleType("generated")
    sys.modules["generated"] = module
    exec(compile(source, "generated", "exec"), module.__dict__)
    answer = getattr(module, entry)().invoke(items)
    return json.loads(json.dumps(_data(list(answer) if isinstance(answer, Iterator) else answer)))


def answer(intent: str, sample: Sequence[object], items: Sequence[object] | None = None) -> object:
    """Plan from the sample and run on *items*, or on the sample itself."""
    made = planned(intent, sample)
    return call(made.source, made.entry, list(sample if items is None else items))


def passes(test: Test, source: str, entry: str) -> bool:
    """Whether a program passes a test."""
    assert isinstance(test.input, list)
    output = call(source, entry, test.input)
    if not test.check:
        return output == test.expected
    space: dict[str, object] = {}
    exec(test.check, space)
    check = space["check"]
    assert callable(check)
    return check(test.input, output) is True


def proven(intent: str, sample: Sequence[object]) -> Plan:
    """Return the plan after every independent test of it has passed."""
    made = planned(intent, sample)
    written = tests(intent, sample)
    assert len(written) >= 4
    failed = [test.name for test in written if not passes(test, made.source, made.entry)]
    assert not failed, f"{intent}: {failed}"
    return made


def _data(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: _data(inner) for name, inner in dataclasses.asdict(value).items()}
    if isinstance(value, dict):
        return {key: _data(inner) for key, inner in value.items()}
    return [_data(inner) for inner in value] if isinstance(value, (list, tuple)) else value
