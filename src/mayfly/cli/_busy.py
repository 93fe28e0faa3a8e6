"""Say that something is going on once it has taken a second, on a terminal; whoever pipes sees nothing of it."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

# Less than this nobody notices, and a line that comes and goes would only flicker.
PATIENCE = 1.0


@contextmanager
def busy(words: str, *, patience: float = PATIENCE) -> Iterator[None]:
    """Show *words* and the seconds while the body runs, from the first second on; nothing is left of it afterwards.

    The body prints nothing itself.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(words, done, patience), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(words: str, done: threading.Event, patience: float) -> None:
    if done.wait(patience):
        return
    for seconds in count(1):
        sys.stderr.write(f"\r\x1b[2K{words} … {seconds} s")
        sys.stderr.flush()
        if done.wait(1.0):
            break
    sys.stderr.write("\r\x1b[2K")
    sys.stderr.flush()
