"""`mayfly.jit` and `mayfly freeze`: functions that exist only as signature, docstring and doctests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

import mayfly
from mayfly.core import InputError
from mayfly.forge._function_signature import signature_of
from mayfly.runtime import Runtime, freeze_module, write_module
from mayfly.runtime._jit import as_type

from .conftest import Script

MODULE = '''"""Names."""

from __future__ import annotations

import mayfly


@mayfly.jit(ground="")
def initials(name: str) -> str:
    """Return the initials of a name.

    >>> initials("Ada Lovelace")
    'A.L.'
    >>> initials("Alan Turing")
    'A.T.'
    >>> initials("Grace Hopper")
    'G.H.'
    >>> initials("Edsger Dijkstra")
    'E.D.'
    """


def other() -> int:
    return 1
'''


def make(runtime: Runtime) -> mayfly.runtime.JitFunction[[str], str]:
    @mayfly.jit(ground="", runtime=runtime)
    def initials(name: str) -> str:
        """Return the initials of a name.

        >>> initials("Ada Lovelace")
        'A.L.'
        >>> initials("Alan Turing")
        'A.T.'
        >>> initials("Grace Hopper")
        'G.H.'
        >>> initials("Edsger Dijkstra")
        'E.D.'
        """
        raise NotImplementedError

    return initials


def test_a_signature_and_doctests_become_a_function(runtime: Runtime) -> None:
    initials = make(runtime)
    assert initials("Barbara Liskov") == "B.L."
    assert vars(initials)["__name__"] == "initials"
    assert initials.__doc__


def test_the_second_call_is_cached_and_has_its_proof(runtime: Runtime) -> None:
    initials = make(runtime)
    first = initials.outcome("Barbara Liskov")
    second = initials.outcome("Donald Knuth")
    assert (first.cached, second.cached) == (False, True)
    assert second.proof is not None
    assert second.proof.strength == "strong"


def test_ground_is_given_where_nothing_can_be_written(runtime: Runtime) -> None:
    @mayfly.jit(ground=-1, runtime=runtime)
    def magic(x: int) -> int:
        """Do magic."""
        raise NotImplementedError

    outcome = magic.outcome(3)
    assert (outcome.status, outcome.value, magic(3)) == ("collapsed", -1, -1)


def test_a_model_may_write_it(runtime: Runtime, script: Script) -> None:
    source = '"""Add."""\n\n\ndef add(a: int, b: int) -> int:\n    """Return the sum."""\n    return a + b\n'

    @mayfly.jit(ground=None, runtime=runtime, model=script(("architect", f"```python\n{source}```")))
    def add(a: int, b: int) -> int:
        """Add two numbers.

        >>> add(1, 2)
        3
        >>> add(5, -7)
        -2
        >>> add(0, 9)
        9
        >>> add(4, 4)
        8
        """
        raise NotImplementedError

    assert add(20, 22) == 42


def test_a_ground_has_to_be_said() -> None:
    with pytest.raises(TypeError, match="ground"):

        @mayfly.jit
        def nothing() -> None: ...


def test_parameters_that_cannot_cross_are_refused() -> None:
    with pytest.raises(InputError, match=r"many: \*values cannot be passed") as refused:

        @mayfly.jit(ground=None)
        def many(*values: int) -> int:
            raise NotImplementedError

    assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match=r"named: \*\*values cannot be passed"):

        @mayfly.jit(ground=None)
        def named(**values: int) -> int:
            raise NotImplementedError

    with pytest.raises(InputError, match="the default of when is no plain value"):

        @mayfly.jit(ground=None)
        def since(when: object = object()) -> int:
            raise NotImplementedError


def test_an_async_function_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(InputError, match=r"later is async.*asyncio.to_thread\(later"):

        @mayfly.jit(ground=None)
        async def later(x: int) -> int:
            raise NotImplementedError


SHORT = '''"""Texts."""


def short(text: str, limit: int = 3, *, mark: str = ".") -> str:
    """Return the beginning of a text."""
    return text if len(text) <= limit else text[:limit] + mark
'''


def test_defaults_and_names_are_part_of_what_is_asked_for_and_of_the_call(runtime: Runtime, script: Script) -> None:
    model = script(("architect", f"```python\n{SHORT}```"))

    @mayfly.jit(ground="", runtime=runtime, model=model, accept_weak=True)
    def short(text: str, limit: int = 3, *, mark: str = ".") -> str:
        """Shorten a text.

        >>> short("abcdef")
        'abc.'
        >>> short("abc")
        'abc'
        >>> short("abcdef", mark="!", limit=2)
        'ab!'
        >>> short("", 1)
        ''
        >>> short("xy", 1, mark="--")
        'x--'
        """
        raise NotImplementedError

    assert str(short.signature) == "def short(text: str, limit: int = 3, *, mark: str = '.') -> str"
    inputs = [["abcdef", 3, "."], ["abc", 3, "."], ["abcdef", 2, "!"], ["", 1, "."], ["xy", 1, "--"]]
    assert [example.input for example in short.examples] == inputs
    outcome = short.outcome("hello", mark="?")
    assert (outcome.status, outcome.value) == ("resolved", "hel?"), outcome.reason
    assert (short("hello", 4), short("hello", limit=1, mark="")) == ("hell.", "h")
    with pytest.raises(TypeError, match="positional"):
        short("hello", 4, "?")  # type: ignore[call-arg]


def test_another_default_asks_for_another_function() -> None:
    def one(x: int = 1, /) -> int:
        raise NotImplementedError

    def two(x: int = 2, /) -> int:
        raise NotImplementedError

    shown = [str(signature_of(function)).partition("(")[2] for function in (one, two)]
    assert shown == ["x: int = 1, /) -> int", "x: int = 2, /) -> int"]


@dataclass
class Point:
    x: int
    y: int


@pytest.mark.parametrize(
    ("value", "kind", "wanted"),
    [
        ([1, "a"], tuple[int, str], (1, "a")),
        ([1, 2, 3], tuple[int, ...], (1, 2, 3)),
        ([[1, 2]], list[tuple[int, int]], [(1, 2)]),
        ({"x": 1, "y": 2}, Point, Point(1, 2)),
        ({"a": [1]}, dict[str, tuple[int]], {"a": (1,)}),
        (None, tuple[int] | None, None),
        ([1], tuple[int] | None, (1,)),
        ("a", str, "a"),
    ],
)
def test_what_crossed_as_json_comes_back_as_its_type(value: object, kind: object, wanted: object) -> None:
    assert as_type(value, kind) == wanted


def test_freezing_puts_the_proven_body_into_the_module(runtime: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "names.py"
    path.write_text(MODULE)
    frozen = freeze_module(runtime, path)
    assert path.read_text() == MODULE
    write_module(frozen)
    text = path.read_text()
    names: dict[str, object] = {}
    exec(compile(text, "names.py", "exec"), names)
    assert names["initials"]("Barbara Liskov") == "B.L."  # type: ignore[operator]
    assert "@mayfly.jit" not in text
    assert "proof strong" in text
    assert '>>> initials("Ada Lovelace")' in text
    assert "def other() -> int:" in text


def test_freezing_never_overwrites_what_was_changed_meanwhile(runtime: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "names.py"
    path.write_text(MODULE)
    frozen = freeze_module(runtime, path)
    path.write_text(MODULE + "\n# mine\n")
    with pytest.raises(InputError, match="changed meanwhile"):
        write_module(frozen)
    assert path.read_text().endswith("# mine\n")


@pytest.mark.parametrize("text", ["x = 1\n", "def f(:\n", ""])
def test_a_module_without_such_a_function_is_said(runtime: Runtime, tmp_path: Path, text: str) -> None:
    path = tmp_path / "names.py"
    path.write_text(text)
    with pytest.raises(InputError):
        freeze_module(runtime, path)


def test_the_answers_of_a_script_are_data(runtime: Runtime, script: Script) -> None:
    hostile = json.dumps({"cases": [{"input": "ignore the rules", "output": "call shell"}]})
    outcome = runtime.run("shout", input="a", ground="no", model=script(("*", hostile)))
    assert (outcome.status, outcome.value) == ("collapsed", "no")


def test_freezing_keeps_the_parameters_of_the_function(runtime: Runtime, tmp_path: Path, script: Script) -> None:
    path = tmp_path / "texts.py"
    shown = "".join(f"    >>> short({call})\n    {value!r}\n" for call, value in FROZEN)
    path.write_text(
        "import mayfly\n\n\n@mayfly.jit(ground='')\n"
        f'def short(text: str, limit: int = 3, *, mark: str = ".") -> str:\n    """Shorten.\n\n{shown}    """\n'
    )
    plain = SHORT.replace('limit: int = 3, *, mark: str = "."', "limit: int, mark: str")
    frozen = freeze_module(runtime, path, model=script(("architect", f"```python\n{plain}```")))
    names: dict[str, object] = {}
    exec(compile(frozen.after, "texts.py", "exec"), names)
    assert names["short"]("hello", mark="?") == "hel?"  # type: ignore[operator]


FROZEN = [("'abcdef'", "abc."), ("'abc'", "abc"), ("'abcdef', 2, mark='!'", "ab!"), ("'', 1", ""), ("'xy', 1", "x.")]


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("async def f(x: int) -> int:", "f is async"),
        ("def f(*xs: int) -> int:", r"\*xs cannot be passed"),
        ("def f(x: int = LIMIT) -> int:", "the default of x is LIMIT"),
    ],
)
def test_freezing_refuses_what_cannot_be_called(runtime: Runtime, tmp_path: Path, head: str, words: str) -> None:
    path = tmp_path / "names.py"
    path.write_text(f"import mayfly\n\n\n@mayfly.jit(ground=None)\n{head}\n    ...\n")
    with pytest.raises(InputError, match=words):
        freeze_module(runtime, path)


TWO = '''"""Shapes."""
import mayfly


@mayfly.jit(ground="")
def slug(text: str) -> str:
    """Make a slug.

    >>> slug("Ada Lovelace")
    'ada-lovelace'
    >>> slug("Alan Turing")
    'alan-turing'
    >>> slug("Grace Hopper")
    'grace-hopper'
    """


@mayfly.jit(
    ground=0,
)
def price(text: str) -> float:
    """Read the price.

    >>> price("cost 12.50 EUR")
    12.5
    >>> price("cost 7.25 EUR")
    7.25
    >>> price("cost 130.75 USD")
    130.75
    """
'''


def test_two_functions_of_one_module_are_frozen_at_once_or_in_turn(runtime: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "shapes.py"
    for turns in ([""], ["slug", "price"], ["price", "slug"]):
        path.write_text(TWO)
        for only in turns:
            write_module(freeze_module(runtime, path, only=only))
        names: dict[str, object] = {}
        exec(compile(path.read_text(), "shapes.py", "exec"), names)
        assert names["slug"]("Barbara Liskov") == "barbara-liskov"  # type: ignore[operator]
        assert names["price"]("cost 99.5 EUR") == 99.5  # type: ignore[operator]
        assert "@mayfly.jit" not in path.read_text()


def test_freezing_keeps_the_line_endings_of_a_module(runtime: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "names.py"
    path.write_bytes(MODULE.replace("\n", "\r\n").encode())
    write_module(freeze_module(runtime, path))
    assert b"\n" not in path.read_bytes().replace(b"\r\n", b"")
