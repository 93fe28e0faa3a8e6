"""Predicates that keep one row for each key, and rules that are only evaluated when asked."""

from .helpers import derived, facts, program, rows

SHORTEST = """
Decl edge(X, Y).
Decl path(From, To, Steps) descr [fundep([From, To], [Steps]), merge([Steps], "shorter")].
Decl shorter(A, B, C) descr [mode('+', '+', '-'), deferred()].
shorter(A, B, C) :- A <= B, C = A.
shorter(A, B, C) :- B < A, C = B.
path(X, Y, 1) :- edge(X, Y).
path(X, Z, N) :- path(X, Y, M), edge(Y, Z), N = fn:plus(M, 1).
"""


def test_merged_rows_replace_each_other_even_on_a_cycle() -> None:
    found = derived(SHORTEST, "path", "edge(/a, /b)", "edge(/b, /c)", "edge(/c, /a)", "edge(/a, /c)")
    assert found == {
        *("/a, /b, 1", "/a, /c, 1", "/a, /a, 2"),
        *("/b, /c, 1", "/b, /a, 2", "/b, /b, 3"),
        *("/c, /a, 1", "/c, /b, 2", "/c, /c, 2"),
    }


def test_a_better_row_replaces_one_of_the_base() -> None:
    loaded = program(f"{SHORTEST} edge(/a, /b). edge(/b, /c). far(X) :- path(X, /c, N), N > 1.")
    assert rows(loaded.evaluate(), "far") == {"/a"}
    nearer = loaded.evaluate(facts("edge(/a, /c)"))
    assert "/a, /c, 1" in rows(nearer, "path")
    assert "/a, /c, 2" not in rows(nearer, "path")
    assert rows(nearer, "far") == set()


def test_a_deferred_predicate_is_a_function_of_its_inputs() -> None:
    text = """Decl twice(X, Y) descr [mode('+', '-'), deferred()].
    twice(X, Y) :- Y = fn:mult(X, 2). p(3). p(4). q(X, Y) :- p(X), twice(X, Y)."""
    assert derived(text, "q") == {"3, 6", "4, 8"}
    assert derived(text, "twice") == set()
