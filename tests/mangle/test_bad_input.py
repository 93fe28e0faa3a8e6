"""Whatever is given, the answer is facts or one line with a place: no traceback, no hang, bounded memory."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from mayfly.mangle import Limits, MangleError, Row, Symbol, load, parse, parse_atom, read_source

MIB = 2**20
QUICK = Limits(seconds=0.3)
NUMBERS = "".join(f"k({number}). " for number in range(300))


def refusal(text: str, limits: Limits = QUICK) -> MangleError:
    with pytest.raises(MangleError) as caught:
        load([parse(text, file="bad.mg")]).evaluate(limits=limits)
    assert caught.value.place is not None
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 4000
    return caught.value


def facts(text: str) -> int:
    return sum(1 for _ in load([parse(text)]).evaluate().facts())


@pytest.mark.parametrize(
    "text",
    [
        'p("abc).\nq(1).',
        "p(" + "%" * MIB + ").",
        '"' * 1_000_001,
        "p(" + "fn:plus(1, " * 5000 + "1" + ")" * 5000 + ").",
        "p(" + "[" * 50_000,
        "Decl p(X) bound [" + ".List<" * 5000 + "/any" + ">" * 5000 + "].",
        "p(X) :- " + "!" * 10_000 + "q(X).",
        "p(" + "9" * 100_000 + ").",
        "p(1).\n\0q(1).",
        "." * 10_000,
    ],
    ids=["string", "signs", "quotes", "terms", "lists", "types", "negations", "number", "nul", "dots"],
)
def test_what_cannot_be_read_has_a_place(text: str) -> None:
    assert refusal(text).stage == "parse"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Decl p(X).\nDecl p(X).", "declared twice"),
        ("p(1). p(1, 2).", "2 arguments here and 1"),
        ("Decl p(X) bound [/number].\np(1, 2).", "arguments"),
        (f'Decl p(X) bound [/number].\np("{"x" * MIB}").', "does not fit"),
        ("p" * 100_000 + "(X) :- q(X).", "nothing declares"),
        ("p(X9) :- " + ", ".join(f"X{i + 1} = fn:plus(X{i}, 1)" for i in range(2000)) + ".", "no value"),
        ("".join(f"p{i}(X) :- q{i}(X).\n" for i in range(5000)), "nothing declares"),
    ],
    ids=["decl", "arity", "bound", "value", "name", "order", "unknown"],
)
def test_what_makes_no_sense_has_a_place_and_few_words(text: str, part: str) -> None:
    error = refusal(text)
    assert error.stage == "analyze"
    assert part in error.message
    assert len(error.all) <= 20


def test_a_cycle_of_thousands_of_rules_is_told_in_one_short_line() -> None:
    rules = "".join(f"p{i + 1}(X) :- q(X), !p{i}(X).\n" for i in range(3000))
    error = refusal(f"q(1).\n{rules}p0(X) :- q(X), !p3000(X).")
    assert (error.stage, "more …" in error.message) == ("eval", True)


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "text",
    [
        "n(0). n(Y) :- n(X), Y = fn:plus(X, 1).",
        "a(0). b(Y) :- a(X), Y = fn:plus(X, 1). a(Y) :- b(X), Y = fn:plus(X, 1).",
        "m(fn:pair(1, 1)). m(Y) :- m(X), m(Z), Y = fn:pair(X, Z).",
        f"{NUMBERS} q(A, B, C, D) :- k(A), k(B), k(C), k(D).",
        f"{NUMBERS} q(N) :- k(A), k(B), k(C), k(D) |> do fn:group_by(), let N = fn:count().",
        f"{NUMBERS} q(A) :- k(A), k(B), k(C), k(D), fn:plus(A, B) = fn:plus(C, 10000).",
        'Decl m(A, C) descr [mode("+", "-"), deferred()]. m(A, A) :- A >= 60. q(1). p(Y) :- q(X), m(X, Y).'
        "m(A, C) :- A < 60, B = fn:plus(A, 1), m(B, D), m(B, E), C = fn:plus(D, E).",
        'Decl p(X, Y) descr [fundep([X], [Y]), merge([Y], "m")]. '
        'Decl m(A, B, C) descr [mode("+", "+", "-"), deferred()]. '
        "m(A, B, C) :- C = fn:max([A, B]). p(1, 0). p(1, Z) :- p(1, Y), Z = fn:plus(Y, 1).",
        "".join(f"n{i}(0). n{i}(Y) :- n{i}(X), Y = fn:plus(X, 1), Y < 100000.\n" for i in range(30)),
        f"{NUMBERS} q(K, L) :- k(K), k(L), fn:sum([{'K, ' * 5000}]) = -1.",
    ],
    ids=["up", "mutual", "pairs", "product", "count", "nothing", "deferred", "merge", "groups", "slow"],
)
def test_what_never_ends_ends_at_a_limit(text: str) -> None:
    error = refusal(text, Limits(facts=100_000, seconds=0.3))
    assert error.stage == "eval"
    assert "Limits(" in (error.fix or "")


@pytest.mark.parametrize(
    "rule",
    [
        "b(Y) :- s(X), k(K), Y = fn:string:concat(X, K).",
        "b(fn:string:concat(X, K)) :- s(X), k(K).",
        "b(Y) :- s(X), k(K) |> let Y = fn:string:concat(X, K).",
        "b(K) :- s(X), k(K), Y = fn:string:concat(X, K), Y != X.",
        "b(N) :- s(X), k(K), Y = fn:string:concat(X, K) |> do fn:group_by(), let N = fn:count().",
        "b([]). b(Y) :- b(X), Y = fn:list:append(X, 1).",
        'b("x"). b(Y) :- b(X), Y = fn:string:concat(X, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx").',
    ],
    ids=["premise", "head", "let", "origin", "body", "list", "string"],
)
def test_large_values_are_counted(rule: str) -> None:
    text = f's("{"x" * MIB}"). {NUMBERS} {rule}'
    assert "Limits(bytes=…)" in (refusal(text, Limits(bytes=32 * MIB)).fix or "")


def test_values_that_many_facts_share_count_once() -> None:
    text = f's("{"x" * MIB}"). {NUMBERS} b(K, L) :- s(X), k(K) |> do fn:group_by(K), let L = fn:collect(X).'
    assert len(load([parse(text)]).evaluate(limits=Limits(bytes=32 * MIB)).rows(Symbol("b", 2))) == 300


def test_values_that_are_dropped_again_do_not_count() -> None:
    text = f's("{"x" * MIB}"). {NUMBERS} b(1) :- s(X), k(K), Y = fn:string:concat(X, K), Y = X.'
    assert load([parse(text)]).evaluate(limits=Limits(bytes=32 * MIB), record=False).rows(Symbol("b", 1)) == set()


def test_an_external_that_never_ends_ends_at_a_limit() -> None:
    program = load([parse('Decl e(X) descr [external(), mode("-")]. p(X) :- e(X).')])

    def endless(_: object) -> Iterator[Row]:
        return ((number,) for number in count())

    with pytest.raises(MangleError, match=r"raise Limits\(") as caught:
        program.evaluate(externals={Symbol("e", 1): endless}, limits=Limits(seconds=0.3, facts=100_000))
    assert caught.value.place is not None


@pytest.mark.parametrize("joined", [10, 21, 40, 200])
def test_a_rule_may_join_many_premises(joined: int) -> None:
    body = ", ".join(f"e(X{i}, X{i + 1})" for i in range(joined))
    chain = "".join(f"e({i}, {i + 1}). " for i in range(joined))
    model = load([parse(f"{chain} p(X0, X{joined}) :- {body}.")]).evaluate()
    assert list(model.rows(Symbol("p", 2))) == [(0, joined)]
    origin = model.origin(Symbol("p", 2), (0, joined))
    assert origin is not None
    assert origin.bindings[f"X{joined // 2}"] == joined // 2


def test_a_rule_that_joins_too_many_says_so() -> None:
    error = refusal("e(1, 1). p(X0) :- " + ", ".join(f"e(X{i}, X{i + 1})" for i in range(5000)) + ".")
    assert "too long" in error.message


def test_many_rows_through_a_long_rule_end_at_the_limit() -> None:
    body = ", ".join(f"k(X{i})" for i in range(40))
    names = ", ".join(f"X{i}" for i in range(40))
    assert "Limits(" in (refusal(f"k(1). k(2). p({names}) :- {body}.", Limits(facts=50_000, seconds=0.5)).fix or "")


@pytest.mark.later
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", 0),
        ("# only\n# comments", 0),
        ("p(1).\r\nq(X) :- p(X).\r\n", 2),
        ('p("' + "a" * MIB + '").', 1),
        ("p(" + "1, " * 50_000 + "1).", 1),
        ("q(1). p(X) :- " + ", ".join(["q(X)"] * 10_000) + ".", 2),
        ("q(1). r(2). p(X) :- q(X), " + ", ".join(["!r(X)"] * 3000) + ".", 3),
        ("q(1).\n" + "".join(f"p{i}(X) :- q(X), X > {i}.\n" for i in range(5000)), 2),
        ("p0(1).\n" + "".join(f"p{i + 1}(X) :- p{i}(X).\n" for i in range(5000)), 5001),
        ("".join(f'p({i}, "v{i}").\n' for i in range(100_000)), 100_000),
        ("p(" + ", ".join(["1"] * 5000) + "). q(X0) :- p(" + ", ".join(f"X{i}" for i in range(5000)) + ").", 2),
        ("p(1). q(Y) :- p(X), Y = " + "fn:plus(X, " * 198 + "1" + ")" * 198 + ".", 2),
        ("p(1). q(Y) :- p(X), Y = " + "fn:list(X, " * 198 + "1" + ")" * 198 + ".", 2),
        ("Decl p(X) " + " ".join(f"bound [/t{i}]" for i in range(2000)) + ". p(/t9/a). q(X) :- p(X), p(X).", 2),
    ],
    ids=[
        *("empty", "comments", "crlf", "line", "arguments", "premises", "negations", "rules", "chain", "facts"),
        *("columns", "sums", "nested", "types"),
    ],
)
def test_what_is_only_large_or_odd_is_evaluated(text: str, found: int) -> None:
    assert facts(text) == found


def test_a_goal_whose_function_fails_is_refused() -> None:
    model = load([parse("p(1).")]).evaluate()
    with pytest.raises(MangleError, match="zero"):
        model.match(parse_atom("p(fn:div(1, 0))"))


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (Path.mkdir, "directory"),
        (make_fifo, "no regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "no regular file"),
        (lambda path: path.symlink_to("missing"), "no such file"),
        (lambda path: path.symlink_to(path), "symbolic link"),
        (lambda path: path.write_bytes("p(1).\n".encode("utf-16")), "not UTF-8"),
        (lambda path: path.write_bytes(b'p(1).\nq("caf\xe9").\n'), ":2:7: byte 0xe9"),
    ],
    ids=["directory", "fifo", "zero", "dangling", "loop", "utf-16", "latin-1"],
)
def test_what_is_no_source_is_named(tmp_path: Path, make: Callable[[Path], object], part: str) -> None:
    path = tmp_path / "bad.mg"
    make(path)
    with pytest.raises(MangleError) as caught:
        read_source(path)
    assert str(caught.value).startswith(f"{path}:")
    assert part in str(caught.value)


def in_little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (512 * MIB, 512 * MIB))


@pytest.mark.parametrize("as_json", [False, True])
def test_the_command_ends_in_one_line_where_memory_is_short(tmp_path: Path, as_json: bool) -> None:
    path = tmp_path / "big.mg"
    path.write_text(f's("{"x" * (15 * MIB)}").\n{NUMBERS}\nb(Y) :- s(X), k(K), Y = fn:string:concat(X, K).\n')
    command = [
        str(Path(sys.executable).with_name("mayfly")),
        "policy",
        "eval",
        str(path),
        *(["--json"] if as_json else []),
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=in_little_memory,
        env={**os.environ, "MAYFLY_STATE_DIR": str(tmp_path / "state")},
        check=False,
    )
    assert done.returncode == 2, done.stderr
    if as_json:
        told = json.loads(done.stdout)
        assert (told["stage"], told["facts"]) == ("eval", [])
        assert (told["error"]["file"], told["error"]["line"], told["error"]["column"]) == (str(path), 3, 1)
        assert "memory" in told["error"]["message"] or "bytes" in told["error"]["message"]
    else:
        assert len(done.stderr.splitlines()) == 1
        assert f"{path}:3:1: " in done.stderr
