"""`TreeProgress`: what a run shows while it goes on, drawn live on a terminal and in lines elsewhere."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mayfly.cli._output import command, note
from mayfly.cli._progress import Progress
from mayfly.cli._tree import WatchedTree, counted, plain_line
from mayfly.core import one_line

if TYPE_CHECKING:
    from mayfly.cli._tree_rows import LiveTree
    from mayfly.core import Outcome, Pool
    from mayfly.promise import Promise

# From here on, leaves that end well are counted instead of listed.
MANY = 200
TENTHS = 10


class TreeProgress:
    """Follow a run, be it a tree or a single leaf; a single leaf is shown as it always was.

    Whatever goes wrong in showing ends the showing, never the run. Used as a context manager it gives the terminal back
    however the run ends. *again* holds the ids of promises that were proven in an earlier attempt.
    """

    def __init__(self, *, quiet: bool = False, verbose: bool = False, again: Collection[str] = ()) -> None:
        self.again = again
        self._quiet = quiet
        self._verbose = verbose
        self._leaf = Progress(quiet=quiet, verbose=verbose)
        self._leaf_seen = False
        self._tree: WatchedTree | None = None
        self._live: LiveTree | None = None
        self._pool: Pool | None = None
        self._tenths = 0
        self._broken = False

    @property
    def question(self) -> tuple[object, tuple[object, ...]] | None:
        """What rivals disagree on, where they do."""
        return self._leaf.question

    @question.setter
    def question(self, asked: tuple[object, tuple[object, ...]] | None) -> None:
        self._leaf.question = asked

    def __call__(self, what: str, about: Any) -> None:
        if self._broken:
            return
        try:
            self._take(what, about)
        except Exception as error:
            self._give_up(error)

    def _take(self, what: str, about: Any) -> None:
        if what == "node":
            self._node(about)
        elif what == "planned":
            self._planned(about)
        elif what == "pool":
            self._pool = about
            if self._live is not None:
                self._live.pool = about
        elif what == "ended":
            self._ended(about)
        else:
            self._of_leaf(what, about)

    def _planned(self, root: Promise[Any]) -> None:
        self._stop()
        self._tree = WatchedTree(root, again=self.again)
        self._leaf_seen, self._tenths = False, 0
        if self._quiet or not root.children:
            return
        if sys.stderr.isatty():
            from mayfly.cli._tree_rows import LiveTree

            self._live = LiveTree(self._tree, pool=self._pool, verbose=self._verbose)
            self._live.start()
        else:
            levels = len(self._tree.levels)
            size = f"{self._tree.nodes:,} promises on {levels} levels"
            before = [promise for promise in root.walk() if promise.state.value == "resolved"]
            proven = f" · {len(before):,} proven before" if before else ""
            note(f"{one_line(root.intent, limit=100)} · {size}{proven}")
            for promise in before if self._tree.nodes < MANY else ():
                note(plain_line(promise, None, again=True))

    def _node(self, promise: Promise[Any]) -> None:
        tree = self._tree
        if tree is None or not tree.moved(promise) or self._quiet or self._live is not None:
            return
        if not promise.state.ended or self._leaf_seen:
            return
        if tree.nodes < MANY or promise.state.value != "resolved":
            note(plain_line(promise, tree.seconds(promise), again=tree.again(promise)))
        tenths = tree.ended * TENTHS // tree.nodes
        if tree.nodes >= MANY and tenths > self._tenths:
            self._tenths = tenths
            note(f"{tree.ended:,} of {tree.nodes:,} ended · {counted(sum(tree.levels, start=Counter()))}")

    def _of_leaf(self, what: str, about: Any) -> None:
        """Show a leaf's own story where it is all there is; of many leaves only what must not be missed."""
        alone = self._tree is None or not self._tree.root.children
        self._leaf_seen = self._leaf_seen or alone
        if alone or what in ("question", "unrecorded"):
            self._leaf(what, about)

    def _ended(self, outcome: Outcome[Any]) -> None:
        if self._tree is None:
            self._leaf("ended", outcome)
        elif "/" in outcome.id:
            # A leaf of the tree: what it gave is told by its promise, and only its own spinner has to go.
            self._leaf.still()
        else:
            self._leaf.still()
            self._stop()
            self._tree = None
            if not self._quiet:
                self._leaf.show_end(outcome, follow="trace")

    def _stop(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.stop()

    def _give_up(self, error: Exception) -> None:
        self._broken = True
        try:
            self._stop()
            if not self._quiet:
                note(f"mayfly: progress is no longer shown: {type(error).__name__}: {one_line(str(error))}")
        except Exception:
            self._quiet = True

    def close(self) -> None:
        """Give the terminal back; closing twice does no harm."""
        self._stop()
        self._leaf.still()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if kind is KeyboardInterrupt and self._tree is not None and not self._quiet:
            note(f"mayfly: interrupted; what is proven is kept: {command()} runs")
