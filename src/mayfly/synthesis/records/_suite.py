"""Write the tests of a program apart from it: what it has to answer is worked out on the host, from the same reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mayfly.gates import Test
from mayfly.synthesis.records._propose import Proposal

# So many lines are enough to show every shape, and few enough to be kept with the proof.
MOST_ITEMS = 40


def suite_of(proposal: Proposal, items: Sequence[object]) -> tuple[Test, ...]:
    """Return tests for the program of a proposal: lines from all over the input, none, doubled ones, damaged ones."""
    return tuple(_tests(proposal, list(items)))


def _tests(proposal: Proposal, items: list[object]) -> Iterator[Test]:
    head = items[:1] if proposal.table.format.header else []
    wanted = _spread(items[len(head) :], MOST_ITEMS)
    yield _test("lines from all over the input", "example", proposal, [*head, *wanted])
    yield _test("the first lines", "example", proposal, items[:MOST_ITEMS])
    yield _test("other lines", "held-out", proposal, [*head, *_spread(items[len(head) + 1 :], MOST_ITEMS)[::-1]])
    yield _test("no lines at all", "example", proposal, [])
    yield _test("the same lines twice", "example", proposal, [*head, *wanted[:12], *wanted[:12]])
    lines = [item for item in wanted if isinstance(item, str) and item.isprintable()][:6]
    if lines:
        broken = [
            part for line in lines for part in (line[: len(line) // 2], line[len(line) // 2 :], "", f"{line}\r\n")
        ]
        yield _test("damaged lines", "example", proposal, [*head, *lines, *broken])


def _spread(items: Sequence[object], number: int) -> list[object]:
    step = max(1, len(items) // number)
    return list(items[::step][:number])


def _test(name: str, kind: str, proposal: Proposal, items: list[object]) -> Test:
    expected = proposal.expected(items)
    if kind == "held-out":
        return Test(name=name, kind="held-out", input=items, expected=expected)
    return Test(name=name, kind="example", input=items, expected=expected)
