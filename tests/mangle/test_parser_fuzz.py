"""Ten thousand broken programs: each is refused with a place in its text, or read, and then reads back as printed."""

import dataclasses
import re
from random import Random

from mayfly.mangle._ast import Place, Unit
from mayfly.mangle._errors import MangleError, MangleErrors
from mayfly.mangle._parser import parse
from mayfly.mangle._text import show_clause, show_declaration

SEEDS = (
    'Package shop.cart!\nUse base [doc("x")]!\nDecl item(Id, Price) descr [doc("goods")] bound [/name, /number].',
    "item(/pen, 120). item(/ink, 350).\ncheap(X) :- item(X, P), P < 200, !banned(X), X != /ink .\nbanned(/glue).",
    "total(K, N) :- sold(K, P) |> do fn:group_by(K), let N = fn:sum(P), let L = fn:collect(P).",
    "next(Y) :- cell(X), Y = fn:plus(X, -1), X >= 0 |> let Z = fn:list:len([X, Y,]).",
    "Decl shift(W) temporal bound [.List<.Struct</a : /string, opt /b : .Union</x, /y>,>>] inclusion [worker(W)].",
    "shift(/ann)@[2024-01-15T10:30:00.5Z, now].",
    "late(W) ⟸ <-[0d, 7d] shift(W), [-[1h, _] on(W)@[A, B], <+[1s, 500ms] off(W), [+[now, T] free(W).",
    'text(\'single\\n\', "dou\\"ble\\u{1f600}", `raw\\t`, b"\\xff\\x00", "two\nlines"). # a comment, "not a string\n',
    'data([1, 2.5, -3, .5e-7], [/a : 1, "b" : [2 : 3]], {/x : {}, /y : []}, fn:map(), fn:pair(1, 2)).',
    "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z), :match_cons(L, _, T), base.known(X),.",
)
PIECES = (
    *"()[]{}<>=!.,:@|#%/\\\"'`-+*_?;&~$\n\r\t\f\v\x00",
    *("[-", "<-", ":-", "|>", "!=", "X", "x", "/a", "/a.", "X:1", "My_x", ".T<", "fn:f(", "p(", "1", "-1", "1.5", "7d"),
    *("let ", "do ", "opt ", "now", "Decl ", "Package a!", "Use b!", "bound [", "descr [", "temporal", "not ", "b'"),
    *("99999999999999999999", "1.0e999", "2024-02-30", "\\x", "\\u{110000}", "é", "⟸", "\ufeff", "\u2028", "\ud800"),
    *("[" * 300, "(" * 300, "p([" * 100, "9" * 5000),
)
WORDS = re.compile(r"\"[^\"\n]*\"|\w+|\s+|.", re.DOTALL)


def mutated(random: Random) -> str:
    text = "\n".join(random.sample(SEEDS, random.choice((1, 1, 2))))
    for _ in range(random.choice((0, 1, 1, 1, 2, 4))):
        words = WORDS.findall(text) or [""]
        place, other = random.randrange(len(words)), random.randrange(len(words))
        match random.randrange(6):
            case 0:
                words.insert(place, random.choice(PIECES))
            case 1:
                words[place] = random.choice(PIECES)
            case 2:
                del words[place : place + random.randrange(1, 4)]
            case 3:
                words[place], words[other] = words[other], words[place]
            case 4:
                words.insert(place, words[other])
            case _:
                words = words[: place + 1]
        text = "".join(words)
    return text


def without_places(part: object) -> object:
    if isinstance(part, Place):
        return None
    if isinstance(part, tuple):
        return tuple(without_places(each) for each in part)
    if dataclasses.is_dataclass(part):
        return (type(part), *(without_places(getattr(part, field.name)) for field in dataclasses.fields(part)))
    return part


def assert_inside(error: MangleError, text: str) -> None:
    assert error.stage == "parse"
    assert error.place is not None
    lines = text.split("\n")
    assert 1 <= error.place.line <= len(lines)
    assert 1 <= error.place.column <= len(lines[error.place.line - 1]) + 1
    assert "\n" not in str(error)


def assert_reads_back(unit: Unit) -> None:
    printed = [show_declaration(found) for found in unit.declarations] + [show_clause(found) for found in unit.clauses]
    again = parse("\n".join(printed), file=unit.file)
    assert without_places(again.declarations) == without_places(unit.declarations)
    assert without_places(again.clauses) == without_places(unit.clauses)


def test_ten_thousand_mutations_are_read_or_refused_with_a_place() -> None:
    random = Random(2024)
    read = 0
    for _ in range(10_000):
        text = mutated(random)
        try:
            unit = parse(text)
        except MangleError as error:
            for each in error.errors if isinstance(error, MangleErrors) else (error,):
                assert_inside(each, text)
        else:
            read += 1
            assert_reads_back(unit)
    assert 1000 < read < 9000
