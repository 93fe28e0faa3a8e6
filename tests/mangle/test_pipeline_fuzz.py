"""Ten thousand broken programs through everything: read, checked, evaluated, explained, or refused in one line."""

import re
from collections import Counter
from contextlib import suppress
from random import Random
from time import monotonic

from mayfly.mangle import (
    Limits,
    MangleError,
    Model,
    load,
    parse,
    parse_atom,
    show_row,
    to_json,
    to_text,
    why,
    why_not,
)

PROGRAMS = (
    "edge(/a, /b). edge(/b, /c). edge(/c, /a).\nreach(X, Y) :- edge(X, Y).\nreach(X, Z) :- reach(X, Y), edge(Y, Z).",
    "n(0).\nn(Y) :- n(X), Y = fn:plus(X, 1), Y < 20.\neven(X) :- n(X), 0 = fn:mod(X, 2).\nodd(X) :- n(X), !even(X).",
    "item(/pen, 120). item(/ink, 350). item(/cap, 5).\n"
    "total(N, S) :- item(_, P) |> do fn:group_by(), let N = fn:count(), let S = fn:sum(P).",
    'sold(/a, "x", 1). sold(/a, "y", 2). sold(/b, "x", 3).\n'
    "by(K, L, M) :- sold(K, W, N) |> do fn:group_by(K), let L = fn:collect(W), let M = fn:max(N).",
    'Decl user(Name, Age) descr [doc("a person"), arg(Name, "who"), arg(Age, "years")] bound [/string, /number].\n'
    'user("ann", 31). user("bob", 7).\nadult(N) :- user(N, A), A >= 18.\nyoung(N) :- user(N, A), A < 18, N != "ann".',
    "l([1, 2, 3]). l([]).\nhead(H, T) :- l(L), :match_cons(L, H, T).\nempty(L) :- l(L), :match_nil(L).\n"
    "member(X) :- l(L), :list:member(X, L).\nlong(L, N) :- l(L), N = fn:list:len(L), N > 0.",
    's({/name: "ann", /age: 3}). m([/k: 1, /j: 2]).\nname(N) :- s(S), :match_field(S, /name, N).\n'
    "value(V) :- m(M), :match_entry(M, /k, V).\ngot(A) :- s(S), A = fn:struct:get(S, /age).",
    "p(fn:pair(1, /x)). p(fn:pair(/y, [2])).\nfst(A, B) :- p(P), :match_pair(P, A, B).\nq(fn:tuple(1, 2, 3)).\n"
    "r(T) :- q(X), T = fn:tuple(X, X, 1).",
    'Decl tree(T) bound [.Union</leaf, .Pair</any, .List</number>>>].\ntree(/leaf/x).\ntree(fn:pair("a", [1, 2])).\n'
    "Decl rec(R) bound [.Struct</a : /number, opt /b : /string>].\nrec({/a: 1}).",
    'Decl best(X, Y) descr [fundep([X], [Y]), merge([Y], "pick")].\n'
    'Decl pick(A, B, C) descr [mode("+", "+", "-"), deferred()].\npick(A, B, C) :- C = fn:max([A, B]).\n'
    "cost(1, 5). cost(1, 7). best(X, Y) :- cost(X, Y).",
    'Decl twice(X, Y) descr [mode("+", "-"), deferred()].\ntwice(X, Y) :- Y = fn:mult(X, 2).\n'
    "n(3). n(4). big(Y) :- n(X), twice(X, Y).",
    "Decl shift(W) temporal bound [/name].\nshift(/ann)@[2024-01-15T10:30:00Z, 2024-01-16].\n"
    "shift(/bob)@[2024-01-17, _].\nDecl on(W) temporal.\non(W)@[S, E] :- shift(W)@[S, E].\n"
    "late(W) :- <-[0d, 7d] shift(W).\nsome(W) :- shift(W)@[2024-01-15T12:00:00Z].",
    "Package shop.cart!\nUse base!\nDecl item(Id) descr [public()] bound [/number].\nitem(1).\n"
    "want(X) :- item(X), X > 0.",
    't("hello"). t("yellow").\nu(S, L) :- t(S), :string:contains(S, "ell"), L = fn:string:concat(S, "!", 1, /a).\n'
    'v(R) :- t(S), R = fn:string:replace(S, "l", "L", -1).\nw(S) :- t(S), !:string:starts_with(S, "h").',
    "f(1.5). f(-2.25). g(X) :- f(Y), X = fn:float:mult(Y, 2.0).\n"
    "h(S) :- f(X) |> do fn:group_by(), let S = fn:float:sum(X).\n"
    "i(A) :- f(X) |> do fn:group_by(), let A = fn:avg(X).",
    "a(/x/y). a(/x/z/w).\nb(R, T, L) :- a(N), R = fn:name:root(N), T = fn:name:tip(N), L = fn:name:list(N).\n"
    "c(N) :- a(N), :match_prefix(N, /x/z).",
    'd(fn:time:parse_rfc3339("2024-01-15T10:30:00Z")). e(Y) :- d(T), Y = fn:time:year(T).\n'
    'g(U) :- d(T), D = fn:duration:parse("1h30m"), U = fn:time:add(T, D).\nk(T) :- d(T), :time:lt(T, T).',
    "x(1, 2). x(2, 2). y(X) :- x(X, X). z(X) :- x(X, _), !x(_, X).\n"
    "w(X) :- x(X, Y), X = Y.\nv(X) :- x(X, Y), 2 = Y, X != Y.",
    "r(X, S) :- s(X) |> let S = fn:plus(X, X), let T = fn:mult(S, S).\n"
    "s(7). s(8).\nlisted(L) :- s(X), L = [X, [X, X], {/a: X}, [/k : X]].",
    "Decl role(P) descr [reflects(/role)] bound [/role].\nrole(/role/admin).\nwho(X) :- role(X).\n"
    "Decl link(A, B) bound [/string, /number] bound [/number, /string] inclusion [node(A)].\nDecl node(A).\n"
    'link("a", 1). link(2, "b"). node("a"). node(2).',
)
PIECES = (
    *"()[]{}<>=!.,:@|#/\"'`-_",
    *(
        "X",
        "Y",
        "_",
        "/a",
        "/leaf/x",
        '"s"',
        '""',
        "[]",
        "{}",
        "b'x'",
        "0",
        "1",
        "-1",
        "2.5",
        "7d",
        "2024-01-15",
        "now",
    ),
    *(
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "1.7e308",
        "-0.0",
        "99999999d",
        "0001-01-01",
    ),
    *(
        "!",
        "p(X)",
        "n(X)",
        "X = Y",
        "X != Y",
        "X < Y",
        "fn:plus(X, 1)",
        "fn:div(1, 0)",
        "fn:list:get([1], 9)",
        "fn:sum([X])",
    ),
    *(
        "|> do fn:group_by(X)",
        "|> let Y = fn:count()",
        "let Y = fn:collect(X)",
        "fn:max(Y)",
        "fn:pick_any(Y)",
        "do ",
        "let ",
    ),
    *(
        "temporal",
        "descr [external()]",
        "descr [deferred()]",
        'mode("+")',
        "bound [/any]",
        "bound [.List<X>]",
        ".Map</a, /b>",
    ),
    *(
        ":match_cons(X, Y, Z)",
        ":list:member(X, Y)",
        ":lt(X, Y)",
        "@[_, now]",
        "<-[0d, 1d] ",
        "[-[1h, 2h] ",
        "\n",
        "\r\n",
        "\0",
    ),
)
TERMS = ("X", "Y", "_", *(piece for piece in PIECES if re.match(r'[XY_/"\[{\d-]|fn:', piece) and len(piece) > 1))
TERM = re.compile(r"[A-Z]\w*|_|/[\w/]+|\d+|\"[^\"]*\"")
WORDS = re.compile(r"\"[^\"\n]*\"|[\w:/]+|\s+|.", re.DOTALL)
SMALL = Limits(facts=500, seconds=2.0, bytes=2**20)
PATIENCE = 30.0


