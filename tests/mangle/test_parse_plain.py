"""Clauses that are read atom by atom are read as their tokens would be: the same tree, or the same mistakes."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from mayfly.mangle import _parser
from mayfly.mangle._errors import MangleError
from mayfly.mangle._parse_plain import PlainReader, plain_fact
from mayfly.mangle._parser import parse, parse_fact
from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Name

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("src/mayfly/**/*.mg"), *ROOT.glob("bench/**/*.mg")])
SEEDS = (
    "p(X) :- q(X, _), !r(X), X != /a , X < 3.\n# a remark\nDecl q(X, Y).\nq(/a/b.c, \"it's\").\nq('', -7).\n",
    "Decl edge(X, Y).\ntc(X, Y) :- edge(X, Y).\n\ntc(X, Z) :- # why\n  tc(X, Y),\n\tedge(Y, Z).\n",
    "a(). b(1).c(X) :- a(), b( X , _ ), ! d(X), X>=2, /x = X, Y = X .e(Y) :- a().\r\nf(/t, 12).",
    "base.q(X) :- a:b(X), base.q(X).\np(A,B,C,D,E,F,G,H,I,J) :- q(A,B,C,D,E,F,G,H,I,J).\np(A,B,C,D,E,F,G,H,I,J,K).\n",
)
PIECES = (
    *"()[]{}<>=!.,:@|#/\\\"'`-+_ \n\r\t\f\v0",
    *(":-", "|>", "!=", "<-", "<=", "X", "x", "/a", "/a.", "X:1", "My_x", ".T<", "fn:f(", "p(", "not ", "-1", "1.5"),
    *("7d", "2024-01-15", "Decl ", "Package a!", "Use b!", " temporal", " descr [doc('x')]", "now", "b'x'", "⟸", "é"),
    *(
        "9" * 18,
        "9" * 19,
        "-" + "9" * 19,
        "007",
        "p(X,)",
        "p(X).Q",
        "p(X).5",
        'q("a\nb")',
        "q('\\n')",
        "# x\n",
        "\ufeff",
    ),
)


def by_tokens(self: PlainReader, at: int, clauses: object, declarations: object) -> int:
    return at


@pytest.fixture
def agree(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], bool]:
    """Read a text both ways, demand the same, and say whether it was right."""

    def agreed(text: str) -> bool:
        plain = outcome(text)
        with monkeypatch.context() as patched:
            patched.setattr(PlainReader, "read", by_tokens)
            assert plain == outcome(text), text
        return not isinstance(plain, list)

    return agreed


def outcome(text: str) -> object:
    try:
        # Two numbers of different kinds are equal in Python: the text of the tree tells them apart.
        unit = parse(text, file="f.mg")
        return unit, repr(unit)
    except MangleError as error:
        return [(str(one), one.place, one.unit, repr(one.unit)) for one in error.all]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_our_own_rules_are_read_the_same(path: Path, agree: Callable[[str], bool]) -> None:
    assert agree(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", SEEDS)
def test_plain_clauses_are_read_the_same(text: str, agree: Callable[[str], bool]) -> None:
    assert agree(text)


def test_thousands_of_texts_that_are_nearly_plain_are_read_the_same(agree: Callable[[str], bool]) -> None:
    random = Random(18)
    right = 0
    for _ in range(3000):
        text = "".join(random.sample(SEEDS, random.choice((1, 1, 2))))
        for _ in range(random.choice((1, 1, 2, 3))):
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice((*PIECES, "")) + text[at + random.choice((0, 0, 1, 2)) :]
        right += agree(text)
    # Not all of them are refused, and not all of them are right.
    assert 200 < right < 2800


def test_a_long_source_is_read_in_one_go() -> None:
    source = "Decl q(X).\n" + "p(X) :- q(X), !r(X), X > 2.\n" * 50 + "r(/a)."
    clauses: list[object] = []
    assert PlainReader(source, "f").read(0, clauses, []) == len(source)  # type: ignore[arg-type]
    assert len(clauses) == 51


@pytest.mark.parametrize(
    "text",
    [
        *("p(/a, 1, 'x', \"y\").", " p() ", "# x\np(1).", "p(-0).", "p(/a.)", "p(/a).", "p(007)", "p(1)\n.\n# end"),
        *(
            "p(X)",
            "p(_)",
            "p(Decl)",
            "p(1.5)",
            "p(7d)",
            "fn:f(1)",
            "not(1)",
            "now(1)",
            "p(1).q(2)",
            "p(1)..",
            "p([-1])",
            "p('\\n')",
        ),
        *("p(" + "9" * 18 + ")", "p(" + "9" * 19 + ")", "p(" + "9" * 20 + ")", "p(1,)", "p", "", "p('é')", "p(b'x')"),
        "p(1,2,3,4,5,6,7,8,9,10,11)",
    ],
)
def test_a_fact_is_read_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> object:
        try:
            return repr(parse_fact(text))
        except MangleError as error:
            return str(error)

    plain = read()
    monkeypatch.setattr(_parser, "plain_fact", lambda text: None)
    assert plain == read()


def test_a_plain_fact_is_taken_whole() -> None:
    assert plain_fact("p(/a, 1, 'x').") == (Symbol("p", 3), (Name("/a"), 1, "x"))
    assert plain_fact("p(X).") is None
