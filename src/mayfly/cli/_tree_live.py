"""Draw a running tree on a terminal, at most ten times a second and never for more than a twentieth of the time."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from mayfly.cli._output import STYLES as COLOURS
from mayfly.cli._tree_rows import (
    STYLES,
    Branch,
    Line,
    Row,
    branches,
    counted,
    cut,
    fitted,
    pool_words,
    proven_words,
    served_by,
    short_ending,
)
from mayfly.core import ending_of, one_line
from mayfly.operations import how_long

if TYPE_CHECKING:
    from mayfly.cli._tree import Moving, Watched
    from mayfly.core import Pool
    from mayfly.promise import Promise

FRAME = 0.1
SLOWEST = 1.0
SHARE = 20
# A finished tree of this many promises is left on the screen whole.
WHOLE = 100
FOOTER = 2
REASONS = 10
MOVING = 16


class LiveTree:
    """Draw one tree from a thread of its own, so that the run never waits for the terminal."""

    def __init__(
        self, tree: Watched, *, pool: Pool | None = None, console: Console | None = None, verbose: bool = False
    ) -> None:
        self.pool = pool
        self._verbose = verbose
        self._tree = tree
        self._console = console or Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._spinner = Spinner("dots")
        self._began = time.monotonic()
        self._live = Live(console=self._console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._draw, name="mayfly-tree", daemon=True)

    def start(self) -> None:
        """Begin to draw."""
        self._live.start()
        self._thread.start()

    def stop(self) -> None:
        """Draw the last picture, whole where it is small enough, and give the terminal back."""
        self._done.set()
        self._thread.join()
        try:
            self._live.update(self.picture(last=True), refresh=False)
        finally:
            self._live.stop()

    def _draw(self) -> None:
        pause = FRAME
        while not self._done.wait(pause):
            began = time.perf_counter()
            try:
                self._live.update(self.picture(), refresh=True)
            except Exception:
                # A picture that fails is left out; the last one is drawn by the run itself, which then says why.
                pause = SLOWEST
                continue
            pause = min(SLOWEST, max(FRAME, (SHARE - 1) * (time.perf_counter() - began)))

    def picture(self, *, last: bool = False) -> Text:
        """Return what is to be seen: the tree where it fits, otherwise counts for each level and what is moving."""
        width = self._console.width - 1
        room = max(4, self._console.height - FOOTER - 1)
        whole = self._tree.nodes <= (max(WHOLE, room) if last else room)
        lines = self._whole(width) if whole else self._counts(self._tree.moving(), width, room, last=last)
        if not last and len(lines) > room:
            lines = self._counts(self._tree.moving(), width, room, last=False)
        waiting = "writing to the ledger · " if self._tree.root.state.ended and not last else ""
        # How much of the pools is used is of interest while it runs; what it took in all is said below.
        if self.pool is not None and (self._verbose or not last):
            lines.append(Line(cut(waiting + pool_words(self.pool), width), "dim"))
        text = Text(no_wrap=True, overflow="crop")
        for number, line in enumerate(lines):
            text.append("\n" if number else "").append(line.text, COLOURS[line.style])
        return text

    def _whole(self, width: int) -> list[Line]:
        return list(fitted([self._row(branch) for branch in branches(self._tree.root)], width, steady=True))

    def _row(self, branch: Branch) -> Row:
        promise = branch.promise
        tail, reason = self._tail(promise)
        middle = f"budget {promise.budget:.2f}" if self._verbose else ""
        return Row(branch, middle, tail, reason, STYLES[promise.state.value])

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

    def _counts(self, moving: Moving, width: int, room: int, *, last: bool) -> list[Line]:
        """Return the root, a line for each level, and below them what moves now or has just ended."""
        root = next(branches(self._tree.root))
        lines = list(fitted([self._row(root)], width, steady=True))[:1]
        for depth, states in enumerate(moving.levels):
            lines.append(Line(cut(f"  level {depth}: {_level(states)}", width), ""))
        free = max(0, min(MOVING, room - len(lines)))
        if last:
            return lines + [Line(cut(text, width), style) for text, style in _reasons(moving)][:free]
        rows = [self._brief(promise) for promise in _chosen(moving, free)]
        return lines + list(fitted(rows, width, steady=True))[:free]

    def _brief(self, promise: Promise[Any]) -> Row:
        """Return the one line a promise has among many: its id says where it is, since intents may be alike."""
        tail, reason = self._tail(promise)
        branch = Branch(f"  {promise.id}  ", "", promise, ())
        return Row(branch, "", f"{tail}: {reason}" if reason else tail, "", STYLES[promise.state.value])


def _reasons(moving: Moving) -> list[tuple[str, str]]:
    """Say how often each reason was given, the most frequent first."""
    return [
        (f"  {count:,} {ending_of(state)}: {one_line(reason)}", STYLES[state])
        for state, reason, count in moving.reasons[:REASONS]
    ]


def _level(states: Counter[str]) -> str:
    ended = states["resolved"] + states["collapsed"] + states["failed"]
    total = sum(states.values())
    filled = ended * 20 // total if total else 0
    return f"{'█' * filled}{'░' * (20 - filled)} {ended:,} of {total:,}  {counted(states)}"


def _chosen(moving: Moving, room: int) -> list[Promise[Any]]:
    """Return what there is room for: what is being resolved, what ended in ground, and what ended last."""
    active = moving.active[: room // 2]
    grounded = moving.grounded[max(0, len(moving.grounded) - room // 4) :]
    left = room - len(active) - len(grounded)
    seen = {promise.id for promise in grounded}
    recent = [promise for promise in moving.recent if promise.id not in seen]
    return [*active, *grounded, *recent[max(0, len(recent) - left) :]]