def spliced(random: Random) -> str:
    """Return the clauses of two programs, mixed."""
    clauses = [clause for text in random.sample(PROGRAMS, 2) for clause in text.split("\n")]
    random.shuffle(clauses)
    return "\n".join(clauses)


def mutated(random: Random) -> str:
    text = spliced(random) if random.random() < 0.3 else random.choice(PROGRAMS)
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        words = WORDS.findall(text) or [""]
        place, other = random.randrange(len(words)), random.randrange(len(words))
        match random.randrange(10):
            case 0:
                words.insert(place, random.choice(PIECES))
            case 1 | 2:
                words[place] = random.choice(PIECES)
            case 3:
                del words[place : place + random.randrange(1, 4)]
            case 4:
                words[place], words[other] = words[other], words[place]
            case 5:
                words[place:place] = words[other : other + random.randrange(1, 12)]
            case 6:
                words[place] = words[other]
            case _:
                terms = [at for at, word in enumerate(words) if TERM.fullmatch(word)] or [0]
                words[random.choice(terms)] = random.choice((*TERMS, words[random.choice(terms)]))
        text = "".join(words)
    return text


def explain(model: Model, random: Random) -> None:
    facts = list(model.facts())
    for symbol, row in random.sample(facts, min(2, len(facts))):
        assert to_text(why(model, symbol, row))
        other = random.choice(facts)[1]
        goal = show_row(symbol, random.choice((row, other[: len(row)], row[::-1], (*row, 1))))
        goal = re.sub(r"(?<![\w.])\d+|\"[^\"]*\"|/\w+", lambda _: random.choice(("X", "_", "1", "/a", '"s"')), goal)
        with suppress(MangleError):
            model.match(parse_atom(goal))
            found = why_not(model, parse_atom(goal), depth=2, repair=random.random() < 0.2)
            assert to_text(found)
            assert to_json(found)


def run(text: str, random: Random) -> str:
    """Do everything with a program and return how far it got; nothing but a `MangleError` may be raised."""
    try:
        model = load([parse(text, file="fuzz.mg")]).evaluate(limits=SMALL)
    except MangleError as error:
        for one in error.all:
            assert "\n" not in str(one)
            assert one.place is not None
            assert one.place.line <= text.count("\n") + 1
        return error.stage
    explain(model, random)
    return "ok"


def test_ten_thousand_mutations_end_in_facts_or_in_one_line() -> None:
    random = Random(1977)
    seen: Counter[str] = Counter()
    slowest = 0.0
    for _ in range(10_000):
        text = mutated(random)
        begun = monotonic()
        seen[run(text, random)] += 1
        slowest = max(slowest, monotonic() - begun)
    assert min(seen[stage] for stage in ("ok", "parse", "analyze", "eval")) > 100
    assert slowest < PATIENCE
