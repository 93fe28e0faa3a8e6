"""A tree of promises as lines: guides, columns that line up, a cut where the screen ends; drawn live while it runs."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from rich.cells import cell_len, set_cell_size

from mayfly.cli._output import STYLES as COLOURS
from mayfly.cli._tree import STYLES, counted, pool_words, proven_words, served_by, short_ending
from mayfly.core import ending_of, one_line
from mayfly.operations import how_long, places

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from mayfly.cli._tree import Moving, WatchedTree
    from mayfly.core import Pool
    from mayfly.promise import Promise

NO_TERMINAL = 80
NARROW = 36
GAP = 2
LONGEST = 400
REASON_LINES = 2


class TreeBranch(NamedTuple):
    """One promise at its place: *guide* leads to it, *below* to whatever hangs under it."""

    guide: str
    below: str
    promise: Promise[Any]
    after: tuple[str, ...]


class TreeRow(NamedTuple):
    """One line before it is fitted; on a terminal a *reason* that finds no room beside *tail* gets lines of its own."""

    branch: TreeBranch
    middle: str
    tail: str
    reason: str = ""
    style: str = ""


class StyledLine(NamedTuple):
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


def branches(root: Promise[Any]) -> Iterator[TreeBranch]:
    """Yield every promise of the tree from the top, each with its guides and the siblings it comes after."""
    for place in places(root):
        above = "".join("   " if last else "│  " for last in place.last[:-1])
        guide, below = ("", "") if not place.last else ("└─ ", "   ") if place.last[-1] else ("├─ ", "│  ")
        yield TreeBranch(above + guide, above + below, place.promise, place.after)


def fitted(rows: Sequence[TreeRow], width: int, *, whole: bool = False, steady: bool = False) -> Iterator[StyledLine]:
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


def _whole_rooms(rows: Sequence[TreeRow], width: int) -> _Rooms:
    middle = max((cell_len(row.middle) for row in rows), default=0)
    left = max((cell_len(_left(row.branch)) for row in rows), default=0)
    return _Rooms(min(left, max(NARROW, width - middle - GAP)), middle, None)


def _rooms(rows: Sequence[TreeRow], width: int, *, steady: bool) -> _Rooms:
    left, middle, _ = _whole_rooms(rows, width)
    room = width - middle - 2 * GAP
    if room < NARROW:
        middle, room = 0, width - GAP
    wanted = room if steady else max((cell_len(_tail(row)) for row in rows), default=0)
    left = max(1, min(left, max(room * 3 // 5, room - wanted)))
    return _Rooms(left, middle, max(1, room - left))


def _lines(row: TreeRow, rooms: _Rooms, width: int, told: set[str]) -> Iterator[StyledLine]:
    """Yield the line of a promise, and below it on a terminal what found no room beside it and is not *told* yet."""
    if rooms.tail is None:
        yield StyledLine(_joined(row, rooms, _left(row.branch, rooms.left), _tail(row)), row.style)
        return
    left, tail, notes = _left(row.branch), _tail(row), []
    if cell_len(left) > rooms.left and row.branch.after:
        left = _left(row.branch._replace(after=()))
        notes.append(_after(row.branch.after)[1:-1])
    if row.reason and row.reason not in told and cell_len(tail) > rooms.tail:
        tail = row.tail
        notes.append(row.reason)
        told.add(row.reason)
    yield StyledLine(_joined(row, rooms, left, cut(tail, rooms.tail)), row.style)
    lead = row.branch.below + ("│  " if row.branch.promise.children else "   ")
    for note in notes:
        for text in _wrapped(note.split(), max(NARROW // 3, width - cell_len(lead))):
            yield StyledLine(cut(lead + text, width), row.style)


def _joined(row: TreeRow, rooms: _Rooms, left: str, tail: str) -> str:
    parts = [padded(left, rooms.left), *([padded(row.middle, rooms.middle)] if rooms.middle else []), tail]
    return (" " * GAP).join(parts).rstrip()


def _tail(row: TreeRow) -> str:
    return f"{row.tail}: {row.reason}" if row.reason else row.tail


def _left(branch: TreeBranch, room: int = LONGEST) -> str:
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


# Pictures a second: a spinner that turns needs some, and a tree of ten thousand is counted for each.
PICTURES = 5
# A finished tree of this many promises is left on the screen whole.
WHOLE = 100
FOOTER = 2
REASONS_SHOWN = 10
MOVING = 16


class LiveTree:
    """Draw one tree from the thread of `rich.live`, so that the run does not wait for a picture."""

    def __init__(
        self, tree: WatchedTree, *, pool: Pool | None = None, console: Console | None = None, verbose: bool = False
    ) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.spinner import Spinner

        self.pool = pool
        self._verbose = verbose
        self._tree = tree
        self._console = console or Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._spinner = Spinner("dots")
        self._began = time.monotonic()
        self._ended = False
        self._live = Live(
            console=self._console,
            get_renderable=self._drawn,
            refresh_per_second=PICTURES,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def start(self) -> None:
        """Begin to draw."""
        self._live.start()

    def stop(self) -> None:
        """Draw the last picture, whole where it is small enough, and give the terminal back."""
        self._ended = True
        self._live.stop()

    def _drawn(self) -> Text:
        from rich.text import Text

        try:
            return self.picture(last=self._ended)
        except Exception:
            # A picture that fails is left out; the last one is drawn by the run itself, which then says why.
            if self._ended:
                raise
            return Text()

    def picture(self, *, last: bool = False) -> Text:
        """Return what is to be seen: the tree where it fits, otherwise counts for each level and what is moving."""
        from rich.text import Text

        width = self._console.width - 1
        room = max(4, self._console.height - FOOTER - 1)
        whole = self._tree.nodes <= (max(WHOLE, room) if last else room)
        lines = self._whole(width) if whole else self._counts(self._tree.moving(), width, room, last=last)
        if not last and len(lines) > room:
            lines = self._counts(self._tree.moving(), width, room, last=False)
        waiting = "writing to the ledger · " if self._tree.root.state.ended and not last else ""
        # How much of the pools is used is of interest while it runs; what it took in all is said below.
        if self.pool is not None and (self._verbose or not last):
            lines.append(StyledLine(cut(waiting + pool_words(self.pool), width), "dim"))
        text = Text(no_wrap=True, overflow="crop")
        for number, line in enumerate(lines):
            text.append("\n" if number else "").append(line.text, COLOURS[line.style])
        return text

    def _whole(self, width: int) -> list[StyledLine]:
        return list(fitted([self._row(branch) for branch in branches(self._tree.root)], width, steady=True))

    def _row(self, branch: TreeBranch) -> TreeRow:
        promise = branch.promise
        tail, reason = self._tail(promise)
        middle = f"budget {promise.budget:.2f}" if self._verbose else ""
        return TreeRow(branch, middle, tail, reason, STYLES[promise.state.value])

    def _tail(self, promise: Promise[Any]) -> tuple[str, str]:
        """Return what is said of a promise beside its intent, and its reason."""
        state, seconds = promise.state.value, self._tree.seconds(promise)
        if state == "pending":
            return served_by(promise) or state, ""
        if state == "resolving":
            by = "" if promise.children else served_by(promise)
            return " ".join(word for word in (self._spin(), by, how_long(seconds or 0.0)) if word), ""
        if state == "resolved":
            return f"✓ {proven_words(promise, seconds, again=self._tree.again(promise))}", ""
        return short_ending(promise), one_line(promise.reason, limit=300)

    def _spin(self) -> str:
        frames = self._spinner.frames
        return frames[int((time.monotonic() - self._began) * 10) % len(frames)]

    def _counts(self, moving: Moving, width: int, room: int, *, last: bool) -> list[StyledLine]:
        """Return the root, a line for each level, and below them what moves now or has just ended."""
        root = next(branches(self._tree.root))
        lines = list(fitted([self._row(root)], width, steady=True))[:1]
        for depth, states in enumerate(moving.levels):
            lines.append(StyledLine(cut(f"  level {depth}: {_level_words(states)}", width), ""))
        free = max(0, min(MOVING, room - len(lines)))
        if last:
            return lines + [StyledLine(cut(text, width), style) for text, style in _reason_lines(moving)][:free]
        rows = [self._brief(promise) for promise in _choose_moving(moving, free)]
        return lines + list(fitted(rows, width, steady=True))[:free]

    def _brief(self, promise: Promise[Any]) -> TreeRow:
        """Return the one line a promise has among many: its id says where it is, since intents may be alike."""
        tail, reason = self._tail(promise)
        branch = TreeBranch(f"  {promise.id}  ", "", promise, ())
        return TreeRow(branch, "", f"{tail}: {reason}" if reason else tail, "", STYLES[promise.state.value])


def _reason_lines(moving: Moving) -> list[tuple[str, str]]:
    """Say how often each reason was given, the most frequent first."""
    return [
        (f"  {count:,} {ending_of(state)}: {one_line(reason)}", STYLES[state])
        for state, reason, count in moving.reasons[:REASONS_SHOWN]
    ]


def _level_words(states: Counter[str]) -> str:
    ended = states["resolved"] + states["collapsed"] + states["failed"]
    total = sum(states.values())
    filled = ended * 20 // total if total else 0
    return f"{'█' * filled}{'░' * (20 - filled)} {ended:,} of {total:,}  {counted(states)}"


def _choose_moving(moving: Moving, room: int) -> list[Promise[Any]]:
    """Return what there is room for: what is being resolved, what ended in ground, and what ended last."""
    active = moving.active[: room // 2]
    grounded = moving.grounded[max(0, len(moving.grounded) - room // 4) :]
    left = room - len(active) - len(grounded)
    seen = {promise.id for promise in grounded}
    recent = [promise for promise in moving.recent if promise.id not in seen]
    return [*active, *grounded, *recent[max(0, len(recent) - left) :]]
