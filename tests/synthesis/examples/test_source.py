from __future__ import annotations

import ast
import random
import subprocess
import sys
from pathlib import Path

import pytest

from mayfly.synthesis.examples import SynthesizedProgram
from synthesis.examples.helpers import learn, learned, run
from synthesis.examples.tasks import EVERYTHING, Case

ALLOWED = {"re", "json", "dataclasses", "typing", "datetime", "math"}
RISKY = {"re", "json", "datetime", "math"}


def nearby(values: list[object], count: int) -> list[object]:
    """Make further inputs: texts with characters changed, dropped and doubled, lists of other lengths."""
    chance = random.Random(7)
    made: list[object] = ["", " ", "x", "-", "12", "31/12/1999", "2020-02-30", "ä ö ü", "a,b;c", "9" * 30]
    texts = [value for value in values if isinstance(value, str)]
    for _ in range(count if texts else 0):
        letters = list(chance.choice(texts))
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(letters) + 1)
            letters[place : place + chance.randint(0, 2)] = chance.choice(["", " ", "7", "A", "zz", ".", "-", "é"])
        made.append("".join(letters))
    return made if texts else _others(values[0])


def _others(value: object) -> list[object]:
    if isinstance(value, list):
        return [[], value[:1], value[::-1], value * 2]
    return [{}] if isinstance(value, dict) else [0, -3, 7, 4000]


def outcome(program: SynthesizedProgram, value: object) -> object:
    try:
        return program.apply(value)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
        return "error"


@pytest.mark.first(20)
@pytest.mark.parametrize("case", EVERYTHING, ids=lambda case: case.name)
def test_the_source_does_exactly_what_apply_does(case: Case) -> None:
    values = [given for given, _ in (*case.shown, *case.hidden)]
    for program in learned(case.name).programs[:3]:
        for value in (*values, *nearby(values, 30)):
            assert run(program.source, program.entry, value) == outcome(program, value), (program.source, value)


def complexity(function: ast.FunctionDef) -> int:
    branches = (ast.If, ast.For, ast.While, ast.IfExp, ast.comprehension, ast.ExceptHandler, ast.Assert)
    return 1 + sum(
        isinstance(node, branches)
        + (len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0)
        + (len(node.ifs) if isinstance(node, ast.comprehension) else 0)
        for node in ast.walk(function)
    )


@pytest.mark.first(10)
@pytest.mark.parametrize("case", EVERYTHING, ids=lambda case: case.name)
def test_the_source_keeps_to_the_limits(case: Case) -> None:
    for program in learned(case.name).programs[:3]:
        tree = ast.parse(program.source)
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        assert max(complexity(function) for function in functions) <= 10
        assert ast.get_docstring(tree)
        assert all(ast.get_docstring(function) for function in functions)
        modules = {node.names[0].name for node in ast.walk(tree) if isinstance(node, ast.Import)}
        modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert modules <= ALLOWED
        assert len(modules & RISKY) <= 2
        chains = [node for node in ast.walk(tree) if isinstance(node, ast.If) and node.orelse]
        assert not chains


def test_the_sources_are_strictly_typed(tmp_path: Path) -> None:
    for number, case in enumerate(EVERYTHING):
        (tmp_path / f"written_{number}.py").write_text(learned(case.name).programs[0].source, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", str(tmp_path / "c"), "."]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_a_class_is_named_for_the_intent() -> None:
    found = learn([("Ada King", "King"), ("Bo Li", "Li")], intent="take the last name")
    assert found.programs[0].entry == "TakeLastName"
    assert "class TakeLastName:" in found.programs[0].source


def test_parameters_make_a_function() -> None:
    pairs = [([3, 4], 7), ([10, 5], 15), ([1, 1], 2)]
    program = learn(pairs, name="add", parameters=("left", "right")).programs[0]
    assert "def add(left: int, right: int) -> int:" in program.source
    assert run(program.source, "add", [20, 22]) == 42
    assert program.apply([20, 22]) == 42


def test_parameters_of_two_types_make_a_function() -> None:
    pairs = [(["ab", 2], "abab"), (["x", 3], "xxx"), (["-", 5], "-----")]
    found = learn(pairs, name="repeat", parameters=("text", "times"))
    for program in found.programs[:1]:
        assert run(program.source, "repeat", ["yo", 2]) == program.apply(["yo", 2])


def test_an_input_outside_what_was_learned_is_an_error() -> None:
    program = learn([("a-1", "1"), ("b-22", "22"), ("c-3", "3")]).programs[0]
    with pytest.raises(ValueError, match="nothing"):
        program.apply("nothing")


@pytest.mark.parametrize(
    ("name", "parameters"), [("word", ("text", "part")), ("sum", ("max", "str")), ("f", ("word", "field"))]
)
def test_names_of_the_caller_do_not_meet_those_of_the_program(name: str, parameters: tuple[str, str]) -> None:
    pairs = [(["Ada King", "x"], "King x"), (["Bo Li", "yy"], "Li yy"), (["Cy Ray", "z"], "Ray z")]
    program = learn(pairs, name=name, parameters=parameters).programs[0]
    assert run(program.source, name, ["Dee Orr", "q"]) == "Orr q"


def test_a_function_that_is_called_like_a_builtin_it_needs_does_not_call_itself() -> None:
    program = learn([([[1, 2]], 3), ([[4]], 4), ([[5, 6, 7]], 18)], name="sum", parameters=("max",)).programs[0]
    assert run(program.source, "sum", [[20, 22]]) == 42


def test_everything_but_the_entry_is_private() -> None:
    tree = ast.parse(
        learn([("1,234", "1234"), ("99", "99"), ("5,000", "5000")], name="f", parameters=()).programs[0].source
    )
    names = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert [name for name in names if not name.startswith("_")] == ["f"]
