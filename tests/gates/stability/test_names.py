"""The stability gate on names: whole names as Python resolves them, and every way around the type check."""

import pytest

from mayfly.gates._profile import Profile

from .test_stability import codes, report

FORBIDDEN = ["eval", "exec", "compile", "__import__", "open", "input", "globals", "locals", "vars", "breakpoint"]


@pytest.mark.parametrize("name", FORBIDDEN)
@pytest.mark.parametrize(
    "form", ["{0}('x')", "f = {0}", "def f(g={0}): pass", "[{0}]", "class A:\n    x = {0}", "lambda: {0}"]
)
def test_a_forbidden_name_is_refused_in_every_place(name: str, form: str) -> None:
    found = [verdict for verdict in report(form.format(name)).verdicts if verdict.code == "NAME"]
    assert [(verdict.decision, verdict.measured) for verdict in found] == [("reject", name)]
    assert found[0].fix


@pytest.mark.parametrize(
    "source",
    [
        "import re\nre.compile('x')",
        "retrieval = 1\nevaluate = retrieval",
        "x = 'exec'",
        "x = 'eval(input())'  # eval",
        "def f(input: str) -> str:\n    return input",
        "class A:\n    def invoke(self, input):\n        return [part for part in input]",
        "class A:\n    def open(self): return 1\n    def go(self): return self.open()",
        "def compile_rule(): pass\ncompile_rule()",
        "def f(x):\n    return x.compile()",
        "f = dict(open=1)\nf['eval'] = 2",
        "def f():\n    vars = [1]\n    return lambda: vars",
    ],
)
def test_pieces_and_other_peoples_names_pass(source: str) -> None:
    assert codes(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "def open(): pass\nopen()",
        "open = print\nopen('x')",
        "def f():\n    return open()\ndef open(): pass",
        "def f():\n    def open(): pass\n    return open()",
        "def f(open):\n    return [open(x) for x in 'abc']",
    ],
)
def test_a_name_that_the_code_defines_itself_is_its_own(source: str) -> None:
    assert codes(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "open = open",
        "x = open\ndef open(): pass",
        "if 0:\n    open = 1\nopen('x')",
        "def open(): pass\ndel open\nopen('x')",
        "def f():\n    global open\n    open = 1\nopen('x')",
        "[open for open in []]\nopen('x')",
        "def f():\n    [open for open in []]\n    open('x')",
        "class A:\n    open = 1\n    def f(self): return open('x')",
        "def f(open=open): pass",
        "def f():\n    def g(open): pass\n    return open('x')",
    ],
)
def test_a_name_that_may_still_mean_pythons_own_is_refused(source: str) -> None:
    assert ("reject", "NAME") in codes(source)


def test_the_line_is_that_of_the_use() -> None:
    (verdict,) = report("def f(input):\n    return input\n\ndef g():\n    return input()\n").verdicts
    assert verdict.line == 5


def test_a_remark_of_the_compiler_is_no_warning_here() -> None:
    assert codes("x = '\\d'\neval('1')") == [("reject", "NAME")]


def test_open_needs_a_grant() -> None:
    assert codes("open('x')", Profile(grants=("fs:workspace",))) == []
    assert codes("open('x')", Profile(grants=("net:*",))) == [("reject", "NAME")]


@pytest.mark.parametrize(
    "source",
    [
        "().__class__.__base__.__subclasses__()",
        "x = ''\nx.__class__",
        "(lambda: 0).__globals__",
        "print.__self__",
        "def f(): pass\nf.__code__",
        "class A: pass\nA.__mro__",
        "class A: pass\nA.__dict__",
        "object.__getattribute__('', 'x')",
        "object.__reduce_ex__(1, 2)",
        "(x for x in '').gi_frame.f_back",
        "try: pass\nexcept ValueError as e: e.__traceback__.tb_frame",
        "class A:\n    def f(self): return __class__",
        "match '':\n    case str(__class__=c): pass",
        "getattr('', '__class__')",
        "getattr('', '__cl' + 'ass__')",
        "getattr('', f'__class{\"__\"}')",
        "setattr(print, '__self__', 1)",
        "name = '__class__'\ngetattr('', name)",
        "'{0.__class__}'.format(1)",
        "t = '{0.__class__.__mro__}'\nt.format(1)",
        "'{x.__class__}'.format_map({'x': 1})",
        "str.format('{0[a].__globals__}', 1)",
        "object.__setattr__(1, '__class__', 2)",
        "x = '__weird__'\ny = x.__weird__",
    ],
)
def test_ways_to_the_interpreter_are_refused(source: str) -> None:
    assert ("reject", "DUNDER") in codes(source)


def test_builtins_are_refused_by_any_road() -> None:
    assert codes("__builtins__['ev' + 'al']") == [("reject", "NAME")]


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def __init__(self):\n        super().__init__()",
        "class A:\n    def __post_init__(self): pass\n    def __eq__(self, other): return True\n    __hash__ = None",
        "class A:\n    def __len__(self): return 1\n    def __getitem__(self, i): return i",
        "def f(x):\n    return type(x).__name__",
        "def f(x):\n    return x.__class__.__name__",
        "if __name__ == '__main__': pass",
        "__version__ = '1'\n__all__ = ['x']\nx = __version__",
        "class A:\n    __slots__ = ('x',)\n    __own__ = 1\n    def f(self): return self.__own__",
        "class A:\n    def f(self): self.__private = 1; return self.__private",
        "def f(x):\n    return getattr(x, 'name', None)",
        "def f(x, kind):\n    return getattr(x, f'visit_{kind}')",
        "def f(x, kind):\n    return getattr(x, 'visit_' + kind)",
        "def f(x):\n    return hasattr(x, '__iter__')",
        "class A:\n    def __init__(self): object.__setattr__(self, 'x', 1)",
        "'{0.name} {1[key]}'.format(1, 2)",
        "x = '{0.__class__}'",
        "x = {'__class__': 1}\n'{}'.format(x)",
    ],
)
def test_harmless_dunders_pass(source: str) -> None:
    assert codes(source) == []


@pytest.mark.parametrize(
    "source", ["def f(x, n):\n    return getattr(x, n)", "g = getattr", "x = list(map(getattr, [], []))"]
)
def test_an_attribute_named_at_run_time_is_sent_back(source: str) -> None:
    assert codes(source) == [("revise", "NAME")]


@pytest.mark.parametrize(
    "source",
    [
        "x: int = 'a'  # type: ignore",
        "x = 1  #type:ignore[assignment]",
        "x = 1  # noqa  # type: ignore",
        "# mypy: ignore-errors\nx = 1",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING: pass",
        "import typing\nif typing.TYPE_CHECKING: pass",
        "MYPY = False\nif MYPY: pass",
        "from typing import no_type_check as quiet\n@quiet\ndef f(x): pass",
        "import typing\n@typing.no_type_check\ndef f(x): pass",
    ],
)
def test_ways_around_the_type_check_are_refused(source: str) -> None:
    assert ("reject", "SUPPRESSION") in codes(source)


@pytest.mark.parametrize(
    "source", ["x = '# type: ignore'", '"""Say # mypy: here."""\nx = 1', "x = 1  # noqa", "x = 1  # pragma: no cover"]
)
def test_the_same_words_in_a_string_are_only_words(source: str) -> None:
    assert codes(source) == []
