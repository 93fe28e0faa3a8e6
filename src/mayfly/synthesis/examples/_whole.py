"""Changes of a whole text: replacements, kept characters, padding, and something done to each word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from mayfly.synthesis.examples._ops import (
    CAPITALIZE,
    FIELDS,
    FIRST,
    JOIN,
    LAST,
    LJUST,
    LOWER,
    ONLY,
    PIECES,
    REPLACE,
    REVERSE,
    RJUST,
    SWAPCASE,
    UPPER,
    WORDS,
    ZFILL,
    call,
    helper,
    native,
)
from mayfly.synthesis.examples._pieces import AtomPool, mapped
from mayfly.synthesis.examples._places import marks
from mayfly.synthesis.examples._task import InputColumn, Texts
from mayfly.synthesis.examples._tree import Each, Expr, LoopItem, Op

_KEPT = (r"\d", r"[^\W\d_]", r"\w", r"[A-Z]", r"[a-z]", r"[A-Z]", r"[\d.]", r"[^\W\d_]|\s", r"\w|\s", r"\S")
_JOINTS = ("", " ", ", ", ",", "-", "_", ".", "/", ". ", ";", "; ", " - ", ":", "|", "+", "&", " & ", "\n")
_FILLS = " 0*.-_#="
_TOKENS = (r"\d+", r"[^\W\d_]+", r"\w+", r"[A-Z][a-z]*", r"[A-Z]", r"[A-Z][a-z]+|[A-Z]+(?![a-z])|[a-z]+|\d+")
_SINGLE_SPACED = helper("single_spaced", words="{0} with single blanks")
_SENTENCE = helper("sentence_case", words="{0} with a capital at the start")
_BACKWARDS = native("backwards", "{0}[::-1]", returns="list[str]", words="{0} backwards")
_ORDERED = native("sorted", "sorted({0})", returns="list[str]", words="{0} in order")
_WHOLE: tuple[tuple[Op, float], ...] = (
    (SWAPCASE, 1.2),
    (REVERSE, 1.2),
    (_SINGLE_SPACED, 1.0),
    (_SENTENCE, 1.2),
    (helper("camel_case", words="the words of {0} as one"), 1.6),
)


# An operation on one element, with what it is given besides.
Step = tuple[Op, tuple[int, ...]]


def add_whole(pool: AtomPool, column: InputColumn) -> None:
    """Offer everything that can be done to the column as a whole."""
    for op, cost in _WHOLE:
        pool.offer_cased(cost, call(op, column.expr), mapped(op.run, column.texts))
    for pattern in _KEPT:
        values = mapped(_keep(pattern), column.texts)
        if values != column.texts:
            pool.offer_all(1.6, call(ONLY, column.expr, pattern), values)
    _add_without(pool, column)
    _add_padding(pool, column)
    for cost, expr, values in replacements(pool, column):
        pool.task.check_time()
        pool.offer_cased(cost, expr, values)
    add_loops(pool, column)


def _add_without(pool: AtomPool, column: InputColumn) -> None:
    """Offer the column without the characters that no output has, if there are few of them."""
    pairs = list(zip(column.texts, pool.task.outputs, strict=False))
    gone = {char for text, output in pairs for char in set(text or "") - set(output)}
    kept = {char for _, output in pairs for char in output}
    if not 0 < len(gone) <= 8 or gone & kept:
        return
    vowels = len(gone) > 2 and gone <= set("aeiouAEIOU")
    letters = "aeiouAEIOU" if vowels else "".join(sorted(gone))
    pattern = "[^" + re.sub(r"([\\\]^-])", r"\\\1", letters) + "]"
    values = mapped(_keep(pattern), column.texts)
    cost = 2.0 if vowels else 1.6 + sum(1.4 if char.isalnum() else 0.4 for char in gone)
    pool.offer_cased(cost, call(ONLY, column.expr, pattern), values)


def _keep(pattern: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)
    return lambda text: "".join(compiled.findall(text))


def _add_padding(pool: AtomPool, column: InputColumn) -> None:
    """Offer the column filled up to the width that all outputs have."""
    widths = {len(output) for output in pool.task.outputs}
    if len(widths) != 1 or len({len(text or "") for text in column.texts[: pool.task.count]}) < 2:
        return
    width = widths.pop()
    if width < 2:
        return
    pool.offer_changed(1.3, ZFILL, column.expr, column.texts, width)
    ends = {output[0] for output in pool.task.outputs} | {output[-1] for output in pool.task.outputs}
    for fill in sorted(ends & set(_FILLS)):
        for op in (RJUST, LJUST):
            pool.offer_changed(1.4, op, column.expr, column.texts, width, fill)


def replacements(pool: AtomPool, column: InputColumn) -> Iterator[tuple[float, Expr, Texts]]:
    """Yield the column with one mark replaced by what the outputs have there, then perhaps a second one."""
    first = list(_replaced(pool, column.expr, column.texts, whole=True))
    yield from first
    for cost, expr, values in _replaced(pool, column.expr, column.texts, whole=False):
        yield cost, expr, values
        for more, second, changed in _replaced(pool, expr, values, whole=True):
            yield cost + more, second, changed


def _replaced(pool: AtomPool, expr: Expr, texts: Texts, *, whole: bool) -> Iterator[tuple[float, Expr, Texts]]:
    known = [text or "" for text in texts[: pool.task.count]]
    for mark in sorted({char for text in known for char in text if not char.isalnum()}):
        news = (
            {_solved(text, output, mark) for text, output in zip(known, pool.task.outputs, strict=True)}
            if whole
            else {""}
        )
        solved = {new for new in news if new is not None}
        if not whole:
            solved |= {char for char in pool.task.outputs[0] if not char.isalnum() and char not in known[0]}
        for new in sorted(solved):
            changed = mapped(lambda text, mark=mark, new=new: text.replace(mark, new), texts)
            cost = 1.5 + 0.3 * len(new) if new else 1.2
            yield cost, call(REPLACE, expr, mark, new), changed


def _solved(text: str, output: str, mark: str) -> str | None:
    """Return what *mark* has to be replaced by to turn the text into the output."""
    count = text.count(mark)
    if not count:
        return None
    size, rest = divmod(len(output) - len(text) + count * len(mark), count)
    if rest or size < 0 or size > 8:
        return None
    start = text.index(mark)
    new = output[start : start + size]
    return new if text.replace(mark, new).lower() == output.lower() else None


def add_loops(pool: AtomPool, column: InputColumn) -> None:
    """Offer the words or fields of the column, each changed in the same way, joined again."""
    for cost, source, lists in _sources(pool, column):
        pool.task.check_time()
        counts = [len(items) for items in lists[: pool.task.count] if items is not None]
        if len(counts) < pool.task.count or max(counts) < 2:
            continue
        for more, steps in _changes(pool):
            changed = [None if items is None else [_run(steps, item) for item in items] for items in lists]
            if any(
                items is None or any(item not in output for item in items)
                for items, output in zip(changed, pool.task.outputs, strict=False)
            ):
                continue
            loop = Each(source=source, body=_written(steps)) if steps else source
            for joint in _JOINTS:
                if joint and joint not in pool.task.outputs[counts.index(max(counts))]:
                    continue
                values = tuple(None if items is None else joint.join(items) for items in changed)
                pool.offer(cost + more + 0.1 * len(joint), call(JOIN, loop, joint), values)


def _sources(pool: AtomPool, column: InputColumn) -> Iterator[tuple[float, Expr, list[list[str] | None]]]:
    texts = column.texts
    words = [None if text is None else text.split() for text in texts]
    yield 1.6, call(WORDS, column.expr), words
    backwards = [None if each is None else each[::-1] for each in words]
    yield 2.0, call(_BACKWARDS, call(WORDS, column.expr)), backwards
    ordered = [None if each is None else sorted(each) for each in words]
    yield 2.1, call(_ORDERED, call(WORDS, column.expr)), ordered
    for mark in marks([text or "" for text in texts[: pool.task.count]]) if pool.task.count else ():
        if not mark.isspace():
            split = [
                None if text is None else [part.strip() for part in text.split(mark) if part.strip()] for text in texts
            ]
            yield 1.8, call(FIELDS, column.expr, mark), split
    for pattern in _TOKENS:
        yield (
            2.0,
            call(PIECES, column.expr, pattern),
            [None if text is None else re.findall(pattern, text) for text in texts],
        )


def _changes(pool: AtomPool) -> Iterator[tuple[float, tuple[Step, ...]]]:
    """Yield what can be done to each element, first to last; nothing is done by no step."""
    yield 0.0, ()
    for op, cost in ((LOWER, 0.6), (UPPER, 0.6), (CAPITALIZE, 0.7), (REVERSE, 1.0)):
        yield cost, ((op, ()),)
    for size in (1, 2, 3):
        first, last = (FIRST, (size,)), (LAST, (size,))
        yield 0.6 + 0.2 * size, (first,)
        yield 0.9 + 0.2 * size, (last,)
        yield 1.0 + 0.2 * size, (first, (UPPER, ()))
        yield 1.0 + 0.2 * size, (first, (LOWER, ()))
    if any(char == "0" for output in pool.task.outputs for char in output):
        for width in (2, 3, 4):
            yield 1.0, ((ZFILL, (width,)),)


def _run(steps: Sequence[Step], text: str) -> str:
    for op, args in steps:
        text = str(op.run(text, *args))
    return text


def _written(steps: Sequence[Step]) -> Expr:
    made: Expr = LoopItem()
    for op, args in steps:
        made = call(op, made, *args)
    return made
