"""The tests that are written for programs: made without them, and strong enough to catch wrong ones."""

import ast

import pytest

from mayfly.synthesis import records
from mayfly.synthesis.records import _plan

from .programs import lines, passes, planned

INTENTS = [
    ("Parse NGINX access logs and extract 4xx error patterns", "access.log"),
    ("count requests by status", "access.log"),
    ("top 5 paths by bytes", "access.log"),
    ("list errors sorted by time", "access.log"),
    ("unique users between 2025-01-01 and 2025-01-31", "access.log"),
    ("Parse Java stack traces and identify OOM patterns", "app.log"),
    ("sum amount by customer", "orders.csv"),
    ("orders where quantity > 5", "orders.csv"),
    ("average latency by service", "events.jsonl"),
]


class Mutator(ast.NodeTransformer):
    """Change one place of a program: a comparison, a number, a condition or an operator."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.seen = wanted, -1

    def _here(self) -> bool:
        self.seen += 1
        return self.seen == self.wanted

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        swaps: dict[type[ast.cmpop], ast.cmpop] = {
            ast.LtE: ast.Lt(),
            ast.Lt: ast.LtE(),
            ast.GtE: ast.Gt(),
            ast.Gt: ast.GtE(),
        }
        swaps |= {
            ast.Eq: ast.NotEq(),
            ast.NotEq: ast.Eq(),
            ast.Is: ast.IsNot(),
            ast.IsNot: ast.Is(),
            ast.In: ast.NotIn(),
        }
        if type(node.ops[0]) in swaps and self._here():
            node.ops[0] = swaps[type(node.ops[0])]
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, int) and not isinstance(node.value, bool) and self._here():
            return ast.Constant(node.value + 1)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Add, ast.Div)) and self._here():
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Mult()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._here():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node


def mutants(source: str) -> list[str]:
    counter = Mutator(-1)
    counter.visit(ast.parse(source))
    made = (Mutator(number).visit(ast.parse(source)) for number in range(counter.seen + 1))
    return [ast.unparse(ast.fix_missing_locations(tree)) for tree in made]


def caught(written: tuple[object, ...], source: str, entry: str) -> bool:
    try:
        return not all(passes(test, source, entry) for test in written)  # type: ignore[arg-type]
    except Exception:
        return True


@pytest.mark.parametrize(("intent", "name"), INTENTS, ids=[intent for intent, _ in INTENTS])
def test_most_wrong_programs_are_caught(intent: str, name: str) -> None:
    made = planned(intent, lines(name))
    written = records.tests(intent, lines(name))
    wrong = mutants(made.source)
    killed = sum(caught(written, source, made.entry) for source in wrong)
    assert killed >= 0.7 * len(wrong), f"{killed} of {len(wrong)}"


@pytest.mark.parametrize(("intent", "name"), INTENTS, ids=[intent for intent, _ in INTENTS])
def test_an_empty_answer_is_caught(intent: str, name: str) -> None:
    for empty in ("[]", "{}", "None", "0"):
        source = f"class Nothing:\n    def invoke(self, input):\n        return {empty}\n"
        assert caught(records.tests(intent, lines(name)), source, "Nothing")


def test_some_lines_are_held_out_from_the_learner() -> None:
    written = records.tests("count requests by status", lines("access.log"))
    held = [test for test in written if test.kind == "held-out"]
    learned, kept = _plan.split(lines("access.log"))
    assert held
    assert all(item in kept for test in held for item in test.input)  # type: ignore[attr-defined]
    assert not set(map(str, learned)) & set(map(str, kept))


def test_a_small_sample_is_not_called_held_out() -> None:
    assert not [test for test in records.tests("count requests", lines("access.log")[:5]) if test.kind == "held-out"]


def test_what_is_not_understood_has_no_tests() -> None:
    assert records.tests("frobnicate the quux", lines("access.log")) == ()


def test_values_right_at_a_limit_are_tried() -> None:
    written = records.tests("Parse NGINX access logs and extract 4xx error patterns", lines("access.log"))
    edges = next(test for test in written if "limits" in test.name)
    assert isinstance(edges.input, list)
    assert [str(line).split('" ')[1][:3] for line in edges.input[:6]] == ["399", "400", "401", "499", "500", "501"]
    assert isinstance(edges.expected, list)
    assert [record["status"] for record in edges.expected[:3]] == [400, 401, 499]
