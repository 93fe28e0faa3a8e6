import tomllib
from pathlib import Path

import pytest

from mayfly.library.builtin import builtins
from mayfly.promise import Kind, classify

KINDS = {"D": Kind.DETERMINISTIC, "P": Kind.PROBABILISTIC, "C": Kind.CHAOTIC}
TABLES = {
    name: tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    for name in ("registry.toml", "registry_other.toml", "registry_builtin.toml")
}
CASES = [(name, intent, expected) for name, table in TABLES.items() for intent, expected in table["intents"]]


def _tools(name: str) -> list[tuple[str, str]]:
    if "tools" not in TABLES[name]:
        return [(builtin.name, builtin.description) for builtin in builtins()]
    return [(tool, description) for tool, description in TABLES[name]["tools"]]


@pytest.mark.parametrize(("name", "intent", "expected"), CASES)
def test_an_intent_is_one_step_only_for_the_tool_that_fits_it(name: str, intent: str, expected: str) -> None:
    found = classify(intent, capabilities=_tools(name))
    kind, _, tool = expected.partition(" ")
    assert found.kind is KINDS[kind]
    assert not tool or found.reasoning.endswith(f": {tool}")


@pytest.mark.parametrize(("name", "intent", "expected"), [case for case in CASES if case[2].startswith("D ")])
def test_without_its_tool_the_same_intent_is_no_longer_one_step(name: str, intent: str, expected: str) -> None:
    others = [tool for tool in _tools(name) if tool[0] != expected.split()[1]]
    assert classify(intent, capabilities=others).kind is Kind.PROBABILISTIC


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(CASES) > 150
    assert len(set(CASES)) == len(CASES)
