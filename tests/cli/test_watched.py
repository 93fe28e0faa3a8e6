"""What a running tree looks like is kept right, whoever tells of its transitions and however often."""

import threading

from cli.trees import leaves, resolve, sample
from mayfly.cli._tree import WatchedTree


def test_a_transition_told_twice_counts_once() -> None:
    tree = sample()
    watched = WatchedTree(tree)
    first = next(promise for promise in tree.walk() if not promise.children)
    resolve(first)
    assert watched.moved(first)
    assert not watched.moved(first)
    assert watched.ended == 1
    assert watched.levels[2] == {"pending": 2, "resolved": 1}


def test_transitions_from_many_threads_are_all_counted() -> None:
    tree = leaves(400)
    watched = WatchedTree(tree)
    found = [promise for promise in tree.walk() if not promise.children]

    def work(part: int) -> None:
        for promise in found[part::4]:
            watched.moved(resolve(promise))

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert watched.levels[2]["resolved"] == 400
    assert watched.ended == 400
