"""Relations: right results hold, wrong ones do not, and where nothing is sure nothing is asked."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import UNSET
from mayfly.forge.relations import in_process, relation, relation_of
from mayfly.sandbox import Sandbox

LOG = "10.0.0.1 GET /a 404\n10.0.0.2 GET /b 200\n"
USER = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}

# intent, input, right results, wrong results
CASES: list[tuple[str, object, list[object], list[object]]] = [
    ("Parse the log", LOG, [[{"ip": "10.0.0.1"}], {"lines": 2}], [None, LOG, [{}], [None, None]]),
    ("Parse the JSON config", "{}", [{}, []], ["{}"]),
    ("Parse JSON", "null", [None], ["null"]),
    ("Parse each line", ["a=1", "", "c=3"], [[1, None, 3]], [[None, 2, 3], None]),
    ("Find TODO comments in code", "x # TODO: a\ny", [["TODO: a"], [], None, ["todo:  A"]], [["TODO: b"], "FIXME"]),
    ("Extract the status codes", LOG, [[404, 200], ["404"]], [[500], ["404", "999"]]),
    ("Extract the amounts", "cost 1,234.50 now", [[1234.5], ["1,234.50"]], [[99]]),
    ("Find the user named Ann", [{"n": "Ann", "id": 5}], [{"n": "Ann", "id": 5}, None], [{"n": "Zed", "id": 9}]),
    ("Filter the even numbers", [1, 2, 3, 4, 2], [[2, 4, 2], [4, 2], []], [[2, 2, 2], [6], None, [True], [[]]]),
    ("Select the names of the users", [{"name": "Ann"}, {"name": "Bo"}], [["Ann"], ["Bo", "Ann"]], [["Zed"], [7]]),
    ("Keep the lines with errors", ["error: a", "ok"], [["error: a"]], [["error: b"], [None]]),
    ("Remove duplicates from the list", [1, 2, 1], [[1, 2], [2, 1]], [[1, 2, 1], [1], [1, 2, 3], None, {}]),
    ("Sort the numbers", [3, 1, 2], [[1, 2, 3]], [[3, 2, 1], [1, 2], [1, 2, 3, 3], [], None, 6]),
    ("Sort the numbers in descending order", [3, 1, 2], [[3, 2, 1]], [[1, 2, 3], [3, 2]]),
    ("Sort the words", ["b", "A", "c"], [["A", "b", "c"]], [["c", "b", "A"], ["A", "b"]]),
    ("Sort the words by length", ["aaa", "b"], [["b", "aaa"], ["aaa", "b"]], [["b"], ["b", "aaa", "b"]]),
    ("Sort the lines", "b\na\n", ["a\nb\n", ["a", "b"]], ["b\na\n", "a\n", ""]),
    ("Sort the words, newest first", ["a", "b"], [["b", "a"], ["a", "b"]], []),
    ("Count the words", "a b c", [3, 0, {"a": 1, "b": 1}, [["a", 1]]], [-1, 1000, None, True, "3", 2.5, {"a": "x"}]),
    ("How many lines are there", LOG, [2], [-2, None, False, 10_000]),
    ("Count the ways to arrange the letters", "abcdef", [720], [-1, None]),
    ("Count the lines of the file", "src/big.py", [100_000], [-1, None]),
    (
        "Validate the e-mail address",
        "a@b",
        [True, False, {"valid": False}, "invalid", [True, False]],
        [None, 1, "a@b", [], {}],
    ),
    ("Check the log for errors", LOG, [[], ["line 1"], True, {"errors": ["x"]}], [None, 7, "something"]),
    ("Is the number prime?", 7, [True, False], [None, 1, "maybe"]),
    ("Determine whether the text is a palindrome", "abba", [True], [None, 4]),
    ("Convert the record to JSON", {"a": 1}, ['{"a": 1}'], [None, "{'a': 1}", "nope"]),
    ("Convert the text to uppercase", "abc", ["ABC"], ["abc", None]),
    ("Convert 12 to roman numerals", 12, ["XII"], ["12", None]),
    ("Convert the numeral to an integer", "XII", [12], ["XII", None, True, 12.5, []]),
    ("Convert the texts to integers", ["1", "2"], [[1, 2]], [["1", "2"], None, [1], [1, None]]),
    (
        "Fix the bug in the Python code",
        "def f(:",
        ["def f(): pass"],
        ["def f(:", "def g(:", None, "", {"passed": False}],
    ),
    ("Repair the JSON", "{'a': 1}", ['{"a": 1}'], ["{'a': 1}", None]),
    ("Fix the typos", "all is right", ["all is right"], [None, ""]),
    ("Sum the numbers", [1, 2, 3], [6], [7, None, True, "6", [6], 0]),
    ("Calculate the average of the list", [1, 2], [1.5], [1, 2, None]),
    ("Find the largest number", [1, 9, 3], [9], [3, 1, None]),
    ("Reverse the string", "abc", ["cba"], ["abc", None, ["c", "b", "a"]]),
    ("Reverse the list", [1, 2], [[2, 1]], [[1, 2], []]),
    ("Join the words", ["a", "b"], ["a b", "a,b", "ab"], ["a", "ba", None, ["a", "b"]]),
    ("Reticulate the splines", 1, [1, [], "x", 0, False], [None]),
]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


def check(intent: str, input: object, output: object, context: dict[str, object] | None = None) -> object:
    found = relation_of(intent, context or {}, input)
    asked = in_process(found.kind, found.source)
    assert asked is not None
    try:
        return asked(None if input is UNSET else input, output)
    except Exception as error:
        return type(error).__name__


RIGHT = [(intent, input, output) for intent, input, right, _ in CASES for output in right]
WRONG = [(intent, input, output) for intent, input, _, wrong in CASES for output in wrong]


@pytest.mark.parametrize(("intent", "input", "output"), RIGHT)
def test_a_right_result_holds(intent: str, input: object, output: object) -> None:
    assert check(intent, input, output) is True


@pytest.mark.parametrize(("intent", "input", "output"), WRONG)
def test_a_wrong_result_does_not_hold(intent: str, input: object, output: object) -> None:
    assert check(intent, input, output) is not True


@pytest.mark.parametrize(
    ("intent", "input", "output"),
    [
        ("Given a list of integers, return their squares", [2, 3], [4, 9]),
        ("Make a list of squares", [2], [4]),
        ("Find the missing numbers", [1, 3], [2]),
        ("Find the bug in the code", "x = 1", "a name is never used"),
        ("Find the square roots", [4.0], [2.0]),
        ("Find the primes up to the number", 10, [2, 3, 5, 7]),
        ("Find the sum of the even numbers", [1, 2, 4], 6),
        ("Convert the first letter to uppercase", "abc", "Abc"),
        ("Sort the names and return the top 3", ["c", "a", "b", "d"], ["a", "b", "c"]),
        ("Sort the unique numbers", [2, 1, 2], [1, 2]),
        ("Extract the dates as ISO", "3 May 2024", ["2024-05-03"]),
        ("Reverse the words", "a b", "b a"),
        ("Reverse the strings", ["ab", "cd"], ["ba", "dc"]),
        ("Sum the digits of the numbers", [12, 3], [3, 3]),
        ("List the files", "src/app", ["src/app/a.py"]),
        ("Parse the file", "config.toml", {"a": 1}),
        ("Find the average length of the words", "aa bbbb", 3.0),
        ("Count the even numbers and double the rest", [1, 2], [2]),
        ("Format the date", "2024-05-03", "3 May 2024"),
        ("Generate a greeting", "Ann", "Hello, Ann"),
        ("Filter the words and reverse them", ["ab"], ["ba"]),
        ("Return the largest number of the even ones", [1, 2, 3], 2),
        ("Sum the numbers", ["1", "2"], 3),
        ("Translate the text to French", "cat", "chat"),
        ("Count the votes and return the winner", ["Ann", "Bo", "Ann"], "Ann"),
        ("Sort the numbers and give the median", [3, 1, 2], 2),
        ("Find the prices and multiply them", "2 and 3", 6),
        ("Check the spelling", "helo", "hello"),
        ("Validate the rows and report the bad ones", [1, -1], [-1]),
        ("Keep the positive numbers and add them", [1, 2, -3], 3),
        ("Find the users and print their names", [{"name": "Ann"}], ["Ann"]),
    ],
)
def test_what_is_right_in_another_way_is_not_refused(intent: str, input: object, output: object) -> None:
    assert check(intent, input, output) is True


def test_a_schema_is_held_where_something_is_generated() -> None:
    context: dict[str, object] = {"schema": USER}
    assert check("Generate a user", UNSET, {"name": "Ann", "age": 3}, context) is True
    refused: list[object] = [{}, {"name": 3}, {"name": "Ann", "age": True}, [], None]
    for wrong in refused:
        assert check("Generate a user", UNSET, wrong, context) is not True


def test_an_output_schema_is_held_whatever_is_asked() -> None:
    context: dict[str, object] = {"output_schema": {"type": "array", "items": {"enum": [1, "a"]}, "minItems": 1}}
    assert check("Reticulate", UNSET, [1, "a"], context) is True
    assert check("Reticulate", UNSET, [True], context) is False
    assert check("Reticulate", UNSET, [], context) is False


@pytest.mark.parametrize("schema", [{"type": "nonsense"}, {"properties": {"a": True}}, {"type": ["string", "null"]}])
def test_an_odd_schema_raises_nothing(schema: object) -> None:
    assert check("Generate it", UNSET, None, {"schema": schema}) in (True, False)


@pytest.mark.parametrize(
    "intent", ["", " ", "?!", "sort", "find", "the", "to to to", "🦋", "x" * 100_000, "find " * 50_000]
)
@pytest.mark.parametrize("input", [UNSET, None, 0, "", [], {}, [None], [[]], {"a": None}, "\x00", [1, "a", None]])
def test_any_intent_and_input_has_a_relation(intent: str, input: object) -> None:
    assert relation_of(intent, {}, input).source


@pytest.mark.parametrize(("intent", "input", "right", "wrong"), [case for case in CASES if case[3]])
def test_a_relation_answers_the_same_behind_the_wall(
    intent: str, input: object, right: list[object], wrong: list[object], sandbox: Sandbox
) -> None:
    source = (
        relation_of(intent, {}, input).source + "\n\ndef ask(pairs):\n    return [check(*pair) for pair in pairs]\n"
    )
    result = sandbox.run(source, "ask", [[input, output] for output in right])
    assert result.value == [True] * len(right), result.error


def test_a_source_that_was_changed_is_not_run_in_this_process() -> None:
    found = relation_of("Sum the numbers", {}, [1])
    assert in_process(found.kind, found.source) is not None
    assert in_process(found.kind, found.source + "\n") is None
    assert in_process(found.kind, found.source.replace("math.fsum", "eval")) is None
    assert in_process("find", found.source) is None


@pytest.mark.parametrize("name", ["", "..", "../_loop", "nothing", "__init__", "FIND", "find\n"])
def test_only_names_of_relations_are_looked_up(name: str) -> None:
    assert in_process(name, "def check(input, output): return True") is None


def test_a_constant_that_is_no_literal_is_not_run_in_this_process() -> None:
    source = relation("sort", "", 0.0).source.replace('ORDER = "any"', "ORDER = __import__('os').getcwd()")
    assert in_process("sort", source) is None


def test_constants_survive_whatever_they_hold() -> None:
    text = json.dumps({"a": ["\\1", "\n", "'\"", "\\g<0>", "☃"]})
    found = relation("example", "", 1.0, EXPECTED=text)
    asked = in_process("example", found.source)
    assert asked is not None
    assert asked(None, json.loads(text)) is True
    assert asked(None, {"a": []}) is False


def test_two_relations_of_one_kind_do_not_disturb_each_other() -> None:
    up, down = (relation("sort", "", 0.0, ORDER=order) for order in ("up", "down"))
    first, second = in_process("sort", up.source), in_process("sort", down.source)
    assert first is not None
    assert second is not None
    assert (first([1, 2], [1, 2]), second([1, 2], [1, 2])) == (True, False)


def test_every_relation_file_has_a_check_and_says_what_it_means() -> None:
    import mayfly.forge.relations

    for path in Path(mayfly.forge.relations.__file__).parent.glob("[a-z]*.py"):
        text = path.read_text(encoding="utf-8")
        assert "def check(input, output):" in text
        assert text.startswith('"""')
