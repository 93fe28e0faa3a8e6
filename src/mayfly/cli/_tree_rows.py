"""A tree of promises as lines: what is said of each, guides, columns that line up, and a cut where the screen ends."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from rich.cells import cell_len, set_cell_size

from mayfly.core import ending_of, one_line
from mayfly.operations import how_long, places

if TYPE_CHECKING:
    from mayfly.core import Pool
    from mayfly.promise import Promise

STYLES = {"pending": "dim", "resolving": "", "resolved": "good", "collapsed": "dim", "failed": "bad"}
_ORDER = ("resolved", "collapsed", "failed", "resolving", "pending")
_POOLS = (
    ("model_calls", "{} model calls"),
    ("seconds", "{} s"),
    ("sandbox_seconds", "{} s in the sandbox"),
    ("nodes", "{} nodes"),
)


def counted(states: Mapping[str, int]) -> str:
    """Say how many stand where, such as ``3 resolved, 1 pending``."""
    return ", ".join(f"{states[state]:,} {ending_of(state)}" for state in _ORDER if states.get(state))


def short_ending(promise: Promise[Any]) -> str:
    """Return the one word that a column has for how a promise stands."""
    ending = ending_of(promise.state.value, promise.code)
    return "fallback" if ending == ending_of("collapsed") else ending


def served_by(promise: Promise[Any]) -> str:
    """Name what serves a promise, as the plan does."""
    # Imported where it is used: a list of runs needs no planner.
    from mayfly.promise import plan

    return one_line(plan.served_by(promise))


def proven_words(promise: Promise[Any], seconds: float | None, *, again: bool = False) -> str:
    """Say how long a proven value took, how strong its proof is and what it says."""
    words = ["again"] if again else []
    words += [] if seconds is None else [how_long(seconds)]
    words += [] if promise.proof is None else [promise.proof.strength, one_line(promise.proof.description, limit=200)]
    return " · ".join(word for word in words if word)


def plain_line(promise: Promise[Any], seconds: float | None, *, again: bool = False) -> str:
    """Say on one line how a promise ended."""
    head = f"{short_ending(promise):<9}  {promise.id}  {one_line(promise.intent, limit=100)}"
    if promise.state.value == "resolved":
        by = served_by(promise)
        return f"{head} · {f'{by} · ' if by else ''}{proven_words(promise, seconds, again=again)}"
    return f"{head}: {one_line(promise.reason, limit=300)}"


def pool_words(pool: Pool) -> str:
    """Say what was used of each pool, and of how much."""
    return " · ".join(words.format(_used(pool, kind)) for kind, words in _POOLS)


def _used(pool: Pool, kind: str) -> str:
    used, left = pool.used(kind), pool.left(kind)
    return number(used) if left is None else f"{number(used)} of {number(used + pool.held(kind) + left)}"


def number(amount: float) -> str:
    """Write a whole number as such, anything else with one place behind the point."""
    return f"{amount:,.0f}" if amount >= 100 or amount == int(amount) else f"{amount:,.1f}"


NO_TERMINAL = 80
NARROW = 36
GAP = 2
LONGEST = 400
REASON_LINES = 2


class Branch(NamedTuple):
    """One promise at its place: *guide* leads to it, *below* to whatever hangs under it."""

    guide: str
    below: str
    promise: Promise[Any]
    after: tuple[str, ...]


class Row(NamedTuple):
    """One line before it is fitted; on a terminal a *reason* that finds no room beside *tail* gets lines of its own."""

    branch: Branch
    middle: str
    tail: str
    reason: str = ""
    style: str = ""


class Line(NamedTuple):
    """One line as it is shown, with the name of its style."""

    text: str
    style: str


class _Rooms(NamedTuple):
    left: int
    middle: int
    tail: int | None


def columns(stream: TextIO) -> int:
    """Return how wide the terminal behind *stream* is, or 80 where there is none."""
    if not stream.isatty():
        return NO_TERMINAL
    try:
        return os.get_terminal_size(stream.fileno()).columns or NO_TERMINAL
    except (OSError, ValueError):
        return NO_TERMINAL


def branches(root: Promise[Any]) -> Iterator[Branch]:
    """Yield every promise of the tree from the top, each with its guides and the siblings it comes after."""
    for place in places(root):
        above = "".join("   " if last else "│  " for last in place.last[:-1])
        guide, below = ("", "") if not place.last else ("└─ ", "   ") if place.last[-1] else ("├─ ", "│  ")
        yield Branch(above + guide, above + below, place.promise, place.after)


def fitted(rows: Sequence[Row], width: int, *, whole: bool = False, steady: bool = False) -> Iterator[Line]:
    """Align *rows* into columns of *width* cells.

    *whole* leaves the last column as long as it is, for pipes; *steady* makes no column depend on what is in the last
    one, so that a picture that is drawn again does not shake.
    """
    rooms = _whole_rooms(rows, width) if whole else _rooms(rows, width, steady=steady)
    told: set[str] = set()
    for row in rows:
        yield from _lines(row, rooms, width, told)


def cut(text: str, room: int) -> str:
    """Return *text* in at most *room* cells, with an ellipsis where something is missing."""
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - 1).rstrip() + "…" if room > 1 else "…"[:room]


def padded(text: str, room: int) -> str:
    """Return *text* in exactly *room* cells."""
    return set_cell_size(cut(text, room), room)


def _whole_rooms(rows: Sequence[Row], width: int) -> _Rooms:
    middle = max((cell_len(row.middle) for row in rows), default=0)
    left = max((cell_len(_left(row.branch)) for row in rows), default=0)
    return _Rooms(min(left, max(NARROW, width - middle - GAP)), middle, None)


def _rooms(rows: Sequence[Row], width: int, *, steady: bool) -> _Rooms:
    left, middle, _ = _whole_rooms(rows, width)
    room = width - middle - 2 * GAP
    if room < NARROW:
        middle, room = 0, width - GAP
    wanted = room if steady else max((cell_len(_tail(row)) for row in rows), default=0)
    left = max(1, min(left, max(room * 3 // 5, room - wanted)))
    return _Rooms(left, middle, max(1, room - left))


def _lines(row: Row, rooms: _Rooms, width: int, told: set[str]) -> Iterator[Line]:
    """Yield the line of a promise, and below it on a terminal what found no room beside it and is not *told* yet."""
    if rooms.tail is None:
        yield Line(_joined(row, rooms, _left(row.branch, rooms.left), _tail(row)), row.style)
        return
    left, tail, notes = _left(row.branch), _tail(row), []
    if cell_len(left) > rooms.left and row.branch.after:
        left = _left(row.branch._replace(after=()))
        notes.append(_after(row.branch.after)[1:-1])
    if row.reason and row.reason not in told and cell_len(tail) > rooms.tail:
        tail = row.tail
        notes.append(row.reason)
        told.add(row.reason)
    yield Line(_joined(row, rooms, left, cut(tail, rooms.tail)), row.style)
    lead = row.branch.below + ("│  " if row.branch.promise.children else "   ")
    for note in notes:
        for text in _wrapped(note.split(), max(NARROW // 3, width - cell_len(lead))):
            yield Line(cut(lead + text, width), row.style)


def _joined(row: Row, rooms: _Rooms, left: str, tail: str) -> str:
    parts = [padded(left, rooms.left), *([padded(row.middle, rooms.middle)] if rooms.middle else []), tail]
    return (" " * GAP).join(parts).rstrip()


def _tail(row: Row) -> str:
    return f"{row.tail}: {row.reason}" if row.reason else row.tail


def _left(branch: Branch, room: int = LONGEST) -> str:
    """Write guide, intent and what it comes after; where room is short the intent keeps at least half of it."""
    intent = one_line(branch.promise.intent, limit=LONGEST)
    after = _after(branch.after)
    free = max(1, room - cell_len(branch.guide))
    if after:
        after = cut(after, max(free // 2, free - cell_len(intent)) - GAP)
        free -= cell_len(after) + GAP
    text = branch.guide + cut(intent, free)
    return f"{text}{' ' * GAP}{after}" if after else text


def _after(intents: tuple[str, ...]) -> str:
    if not intents:
        return ""
    more = f" and {len(intents) - 2} more" if len(intents) > 2 else ""
    return f"(after {', '.join(one_line(intent, limit=60) for intent in intents[:2])}{more})"


def _wrapped(words: Iterable[str], room: int) -> list[str]:
    """Break words into lines; what does not fit into a few of them is cut."""
    lines = [""]
    for word in words:
        joined = f"{lines[-1]} {word}".strip()
        if cell_len(joined) <= room or not lines[-1]:
            lines[-1] = joined
        elif len(lines) < REASON_LINES:
            lines.append(word)
        else:
            lines[-1] = joined
            break
    return [cut(line, room) for line in lines]
