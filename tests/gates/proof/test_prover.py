"""The proof gate as a whole: what is refused, what is weak, what is strong, and what it asks."""

import ast
import json
from collections.abc import Iterator

import pytest

from mayfly.gates import Rival, Suite, Test, find_entry
from mayfly.gates.proof._prover import Prover
from mayfly.gates.proof._values import ProofOptions, ProofReport
from mayfly.sandbox import EPHEMERAL_IMPORTS as SIX_IMPORTS
from mayfly.sandbox import Sandbox

SORTED = """
def unique(items: list[int]) -> list[int]:
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return sorted(found)
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


@pytest.fixture(scope="module")
def prover(sandbox: Sandbox) -> Prover:
    return Prover(sandbox)


def example(given: object, expected: object) -> Test:
    return Test(name=f"for {given}", kind="example", input=given, expected=expected)


def told(given: object, expected: object) -> Test:
    return Test(name=f"told {given}", kind="intent", input=given, expected=expected)


UNIQUE = (
    example([3, 1, 3, 2], [1, 2, 3]),
    example([], []),
    example([5, 5], [5]),
    example([9, 2, 8, 2], [2, 8, 9]),
    example([4], [4]),
    example([1, 2], [1, 2]),
)


def prove(prover: Prover, source: str, *tests: Test, rivals: tuple[Rival, ...] = ()) -> ProofReport:
    entry = find_entry(ast.parse(source))
    return prover.prove(source, entry, Suite(tests=tests), imports=SIX_IMPORTS, rivals=rivals)


def codes(report: ProofReport) -> list[str]:
    return [verdict.code for verdict in report.verdicts]


# Written from "each item once, in order" by somebody who saw no program.
FROM_INTENT = (
    told([7, 3, 7], [3, 7]),
    told([2, 1], [1, 2]),
    told([9, 9, 9], [9]),
    told([5, 4, 3, 4, 5], [3, 4, 5]),
)


def test_what_the_author_was_shown_speaks_for_nothing(prover: Prover) -> None:
    report = prove(prover, SORTED, *UNIQUE)
    assert (report.proof.strength, codes(report), report.proof.evidence) == ("weak", ["WEAK"], ())
    assert report.verdicts[0].fix


def test_tests_from_the_intent_are_a_witness(prover: Prover) -> None:
    report = prove(prover, SORTED, *UNIQUE, *FROM_INTENT)
    assert report.proof.strength in ("strong", "tested")
    (witness,) = report.proof.evidence
    assert (witness.kind, witness.count, str(witness)) == ("tests", 4, "4 tests from the intent")
    assert report.proof.mutants_killed > 0


def test_an_example_that_was_held_out_is_a_witness(prover: Prover) -> None:
    held = Test(name="h", kind="held-out", input=[8, 2, 8, 6], expected=[2, 6, 8])
    (witness,) = prove(prover, SORTED, *UNIQUE, held).proof.evidence
    assert (witness.kind, witness.count) == ("held-out", 1)


def test_a_held_out_output_that_was_shown_elsewhere_earns_nothing(prover: Prover) -> None:
    table = "def lookup(word: str) -> str:\n    return {'a': 'x', 'b': 'y'}.get(word, 'x')\n"
    held = Test(name="h", kind="held-out", input="c", expected="x")
    assert prove(prover, table, example("a", "x"), example("b", "y"), held).proof.strength == "weak"


def test_yes_or_no_twice_is_luck(prover: Prover) -> None:
    source = "def positive(n: int) -> bool:\n    return n > 0\n"
    few = [told(0, False), told(1, True)]
    assert prove(prover, source, *few).proof.strength == "weak"
    more = [*few, told(-3, False), told(7, True)]
    assert prove(prover, source, *more).proof.holds


def test_a_mistake_that_nobody_would_notice_is_open(prover: Prover) -> None:
    report = prove(prover, SORTED, told([1, 2], [1, 2]), told([3, 3], [3]), told([4, 5], [4, 5]))
    assert report.proof.strength == "tested"
    assert [point.kind for point in report.proof.open] == ["mistake"]
    assert report.question is not None
    assert report.question.text.startswith("what should unique(")
    assert report.verdicts[0].fix == f"answer: {report.question.text}"


def test_a_failure_on_an_input_that_can_occur_is_open(prover: Prover) -> None:
    source = "def ratio(pair: list[int]) -> float:\n    return pair[0] / (pair[1] - 4)\n"
    report = prove(prover, source, told([8, 8], 2.0), told([6, 1], -2.0), told([9, 7], 3.0), told([4, 2], -2.0))
    assert "failure" in [point.kind for point in report.proof.open]


def test_an_error_that_a_test_asks_for_is_no_failure(prover: Prover) -> None:
    source = "def half(n: int) -> int:\n    if n % 2:\n        raise ValueError(n)\n    return n // 2\n"
    odd = Test(name="odd", kind="intent", input=7, raises="ValueError")
    report = prove(prover, source, told(4, 2), told(10, 5), told(0, 0), odd)
    assert "failure" not in [point.kind for point in report.proof.open]


def test_a_rival_that_agrees_is_a_witness_and_settles_what_mutants_leave_open(prover: Prover) -> None:
    rival = Rival("def other(items: list[int]) -> list[int]:\n    return sorted(set(items))\n", "somebody")
    report = prove(prover, SORTED, *UNIQUE, rivals=(rival,))
    assert report.proof.strength == "strong"
    assert [(one.kind, one.author) for one in report.proof.evidence] == [("rival", "somebody")]


def test_a_rival_that_disagrees_where_no_test_is_asks(prover: Prover) -> None:
    rival = Rival("def unique(items):\n    return sorted(set(items)) if len(items) < 5 else items\n", "somebody")
    report = prove(prover, SORTED, *UNIQUE, *FROM_INTENT[:3], rivals=(rival,))
    assert report.proof.strength == "tested"
    assert "rival" in [point.kind for point in report.proof.open]
    assert report.question is not None
    assert isinstance(report.question.input, list)
    assert len(report.question.input) >= 5


def test_a_rival_that_fails_the_tests_or_is_the_same_program_changes_nothing(prover: Prover) -> None:
    wrong, same = Rival("def unique(items):\n    return items\n"), Rival(f"# said again\n{SORTED}")
    assert prove(prover, SORTED, *UNIQUE, rivals=(wrong, same)).proof.evidence == ()


def test_a_test_from_the_intent_that_fails_is_disputed(prover: Prover) -> None:
    report = prove(prover, SORTED, *UNIQUE, told([2, 1, 2], [2, 1]))
    assert codes(report) == ["TEST_FAILED"]
    (one,) = report.disputed
    assert (one.test.input, one.test.expected, one.gave) == ([2, 1, 2], [2, 1], [1, 2])
    assert prove(prover, SORTED, example([2, 1], [2, 1]), told([3, 3], [3, 3])).disputed == ()


def test_names_comments_and_the_order_of_tests_change_nothing(prover: Prover) -> None:
    renamed = "# a comment\n" + SORTED.replace("found", "kept").replace("item ", "one ").replace("(item)", "(one)")
    tests = (*UNIQUE, *FROM_INTENT)
    plain, other = prove(prover, SORTED, *tests).proof, prove(prover, renamed, *tests[::-1]).proof
    assert (plain.strength, plain.mutants, plain.mutants_killed) == (
        other.strength,
        other.mutants,
        other.mutants_killed,
    )


def test_no_tests_is_a_failure(prover: Prover) -> None:
    report = prove(prover, SORTED)
    assert (report.proof.strength, codes(report)) == ("none", ["NO_TESTS"])


def test_a_failed_test_is_named_with_both_values(prover: Prover) -> None:
    report = prove(prover, SORTED, example([2, 1], [2, 1]))
    (verdict,) = report.verdicts
    assert (verdict.code, verdict.measured, verdict.limit) == ("TEST_FAILED", "[1, 2]", "[2, 1]")
    assert report.proof.strength == "none"


def test_a_check_that_is_always_true_is_refused(prover: Prover) -> None:
    vacuous = Test(name="v", kind="property", input=[1], check="def check(input, output):\n    return True\n")
    report = prove(prover, SORTED, vacuous)
    assert (report.proof.strength, codes(report)) == ("none", ["VACUOUS"])


def test_a_test_that_says_nothing_is_a_failed_test(prover: Prover) -> None:
    assert codes(prove(prover, SORTED, Test(name="silent", kind="example", input=[1]))) == ["TEST_FAILED"]


def test_survivors_are_described_by_line_and_change(prover: Prover) -> None:
    report = prove(prover, SORTED, example([1, 2], [1, 2]), example([3], [3]))
    assert any(one.line == 7 and "`sorted` became `list`" in one.describe() for one in report.survivors)


def test_a_result_of_another_type_than_annotated_is_refused(prover: Prover) -> None:
    source = (
        "def first(items: list[int]) -> int:\n    for item in items:\n        if item > 1:\n            return item\n"
    )
    report = prove(prover, source, example([2, 3], 2), example([1, 5, 4], 5), example([7], 7))
    assert codes(report) == ["WRONG_TYPE"]
    assert report.verdicts[0].measured == "None"


def test_a_program_that_wavers_is_refused(prover: Prover) -> None:
    now = "datetime.datetime.now().microsecond + 1"
    source = f"import datetime\n\ndef toss(n: int) -> int:\n    return {now} if n > 5 else n\n"
    check = "def check(input, output):\n    return isinstance(output, int) and output != 0\n"
    tests = [Test(name="t", kind="property", input=9, check=check), example(2, 2), example(3, 3)]
    assert "NONDETERMINISTIC" in codes(prove(prover, source, *tests))


def test_state_that_leaks_between_calls_is_refused(prover: Prover) -> None:
    source = "SEEN = []\ndef count(text: str) -> int:\n    SEEN.append(text)\n    return len(SEEN)\n"
    assert "ORDER" in codes(prove(prover, source, example("a", 1), example("b", 2), example("c", 3)))


def test_running_out_of_stack_on_an_input_like_the_examples_is_refused(prover: Prover) -> None:
    source = "def down(n: int) -> int:\n    return 0 if n in (2, 9, 20) else down(n)\n"
    report = prove(prover, source, example(2, 0), example(9, 0), example(20, 0))
    assert codes(report) == ["ADVERSARIAL"]
    assert report.verdicts[0].measured == "RecursionError"


def test_held_out_tests_are_counted(prover: Prover) -> None:
    held = Test(name="h", kind="held-out", input=[2, 1], expected=[1, 2])
    assert prove(prover, SORTED, *UNIQUE, held).proof.held_out == 1


def test_a_report_is_plain_data(prover: Prover) -> None:
    report = prove(prover, SORTED, example([1, 2], [1, 2]), example([3], [3]))
    data = json.loads(json.dumps(report.to_json()))
    assert data["proof"]["strength"] == "weak"
    assert data["results"][0]["name"] == "for [1, 2]"
    assert data["question"]["text"]


def test_a_stored_suite_runs_again(prover: Prover) -> None:
    suite = Suite(tests=UNIQUE, author="somebody", samples=([1],))
    again = Suite.from_json(json.loads(json.dumps(suite.to_json())))
    assert again == suite
    results = prover.rerun(SORTED, find_entry(ast.parse(SORTED)), again, imports=SIX_IMPORTS)
    assert [result.passed for result in results] == [True] * 6


def test_the_same_proof_twice_gives_the_same_report(prover: Prover) -> None:
    one, other = (prove(prover, SORTED, *UNIQUE[:2]).to_json() for _ in range(2))
    assert {**one, "milliseconds": 0} == {**other, "milliseconds": 0}


def test_an_import_outside_the_tier_fails_the_tests(prover: Prover) -> None:
    source = "import os\ndef here(n: int) -> str:\n    return os.getcwd()\n"
    report = prove(prover, source, example(1, "/"))
    assert codes(report) == ["TEST_FAILED"]
    assert "not allowed" in report.verdicts[0].message


def test_nothing_but_the_tests_is_run_when_all_else_is_switched_off(sandbox: Sandbox) -> None:
    options = ProofOptions(mutants=0, inputs=0)
    report = prove(Prover(sandbox, options), SORTED, *UNIQUE, *FROM_INTENT)
    assert (report.proof.strength, report.proof.mutants) == ("strong", 0)


def test_an_asynchronous_agent_is_proven_like_any_other(prover: Prover) -> None:
    source = '''
class Agent:
    """Shout."""

    async def invoke(self, text: str) -> str:
        return text.upper() + "!"
'''
    report = prove(prover, source, told("a", "A!"), told("", "!"), told("Bc", "BC!"), told(" d", " D!"))
    assert report.proof.holds


LONG = "def long(word: str) -> bool:\n    return len(word) > 4\n"


def test_a_class_with_one_example_is_weak_whoever_speaks_for_the_program(prover: Prover) -> None:
    skewed = [example("banana", True), *(example(word, False) for word in ("fig", "kiwi", "date"))]
    held = [Test(name=word, kind="held-out", input=word, expected=False) for word in ("a", "ab", "abc", "abcd")]
    report = prove(prover, LONG, *skewed, *held, rivals=(Rival(LONG.replace("> 4", ">= 5"), "other"),))
    assert report.proof.strength == "weak"
    assert [point.kind for point in report.proof.open if point.kind == "classes"]
    assert "the class true has one example; two are needed" in str(report.proof.open)
    found = prover.prove(LONG, find_entry(ast.parse(LONG)), Suite(tests=tuple(skewed)), imports=SIX_IMPORTS, foretold=4)
    assert found.proof.strength == "weak"


def test_tests_from_the_intent_tell_classes_apart(prover: Prover) -> None:
    shown = [example(word, len(word) > 4) for word in ("banana", "fig", "kiwi", "date")]
    meant = [told("orange", True), told("plum", False), told("grape", True), told("", False)]
    assert prove(prover, LONG, *shown, *meant).proof.holds
    even = [example(word, len(word) > 4) for word in ("banana", "orange", "fig", "kiwi")]
    held = [
        Test(name=word, kind="held-out", input=word, expected=len(word) > 4) for word in ("melon", "a", "peach", "b")
    ]
    assert prove(prover, LONG, *even, *held).proof.strength == "weak"


def test_a_doubt_of_the_search_is_told_and_keeps_the_proof_weak(prover: Prover) -> None:
    tests = tuple(example(word, len(word) > 4) for word in ("banana", "orange", "fig", "kiwi"))
    entry = find_entry(ast.parse(LONG))
    report = prover.prove(LONG, entry, Suite(tests=tests), imports=SIX_IMPORTS, foretold=4, doubt="too few")
    assert (report.proof.strength, str(report.proof.open[-1])) == ("weak", "too few")
