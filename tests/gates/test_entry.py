"""What is called in a source: found the same way every time, and anything unclear is refused by name."""

import ast

import pytest

from mayfly.gates._entry import Entry, NoEntry, Parameter, adapted, find_entry

from .judge.test_judge import OOM
from .stability.test_stability import NGINX

AGENT = "class {0}:\n    async def invoke(self, input: list[str]) -> int:\n        return len(input)\n"


def entry(source: str, wanted: str = "", *, spread: bool | None = None) -> Entry:
    return find_entry(ast.parse(source), wanted, spread=spread)


def test_a_class_with_invoke_is_the_entry() -> None:
    found = entry("def helper(x): return x\n" + AGENT.format("Counter"))
    assert (found.name, found.kind, found.method) == ("Counter", "class", "invoke")
    assert found.parameters == (Parameter("input", "list[str]"),)
    assert found.returns == "int"
    assert not found.spread


def test_two_classes_with_invoke_are_refused_by_name() -> None:
    with pytest.raises(NoEntry, match="First and Second"):
        entry(AGENT.format("First") + AGENT.format("Second"))


def test_a_class_named_jit_goes_before_others() -> None:
    assert entry(AGENT.format("Helper") + AGENT.format("JITCounter")).name == "JITCounter"


def test_two_classes_named_jit_are_refused_by_name() -> None:
    with pytest.raises(NoEntry, match="JITFirst and JITSecond"):
        entry(AGENT.format("JITFirst") + AGENT.format("JITSecond"))


def test_the_one_public_method_of_the_one_class_is_the_entry() -> None:
    found = entry(OOM)
    assert (found.name, found.kind, found.method) == ("StackTraceParser", "method", "parse")
    assert found.parameters == (Parameter("log_text", "str"),)


def test_a_class_with_several_methods_is_refused_with_their_names() -> None:
    with pytest.raises(NoEntry, match="NginxParser has parse, find_4xx_errors"):
        entry(NGINX)


def test_a_single_public_function_is_the_entry() -> None:
    found = entry("def _helper(x): return x\ndef double(value: int) -> int:\n    return value * 2\n")
    assert found == Entry(name="double", kind="function", parameters=(Parameter("value", "int"),), returns="int")


@pytest.mark.parametrize(("parameters", "spread"), [("", True), ("a", False), ("a, b", True), ("a, /", False)])
def test_a_function_takes_its_input_whole_or_spread(parameters: str, spread: bool) -> None:
    assert entry(f"def f({parameters}): return 1\n").spread is spread


def test_whether_the_input_is_spread_may_be_said() -> None:
    assert entry("def f(a): return 1\n", spread=True).spread


def test_two_public_functions_are_refused_by_name() -> None:
    with pytest.raises(NoEntry, match="first and second"):
        entry("def first(): pass\ndef second(): pass\n")


@pytest.mark.parametrize("source", ["x = 1\n", "def _f(): pass\n", "class Empty: pass\n"])
def test_nothing_to_call_is_said(source: str) -> None:
    with pytest.raises(NoEntry, match="nothing to call"):
        entry(source)


def test_a_dataclass_serves_the_agent_and_is_not_it() -> None:
    source = (
        "from dataclasses import dataclass\n@dataclass\nclass Row:\n    x: int\n    def total(self): return self.x\n"
    )
    assert entry(source + "class Adder:\n    def add(self, rows): return 1\n").name == "Adder"


def test_what_is_wanted_is_taken() -> None:
    source = "def first(): pass\ndef second(a): pass\n" + AGENT.format("Agent")
    assert entry(source, "second").name == "second"
    assert entry(source, "Agent").kind == "class"


def test_a_wanted_name_that_is_missing_is_said_with_those_that_are_there() -> None:
    with pytest.raises(NoEntry, match="third is not defined; the source defines first, second"):
        entry("def first(): pass\ndef second(): pass\n", "third")


def test_a_name_defined_twice_means_the_last_one() -> None:
    assert entry("def f(a): pass\ndef f(a, b): pass\n", "f").parameters == (Parameter("a", ""), Parameter("b", ""))


@pytest.mark.parametrize(
    ("body", "generator"),
    [("yield 1", True), ("yield from x", True), ("return [(yield)]", True), ("return 1", False)],
)
def test_a_generator_is_known(body: str, generator: bool) -> None:
    assert entry(f"def f(x):\n    {body}\n").generator is generator


def test_an_inner_generator_does_not_make_one() -> None:
    assert not entry("def f(x):\n    def g():\n        yield 1\n    return list(g())\n").generator


def run(source: str, argument: object, *, spread: bool | None = None) -> object:
    """Run *source* as the sandbox would: it is ours, and short."""
    text, name = adapted(source, entry(source, spread=spread))
    space: dict[str, object] = {}
    exec(text, space)
    called = space[name]
    assert callable(called)
    return called(argument) if not isinstance(called, type) else called().invoke(argument)


@pytest.mark.parametrize(
    ("source", "argument", "result"),
    [
        ("class A:\n    def invoke(self, x): return x + 1\n", 1, 2),
        ("class A:\n    def parse(self, x): return x + 1\n", 1, 2),
        ("def f(x): return x + 1\n", 1, 2),
        ("def f(a, b): return a - b\n", [5, 3], 2),
        ("def f(): return 2\n", [], 2),
        ("def f(a, *, b): return a - b\n", [5, 3], 2),
        ("def f(*, b): return b\n", [2], 2),
        ("def f(a, b, *, c=1, d=0): return a - b * c - d\n", [5, 3], 2),
        ("def f(a, b, *, c=1, d=0): return a - b * c - d\n", [5, 1, 3], 2),
        ("def f(a, *, b=1): return a + b\n", 1, 2),
        ("def f(x): return x + 1  # no newline at the end", 1, 2),
        ("class A:\n    def parse(self, x): return x + 1\n# a comment", 1, 2),
    ],
)
def test_an_adapted_source_is_called_with_one_argument(source: str, argument: object, result: object) -> None:
    assert run(source, argument) == result


def test_what_can_be_called_as_it_is_stays_as_it_is() -> None:
    source = AGENT.format("Agent")
    assert adapted(source, entry(source)) == (source, "Agent")
