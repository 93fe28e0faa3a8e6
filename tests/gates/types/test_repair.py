import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import Verdict
from mayfly.gates.types._gate import TypeGate
from mayfly.gates.types._repair import PLAIN, complete, repair


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TypeGate]:
    with TypeGate(cache_dir=tmp_path_factory.getbasetemp() / "mypy-cache") as made:
        made.start()
        yield made


def repaired(gate: TypeGate, source: str) -> str:
    report, done = gate.check_and_repair(source)
    assert report.accepted, report.verdicts
    assert done.repairs
    return done.source


def signature(source: str, name: str) -> str:
    """Return the head of the function *name*, without its name."""
    found = next(node for node in ast.walk(ast.parse(source)) if getattr(node, "name", "") == name)
    assert isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef))
    return f"({ast.unparse(found.args)}) -> {ast.unparse(found.returns) if found.returns else '?'}"


class Eraser(ast.NodeTransformer):
    """Remove everything from a tree that has no say when the program runs."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        value = node.value
        return ast.Assign(targets=[node.target], value=value, lineno=node.lineno) if value else ast.Pass()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "typing" else node


def erased(source: str) -> str:
    return ast.unparse(Eraser().visit(ast.parse(source)))


@pytest.mark.first(6)
@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("print(1)", "None"),
        ("raise ValueError", "Never"),
        ("return", "None"),
        ("return 1", "int"),
        ("return -1.5", "float"),
        ("return f'{1}'", "str"),
        ("return not 1", "bool"),
        ("return [1, 2]", "Any"),
        ("return len('a') + 1", "Any"),
        ("out = []\n    for c in 'abc':\n        out.append(c)\n    return out", "Any"),
        ("yield 1", "Any"),
        ("if len('a') > 1:\n        return 1\n    return None", "int | None"),
        ("if len('a') > 1:\n        return 1", "int | None"),
        ("return open", "Any"),
    ],
)
def test_the_return_type_is_what_is_plainly_returned(gate: TypeGate, body: str, wanted: str) -> None:
    assert signature(repaired(gate, f"def go():\n    {body}\n"), "go") == f"() -> {wanted}"


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ("x=1", "x: Any=1"),
        ("x = 'a', *, y=1.5", "x: Any='a', *, y: Any=1.5"),
        ("x=None", "x: Any=None"),
        ("x, /, y, *rest, **named", "x: Any, /, y: Any, *rest: Any, **named: Any"),
        ("x: int, y", "x: int, y: Any"),
        ("x=lambda: {1: 2}", "x: Any=lambda: {1: 2}"),
    ],
)
def test_a_parameter_without_a_type_is_anything(gate: TypeGate, parameters: str, wanted: str) -> None:
    assert signature(repaired(gate, f"def go({parameters}):\n    print(x)\n"), "go") == f"({wanted}) -> None"


def test_bare_generics_are_filled(gate: TypeGate) -> None:
    source = (
        "import re\nfrom typing import Callable, Dict\n\n\n"
        "def go(a: list, b: Dict, c: tuple, d: Callable, e: re.Pattern, f: dict[str, list]) -> None:\n    print(a)\n"
    )
    wanted = "a: list[Any], b: dict[Any, Any], c: tuple[Any, ...], d: Callable[..., Any], e: re.Pattern[str]"
    assert signature(repaired(gate, source), "go") == f"({wanted}, f: dict[str, list[Any]]) -> None"


def test_a_default_of_none_is_declared(gate: TypeGate) -> None:
    source = "def go(a: int = None, b: 'str' = None) -> None:\n    print(a, b)\n"
    assert signature(repaired(gate, source), "go") == "(a: int | None=None, b: 'str | None'=None) -> None"


def test_typing_names_that_were_forgotten_are_imported(gate: TypeGate) -> None:
    done = repaired(gate, '"""Doc."""\n\n\ndef go(a: Sequence[int]) -> Optional[int]:\n    return a[0]\n')
    assert done.startswith('"""Doc."""\n')
    assert "Sequence" in done


def test_a_module_every_tier_may_import_is_imported(gate: TypeGate) -> None:
    assert repaired(gate, "def go() -> float:\n    return math.pi\n").startswith("import math\n")


def test_a_module_that_has_to_be_allowed_is_not_imported(gate: TypeGate) -> None:
    report, done = gate.check_and_repair("def go() -> str:\n    return os.getcwd()\n")
    assert [verdict.code for verdict in report.verdicts] == ["NAME_DEFINED"]
    assert "import os" not in done.source


def test_a_container_that_starts_empty_is_annotated(gate: TypeGate) -> None:
    source = "class A:\n    def __init__(self) -> None:\n        self.seen = {}\n\n\nitems, other = [], set()\n"
    done = repaired(gate, source)
    assert "self.seen: dict[Any, Any] = {}" in done
    assert "items: list[Any]\n" in done


def test_any_that_is_returned_is_given_its_type(gate: TypeGate) -> None:
    source = (
        "import json\n\n\ndef go(text: str) -> dict[str, int]:\n    if not text: return json.loads('{}')\n"
        "    if text == 'a':\n        return json.loads('{}')\n    return json.loads(text)  # the rest\n"
    )
    done = repaired(gate, source)
    assert "return cast('dict[str, int]', json.loads(text))  # the rest\n" in done
    assert done.count("cast('dict[str, int]', json.loads('{}'))") == 2


def test_the_none_at_the_end_is_written_out(gate: TypeGate) -> None:
    done = repaired(gate, "def go(x: int) -> int:\n    if x:\n        return 1  # one\n")
    assert signature(done, "go") == "(x: int) -> int | None"
    assert done.endswith("        return 1  # one\n    return None\n")


def test_a_parameter_that_is_given_another_type_is_left_to_its_author(gate: TypeGate) -> None:
    report, _ = gate.check_and_repair("def go(n: int) -> float:\n    n = n / 2\n    return n\n")
    assert [verdict.code for verdict in report.verdicts] == ["ASSIGNMENT"]


def test_a_global_variable_is_not_annotated_where_it_must_not_be(gate: TypeGate) -> None:
    _, done = gate.check_and_repair("def go():\n    global seen\n    seen = []\n    return len(seen)\n")
    compile(done.source, "source", "exec")


def test_a_function_that_is_replaced_at_once_is_removed(gate: TypeGate) -> None:
    done = repaired(gate, "def go(x):\n    '''Say.'''\n\ndef go(x):\n    return 1\n")
    assert done.count("def go") == 1
    assert "return 1" in done


def test_a_function_that_is_called_before_it_is_replaced_stays(gate: TypeGate) -> None:
    source = "def go() -> int:\n    return 1\n\nx = go()\n\ndef go() -> int:\n    return 2\n"
    report, done = gate.check_and_repair(source)
    assert [verdict.code for verdict in report.verdicts] == ["NO_REDEF"]
    assert done.source == source


def test_a_builtin_that_means_something_else_is_not_used(gate: TypeGate) -> None:
    source = "def go(list):\n    out = []\n    out.append(list)\n    out = out + []\n    return out\n"
    done = repaired(gate, source)
    assert "out: list[" not in done


def test_special_methods_return_what_they_must(gate: TypeGate) -> None:
    done = repaired(
        gate,
        "class A:\n    def __eq__(self, other):\n        return other is self\n\n"
        "    def __len__(self):\n        return 0\n\n    def __repr__(self):\n        return 'A'\n",
    )
    assert signature(done, "__eq__") == "(self, other: Any) -> Any"
    assert (signature(done, "__len__"), signature(done, "__repr__")) == ("(self) -> int", "(self) -> str")


def test_comments_and_layout_stay(gate: TypeGate) -> None:
    source = (
        "# Überschrift\ndef go(\n    x = 'ä',   # first: the text\n    y = {'a': 1},\n):  # done\n"
        "    # äöü\n    return  len( x )\n"
    )
    done = repaired(gate, source)
    for comment in ("# Überschrift", "# first: the text", "# done", "# äöü"):
        assert comment in done
    assert "return  len( x )" in done


def test_every_repair_is_named() -> None:
    errors = [Verdict(decision="reject", gate="types", code="NO_UNTYPED_DEF", message="", line=1)]
    assert repair("def parse():\n    pass\n", errors).repairs == (
        "added -> Any to parse",
        "added from typing import Any",
    )
    assert complete("def parse():\n    pass\n", PLAIN).repairs == ("declared what ruff can tell",)


def test_what_mypy_does_not_complain_about_stays() -> None:
    source = "def parse(x):\n    return x\n"
    assert repair(source, []).source == source


@pytest.mark.parametrize("source", ["def broken(:\n", "x = 1\x00\n", "x = " + "(" * 500 + ")" * 500])
def test_what_cannot_be_read_stays_as_it_is(source: str) -> None:
    errors = [Verdict(decision="reject", gate="types", code="NO_UNTYPED_DEF", message="", line=1)]
    assert repair(source, errors).source == source


def test_a_source_that_passes_is_left_alone(gate: TypeGate) -> None:
    report, done = gate.check_and_repair("import os\n\nx: int = 1\n")
    assert report.accepted
    assert (done.source, done.repairs) == ("import os\n\nx: int = 1\n", ())


def test_a_type_error_that_is_a_mistake_is_not_covered_up(gate: TypeGate) -> None:
    report, _ = gate.check_and_repair("def go(x):\n    return x\n\n\ny: int = 'a'\nlen(5)\n")
    assert {verdict.code for verdict in report.verdicts} == {"ASSIGNMENT", "ARG_TYPE"}


def test_ruff_removes_unused_imports_and_old_names(gate: TypeGate) -> None:
    head = "import json\nfrom typing import List, Optional\n\n\n"
    source = head + "def go(x: List[int], y) -> Optional[int]:\n    return x[0]\n"
    done = repaired(gate, source)
    assert "import json" not in done
    assert signature(done, "go") == "(x: list[int], y: Any) -> int | None"


def test_without_ruff_the_rest_is_repaired(gate: TypeGate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mayfly.gates.judge._ruff.ruff_program", lambda: None)
    assert "import json" in repaired(gate, "import json\n\n\ndef go(x):\n    return x\n")


BENIGN = Path(__file__).parents[2] / "sandbox" / "benign"


@pytest.mark.parametrize("path", sorted(BENIGN.glob("*.py"))[::6], ids=lambda path: path.stem)
def test_the_program_that_runs_is_the_same(path: Path) -> None:
    """Erase all annotations from a program, complete its signatures, and compare what is left."""
    bare = erased(path.read_text(encoding="utf-8"))
    errors = [Verdict(decision="reject", gate="types", code="NO_UNTYPED_DEF", message="", line=1)]
    for source in (bare, complete(bare, PLAIN).source):
        assert erased(repair(source, errors).source) == erased(bare)
