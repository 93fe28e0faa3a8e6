"""Indices over rows: built when first asked for, brought up to date when asked for again."""

from mayfly.mangle.engine._relation import WHOLE, Lookup, Relation

BY_FIRST = Lookup((0,), 1)
PAIRS = Lookup((0, 1), WHOLE)
KNOWN = Lookup((0,), 1, distinct=True)


def relation() -> Relation:
    return Relation({(1, 2): None, (1, 3): None})


def test_an_index_does_not_see_rows_before_they_are_settled() -> None:
    rows = relation()
    rows.rows[1, 4] = None
    assert rows.index(BY_FIRST) == {1: [2, 3]}
    rows.rows[5, 6] = None
    assert rows.index(BY_FIRST) == {1: [2, 3]}


def test_an_index_sees_each_settled_row_once_in_its_order() -> None:
    rows = relation()
    rows.index(BY_FIRST)
    rows.rows[1, 4] = None
    assert rows.settle() == [(1, 4)]
    rows.rows[5, 6] = None
    assert rows.settle() == [(5, 6)]
    rows.rows[7, 8] = None
    assert rows.index(BY_FIRST) == {1: [2, 3, 4], 5: [6]}
    assert rows.index(PAIRS) == {(a, b): [(a, b)] for a, b in ((1, 2), (1, 3), (1, 4), (5, 6))}
    assert rows.close() == 1
    assert rows.index(BY_FIRST) == {1: [2, 3, 4], 5: [6], 7: [8]}
    assert rows.settle() == []


def test_what_a_rule_put_into_an_index_itself_is_not_put_again() -> None:
    rows = relation()
    known = rows.index(KNOWN)
    rows.rows[1, 4] = None
    known[1].add(4)
    rows.covered(KNOWN, 2)
    known[1].discard(4)
    rows.settle()
    assert rows.index(KNOWN) == {1: {2, 3}}


def test_rows_that_were_there_before_the_rule_began_are_put_into_the_index() -> None:
    rows = relation()
    rows.rows[5, 6] = None
    known = rows.index(KNOWN)
    rows.rows[1, 4] = None
    known[1].add(4)
    rows.covered(KNOWN, 3)
    rows.settle()
    assert rows.index(KNOWN) == {1: {2, 3, 4}, 5: {6}}
