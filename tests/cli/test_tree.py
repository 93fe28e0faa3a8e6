"""The watcher of a running tree: lines where there is no terminal, a picture where there is one."""

import io
import sys
from typing import Any

import pytest
from rich.console import Console

from mayfly.cli._tree import WatchedTree, number, pool_words
from mayfly.cli._tree_progress import MANY, TreeProgress
from mayfly.cli._tree_rows import LiveTree
from mayfly.core import Cost, Outcome, Pool
from mayfly.operations import how_long
from mayfly.promise import Promise
from mayfly.testing import FakeClock

from .trees import leaves, resolve, sample

Capture = pytest.CaptureFixture[str]


def end(status: Any = "resolved", id: str = "r-7f3a") -> Outcome[Any]:
    return Outcome(status=status, value=1, reason="", id=id, cost=Cost(seconds=1.5, model_calls=3))


def leaf(tree: Promise[Any], number: int) -> Promise[Any]:
    return [promise for promise in tree.walk() if not promise.children][number]


def test_without_a_terminal_each_end_is_a_line(capsys: Capture) -> None:
    tree = sample()
    with TreeProgress() as progress:
        progress("planned", tree)
        leaf(tree, 0).begin()
        progress("node", leaf(tree, 0))
        leaf(tree, 0).resolve(1, resolve(sample()).proof)  # type: ignore[arg-type]
        progress("node", leaf(tree, 0))
        leaf(tree, 2).collapse("needs a model", "CHAOTIC")
        progress("node", leaf(tree, 2))
        progress("ended", end("collapsed"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Fix the bug in auth module · 6 promises on 3 levels"
    assert lines[1].startswith("resolved   0.1.1  Read auth.py · read_file · ")
    assert lines[1].endswith("strong · every item occurs in the input")
    assert lines[2] == "fallback   0.2.1  Modify code + run tests: needs a model"
    assert lines[3] == "gave the fallback r-7f3a in 1.5 s, 3 model calls; trace: mayfly trace r-7f3a"
    assert len(lines) == 4


def test_quiet_says_nothing(capsys: Capture) -> None:
    tree = sample()
    with TreeProgress(quiet=True) as progress:
        progress("planned", tree)
        progress("node", resolve(leaf(tree, 0)))
        progress("ended", end())
    assert capsys.readouterr() == ("", "")


def test_many_leaves_are_counted_instead_of_listed(capsys: Capture) -> None:
    tree = leaves(2 * MANY)
    with TreeProgress() as progress:
        progress("planned", tree)
        for promise in [found for found in tree.walk() if not found.children]:
            progress("node", resolve(promise))
    lines = capsys.readouterr().err.splitlines()
    assert 9 <= len(lines) <= 12
    assert lines[-1].startswith("369 of 409 ended · 369 resolved, 40 pending")


def test_what_ends_in_ground_is_listed_however_large_the_tree_is(capsys: Capture) -> None:
    tree = leaves(2 * MANY)
    with TreeProgress() as progress:
        progress("planned", tree)
        leaf(tree, 7).collapse("no such file", "INPUT")
        progress("node", leaf(tree, 7))
    assert "Count file 7: no such file" in capsys.readouterr().err


def test_what_was_proven_before_is_marked(capsys: Capture) -> None:
    tree = sample()
    with TreeProgress(again={"0.1.1"}) as progress:
        progress("planned", tree)
        progress("node", resolve(leaf(tree, 0)))
        progress("node", resolve(leaf(tree, 1)))
    lines = capsys.readouterr().err.splitlines()
    assert "· again ·" in lines[1]
    assert "again" not in lines[2]


def test_text_from_elsewhere_is_shown_and_not_obeyed(capsys: Capture) -> None:
    tree = sample()
    found = leaf(tree, 0)
    found.intent = "read \x1b[2J\nall"
    found.collapse("\x1b]0;title\x07", "INPUT")
    with TreeProgress() as progress:
        progress("planned", tree)
        tree.children[0].collapse("\x1b[31m", "INPUT")
        progress("node", tree.children[0])
    assert not set("\x1b\x07") & set(capsys.readouterr().err)


def test_a_run_without_a_tree_is_shown_as_before(capsys: Capture) -> None:
    with TreeProgress() as progress:
        progress("ended", end())
    assert "why: mayfly why r-7f3a" in capsys.readouterr().err


def test_the_story_of_a_leaf_among_many_is_left_out_and_of_one_alone_is_told(capsys: Capture) -> None:
    with TreeProgress() as progress:
        progress("planned", sample())
        progress("question", ("x", (1, 2)))
        progress("judged", object())
        progress("ended", end(id="r-7f3a/0.1.1"))
        progress("unrecorded", "the disk is full")
        assert progress.question == ("x", (1, 2))
        progress("ended", end())
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "the disk is full" in lines[1]


def test_a_tree_of_one_leaf_tells_the_story_of_the_leaf(capsys: Capture) -> None:
    alone = leaf(sample(), 0)
    with TreeProgress() as progress:
        progress("planned", alone)
        progress("unrecorded", "the disk is full")
        progress("node", resolve(alone))
        progress("ended", end())
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("resolved  r-7f3a")


def test_a_watcher_that_fails_says_so_once_and_never_ends_the_run(capsys: Capture) -> None:
    progress = TreeProgress()
    progress("planned", sample())
    progress("node", "no promise at all")
    progress("node", "no promise at all")
    progress.close()
    assert capsys.readouterr().err.count("progress is no longer shown") == 1


def test_a_stream_that_is_closed_does_not_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    progress = TreeProgress()
    progress("planned", sample())
    progress("ended", end())
    progress.close()
    later = io.StringIO()
    monkeypatch.setattr(sys, "stderr", later)
    progress("planned", sample())
    assert later.getvalue() == ""


def picture(
    tree: WatchedTree, *, height: int = 24, width: int = 100, last: bool = False, pool: Pool | None = None
) -> str:
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=True)
    return LiveTree(tree, pool=pool, console=console).picture(last=last).plain


def test_a_small_tree_is_drawn_whole_with_its_states() -> None:
    tree, clock = sample(), FakeClock(0.0)
    watched = WatchedTree(tree, clock=clock)
    tree.begin()
    watched.moved(tree)
    leaf(tree, 1).begin()
    watched.moved(leaf(tree, 1))
    clock.now = 0.25
    leaf(tree, 1).resolve(1, resolve(sample()).proof)  # type: ignore[arg-type]
    watched.moved(leaf(tree, 1))
    leaf(tree, 2).collapse("needs a model", "CHAOTIC")
    watched.moved(leaf(tree, 2))
    lines = picture(watched, pool=Pool(nodes=20, model_calls=5)).splitlines()
    assert len(lines) == 7
    assert "0.25 s" in lines[0]
    assert "✓ 0.25 s · strong · every item occurs" in lines[3]
    assert "fallback: needs a model" in lines[5]
    assert lines[-1].startswith("0 of 5 model calls")


def test_a_tree_that_has_ended_is_still_being_written() -> None:
    tree = sample()
    watched = WatchedTree(tree)
    watched.moved(resolve(tree))
    assert "writing to the ledger" in picture(watched, pool=Pool())
    assert "writing to the ledger" not in picture(watched, pool=Pool(), last=True)


def test_a_large_tree_is_counted_by_level_and_shows_what_moves() -> None:
    tree = leaves(10_000)
    watched = WatchedTree(tree)
    for place in range(300):
        watched.moved(resolve(leaf_at(tree, place)))
    for place in range(300, 305):
        leaf_at(tree, place).begin()
        watched.moved(leaf_at(tree, place))
    shown = picture(watched, pool=Pool())
    assert "level 2: " in shown
    assert "300 of 10,000  300 resolved, 5 resolving, 9,695 pending" in shown
    assert "Count file 304" in shown
    assert len(shown.splitlines()) <= 24


def leaf_at(tree: Promise[Any], place: int) -> Promise[Any]:
    return tree.children[place // 50].children[place % 50]


def test_the_last_picture_of_a_large_tree_counts_the_reasons() -> None:
    tree = leaves(500)
    watched = WatchedTree(tree)
    for place in range(30):
        leaf_at(tree, place).collapse("no such file" if place % 3 else "denied", "INPUT")
        watched.moved(leaf_at(tree, place))
    lines = picture(watched, last=True).splitlines()
    assert lines[-2:] == ["  20 gave the fallback: no such file", "  10 gave the fallback: denied"]


def test_a_finished_tree_stays_on_the_screen_whole_though_it_is_higher() -> None:
    watched = WatchedTree(leaves(40))
    assert len(picture(watched, height=10, last=True).splitlines()) == 42
    assert len(picture(watched, height=10).splitlines()) <= 10


@pytest.mark.parametrize("width", [1, 10, 40, 300])
def test_no_picture_is_larger_than_the_terminal(width: int) -> None:
    tree = leaves(300)
    watched = WatchedTree(tree)
    for place in range(100):
        leaf_at(tree, place).collapse("a reason " * 50, "INPUT")
        watched.moved(leaf_at(tree, place))
    for height in (1, 5, 30):
        assert len(picture(watched, width=width, height=height).splitlines()) <= max(height, 6)


def test_on_a_terminal_the_picture_is_drawn_and_the_cursor_given_back(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    tree = sample()
    with TreeProgress() as progress:
        progress("planned", tree)
        progress("pool", Pool(nodes=20))
        progress("node", resolve(leaf(tree, 0)))
        progress("ended", end())
    err = capsys.readouterr().err
    assert "Read auth.py" in err
    assert err.rindex("\x1b[?25h") > err.rindex("\x1b[?25l")
    assert "resolved  r-7f3a" in err.splitlines()[-1]


def test_the_terminal_is_given_back_when_the_run_is_stopped(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    def stopped() -> None:
        with TreeProgress() as progress:
            progress("planned", sample())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    err = capsys.readouterr().err
    assert "\x1b[?25h" in err
    assert err.endswith("mayfly: interrupted; what is proven is kept: mayfly runs\n")


@pytest.mark.parametrize(("seconds", "words"), [(0.0123, "12.3 ms"), (2.5, "2.50 s"), (125.0, "2 min 5 s")])
def test_durations_read_well(seconds: float, words: str) -> None:
    assert how_long(seconds) == words


@pytest.mark.parametrize(("amount", "words"), [(0, "0"), (2.0, "2"), (0.42, "0.4"), (3600, "3,600"), (123.4, "123")])
def test_amounts_read_well(amount: float, words: str) -> None:
    assert number(amount) == words


def test_a_pool_is_said_with_its_limits() -> None:
    pool = Pool(model_calls=5, nodes=100)
    pool.spend(model_calls=2, nodes=10)
    words = pool_words(pool)
    assert words.startswith("2 of 5 model calls · ")
    assert words.endswith("10 of 100 nodes")
