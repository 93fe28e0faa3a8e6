from __future__ import annotations

import ast
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mayfly.core import parse_python

SOURCE = "\n".join(f"def f{number}(x):\n    return [x + {number} for x in range(x)]" for number in range(60))


def test_source_becomes_the_same_tree() -> None:
    assert ast.dump(parse_python(SOURCE)) == ast.dump(ast.parse(SOURCE))
    assert isinstance(parse_python("1 + 1", mode="eval"), ast.Expression)
    with pytest.raises(SyntaxError):
        parse_python("def")


def test_threads_read_sound_source_while_garbage_is_collected() -> None:
    """A collection in the middle of a tree runs Python code, which lets another thread begin its own."""
    switched = threading.Event()

    def pause(phase: str, info: dict[str, int]) -> None:
        switched.wait(0.0005)

    gc.callbacks.append(pause)
    try:
        with ThreadPoolExecutor(4) as threads:
            made = list(threads.map(lambda _: len(parse_python(SOURCE).body), range(40)))
    finally:
        gc.callbacks.remove(pause)
    assert made == [60] * 40
