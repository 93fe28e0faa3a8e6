"""Write the tests of a program apart from it: what it has to answer is worked out on the host, by the same reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, cast

from mayfly.gates import Test
from mayfly.synthesis.records._proposal import Proposal
from mayfly.synthesis.records._several import FileLines, files_in

# So many lines are enough to show every shape, and few enough to be kept with the proof.
MOST_ITEMS = 40
# Of many files a few show what there is.
MOST_FILES = 5


def suite_of(proposal: Proposal, items: Sequence[object]) -> tuple[Test, ...]:
    """Return tests for the program of a proposal: lines from all over the input, none, doubled ones, empty ones."""
    return tuple(_tests(proposal, list(items)))


def _tests(proposal: Proposal, items: list[object]) -> Iterator[Test]:
    if proposal.joined is not None:
        yield from _tests_of_two(proposal, [cast("list[object]", side) for side in items])
        return
    if files := files_in(items):
        yield from _tests_of_files(proposal, files[:MOST_FILES])
        return
    head = items[:1] if proposal.table.format.header else []
    wanted = _spread(items[len(head) :], MOST_ITEMS)
    yield _test("lines from all over the input", "example", proposal, [*head, *wanted])
    yield _test("the first lines", "example", proposal, items[:MOST_ITEMS])
    yield _test("other lines", "held-out", proposal, [*head, *_spread(items[len(head) + 1 :], MOST_ITEMS)[::-1]])
    yield _test("no lines at all", "example", proposal, [])
    yield _test("the same lines twice", "example", proposal, [*head, *wanted[:12], *wanted[:12]])
    lines = [item for item in wanted if isinstance(item, str) and item.isprintable()][:6]
    if lines:
        # Of damaged lines those of the input are asked about, all at once: of others each reader has a mind of its own.
        others = [part for line in lines for part in ("", f"{line}\r\n")]
        yield _test("empty lines and other ends of lines", "example", proposal, [*head, *lines, *others])


def _tests_of_files(proposal: Proposal, files: Sequence[FileLines]) -> Iterator[Test]:
    """Ask about files cut short, about lines from all over them, about one of them alone, and about empty ones."""
    head = 1 if proposal.table.format.header else 0

    def cut(one: FileLines, part: Sequence[object]) -> FileLines:
        return one._replace(lines=[*one.lines[:head], *map(str, part)])

    def all_over(begin: int) -> list[object]:
        return [cut(one, _spread(one.lines[head + begin :], MOST_ITEMS)) for one in files]

    yield _test(
        "the first lines of each file", "example", proposal, [cut(one, one.lines[head:MOST_ITEMS]) for one in files]
    )
    yield _test("lines from all over the files", "example", proposal, all_over(0))
    yield _test("other lines", "held-out", proposal, all_over(1)[::-1])
    yield _test("one file", "example", proposal, all_over(0)[:1])
    yield _test("files without lines", "example", proposal, [cut(one, ()) for one in files])


def _tests_of_two(proposal: Proposal, sides: list[list[object]]) -> Iterator[Test]:
    """Ask about both inputs cut short, about one without partners, and about none."""
    heads = [side[:1] for side in sides]
    yield _test("the first lines of both", "example", proposal, [side[: 2 * MOST_ITEMS] for side in sides])
    spread = [[*head, *_spread(side[1:], MOST_ITEMS)] for head, side in zip(heads, sides, strict=True)]
    yield _test("lines from all over both", "held-out", proposal, list(spread))
    yield _test("nothing to join with", "example", proposal, [sides[0][:MOST_ITEMS], heads[1]])
    yield _test("no lines at all", "example", proposal, [[], []])


def loose_suite_of(proposal: Proposal, items: Sequence[object]) -> tuple[Test, ...]:
    """Return tests for a program that somebody else writes: it may name things otherwise, but not count otherwise."""
    name = "an independent reading of the same lines"
    found = []
    for number, inputs in enumerate(_samples(proposal, items), start=1):
        check = _CHECK.format(expected=proposal.expected(inputs))
        found.append(Test(name=f"{name} {number}", kind="reading", input=inputs, check=check))
    return tuple(found)


def _samples(proposal: Proposal, items: Sequence[object]) -> list[list[object]]:
    """Return what a program is tried on: lines from all over the input, and its first lines."""
    if proposal.joined is not None:
        return [[cast("list[object]", side)[: 2 * MOST_ITEMS] for side in items]]
    if files := files_in(items):
        return [[one._replace(lines=one.lines[:MOST_ITEMS]) for one in files[:MOST_FILES]]]
    head = list(items[:1]) if proposal.table.format.header else []
    return [[*head, *_spread(items[len(head) :], MOST_ITEMS)], [*head, *items[len(head) : MOST_ITEMS]]]


_CHECK = """
EXPECTED = {expected!r}


def check(input: object, output: object) -> bool:
    if isinstance(EXPECTED, list):
        return isinstance(output, (list, tuple)) and len(output) == len(EXPECTED)
    if isinstance(EXPECTED, dict):
        return isinstance(output, (dict, list)) and len(output) == len(EXPECTED)
    if isinstance(EXPECTED, (int, float)) and isinstance(output, (int, float)):
        return abs(output - EXPECTED) <= 0.01 * max(1, abs(EXPECTED))
    return output == EXPECTED
"""


def _spread(items: Sequence[object], number: int) -> list[object]:
    step = max(1, len(items) // number)
    return list(items[::step][:number])


def _test(name: str, kind: Literal["example", "held-out"], proposal: Proposal, items: list[object]) -> Test:
    return Test(name=name, kind=kind, input=proposal.data(items), expected=proposal.expected(items))
