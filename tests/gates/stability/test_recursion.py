"""The stability gate on what never ends: recursion without a base case, loops without a way out."""

import ast
from pathlib import Path

import pytest

from mayfly.core import Tier
from mayfly.gates._profile import Profile
from mayfly.gates._syntax import check_syntax
from mayfly.gates.stability._stability import check_stability
from mayfly.sandbox import EPHEMERAL_IMPORTS as SIX_IMPORTS

from .test_stability import codes, report

WIDE = Profile(depth=0, imports=SIX_IMPORTS | {"itertools", "functools", "collections", "abc"})
STDLIB = Path(ast.__file__).parent


@pytest.mark.parametrize(
    "source",
    [
        "def f(n): return f(n)",
        "def f(n):\n    return f(n - 1) + 1",
        "async def f(n): return await f(n)",
        "def f(n):\n    x = f(n)\n    return 1",
        "def f(n):\n    if f(n): return 1\n    return 2",
        "def f(n):\n    if n: return f(n - 1)\n    else: return f(n + 1)",
        "def f(n):\n    return f(n) if n else f(n + 1)",
        "def f(n):\n    return f(n) or 1",
        "def f(n):\n    yield from f(n)",
        "def f(n):\n    while True:\n        f(n)",
        "def f(n):\n    if True: return f(n)\n    return 1",
        "def f(n):\n    try:\n        return f(n - 1)\n    except ValueError:\n        return 0",
        "def f(n):\n    match n:\n        case 1: return f(2)\n        case _: return f(1)",
        "def f(n):\n    for x in f(n): return x",
        "def f(n):\n    with f(n): pass",
        "f = lambda n: f(n - 1)",
        "def outer():\n    def inner(n): return inner(n)\n    return inner",
        "class A:\n    def f(self): return self.f()",
        "class A:\n    def f(this): return this.f()",
        "class A:\n    @classmethod\n    def f(cls): return cls.f()",
        "class A:\n    @staticmethod\n    def f(): return A.f()",
        "class A:\n    def f(self): return A().f()",
        "class A:\n    def f(self): return (lambda: 1)() + self.g()\n    def g(self): return self.f()",
        "class A:\n    @property\n    def x(self): return self.x",
        "class A:\n    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, v): self.x = v",
        "class A:\n    def __str__(self): return str(self)",
        "class A:\n    def __repr__(self): return f'{self!r}'",
        "class A:\n    def __len__(self): return len(self)",
        "class A:\n    def __init__(self): self.child = A()",
        "class B:\n    def f(self): return self.g()\n    def g(self): return self.f()\nclass A(B): pass",
        "def a(): return b()\ndef b(): return c()\ndef c(): return a()",
    ],
)
def test_recursion_without_a_base_case_is_refused(source: str) -> None:
    found = report(source, WIDE)
    assert "RECURSION" in [verdict.code for verdict in found.verdicts if verdict.decision == "reject"]
    assert found.metrics.has_unbounded_recursion


@pytest.mark.parametrize(
    "source",
    [
        "def factorial(n):\n    if n <= 1:\n        return 1\n    return n * factorial(n - 1)",
        "def factorial(n): return 1 if n < 2 else n * factorial(n - 1)",
        "def find(a, x, lo, hi):\n    if lo > hi: return -1\n    m = (lo + hi) // 2\n    if a[m] == x: return m\n"
        "    if a[m] < x: return find(a, x, m + 1, hi)\n    return find(a, x, lo, m - 1)",
        "import functools\n@functools.cache\ndef fib(n):\n    if n < 2: return n\n    return fib(n - 1) + fib(n - 2)",
        "def fib(n, memo):\n    if n not in memo: memo[n] = fib(n - 1, memo) + fib(n - 2, memo)\n    return memo[n]",
        "def fib(n, memo):\n    try: return memo[n]\n    except KeyError: pass\n    return fib(n - 1, memo)",
        "def walk(t):\n    for child in t: walk(child)",
        "def total(t): return t[0] + sum(total(child) for child in t[1:])",
        "def flat(x): return [z for y in x for z in flat(y)]",
        "def gcd(a, b): return a if not b else gcd(b, a % b)",
        "def f(n): return n == 0 or f(n - 1)",
        "def f(n):\n    while n:\n        n = f(n - 1)\n    return n",
        "def f(n):\n    if n < 0: raise ValueError(n)\n    return f(n - 1)",
        "def f(n):\n    try:\n        return f(int(n))\n    except ValueError:\n        return n",
        "def f(n):\n    match n:\n        case 0: return 1\n        case _: return f(n - 1)",
        "def even(n): return True if n == 0 else odd(n - 1)\ndef odd(n): return even(n - 1)",
        "f = lambda n: 1 if n < 2 else n * f(n - 1)",
        "class A:\n    def __init__(self): super().__init__()",
        "class B:\n    def f(self): return 1\nclass A(B):\n    def f(self): return super().f()",
        "class A:\n    def f(self, n):\n        if not n: return 0\n        return self.f(n - 1)",
        "class A:\n    def f(self): return self.child.f()",
        "class A:\n    def f(self): return B().f()\nclass B:\n    def f(self): return 1",
        "def f(f): return f()",
        "def f():\n    f = print\n    return f()",
        "def f(): return lambda: f()",
        "def f():\n    def g(): return f()\n    return g",
        "def f(x): return list(map(f, x))",
        "class A:\n    @property\n    def x(self): return self._x\n    @x.setter\n    def x(self, v): self._x = v",
        "class A:\n    def __str__(self): return repr(self)\n    def __repr__(self): return 'A'",
        "class A:\n    def __len__(self): return len(self.items)",
        "class Node:\n    def __init__(self, n): self.child = Node(n - 1) if n else None",
    ],
)
def test_recursion_that_can_end_passes(source: str) -> None:
    assert codes(source, WIDE) == []


def test_the_verdict_names_all_that_call_each_other() -> None:
    (verdict,) = report("def a(): return b()\ndef b(): return a()").verdicts
    assert verdict.message == "recursion without a base case: a and b call each other on every path"
    assert verdict.line == 1


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "while 1: x = 1",
        "while not False: pass",
        "while 'yes': pass",
        "while 1 == 1: pass",
        "while 2 > 1: pass",
        "while x or True: pass",
        "while (1,): pass",
        "while 1:\n    for x in []:\n        break",
        "while True:\n    while True:\n        break",
        "while True:\n    def f(): return 1",
        "while True:\n    if False: break",
        "while True:\n    try: pass\n    except ValueError: pass",
        "import itertools\nfor i in itertools.count(): pass",
        "import itertools as it\nfor i in it.cycle([1]): x = i",
        "from itertools import count as numbers\nfor i in numbers(): pass",
        "from itertools import repeat\nfor i in repeat(1): pass",
        "from itertools import count\nfor i, j in enumerate(count()): pass",
        "from itertools import count\nfor i in map(str, count()): pass",
        "from itertools import count\nfor i in zip(count(), count()): pass",
        "from itertools import count\nx = [i for i in count()]",
        "from itertools import count\nx = sum(i for i in count())",
        "for i in iter(int, 1): pass",
        "for i in iter(lambda: 1, 2): pass",
        "x = list(iter(int, 1))",
    ],
)
def test_a_loop_without_a_way_out_is_refused(source: str) -> None:
    assert codes(source, WIDE) == [("reject", "LOOP")]


@pytest.mark.parametrize(
    "source",
    [
        "while True:\n    break",
        "while True:\n    if x: break",
        "def f():\n    while True:\n        return 1",
        "while True:\n    raise ValueError",
        "while True:\n    for x in []: pass\n    else: break",
        "while True:\n    with x: break",
        "while True:\n    try: x = 1\n    except ValueError: break",
        "try:\n    while True: x.pop()\nexcept IndexError: pass",
        "from itertools import count\nfor i in count():\n    if i > 3: break",
        "from itertools import count\nfor i, x in zip(count(), 'abc'): pass",
        "from itertools import count\nx = next(i for i in count() if i > 3)",
        "from itertools import count, islice\nx = list(islice(count(), 3))",
        "from itertools import repeat\nfor i in repeat(1, 3): pass",
        "for line in iter(read, ''): pass",
        "def count(): return []\nfor i in count(): pass",
        "while False: pass",
        "def f(n):\n    while n > 0: n -= 1",
        "def f(s):\n    while s: s.pop()",
        "def f(s):\n    while s: del s[0]",
        "def f(s):\n    while s[0]: s[0] = s[1]",
        "def f(s):\n    while len(s) > 1: s = s[1:]",
        "def f(s):\n    while s: change(s)",
        "def f(a, b):\n    while b: a, b = b, a % b",
        "class A:\n    def f(self):\n        while self.more: self.step()",
        "def f(n):\n    while (n := n - 1): pass",
        "def f(q):\n    for x in q:\n        if x: q.append(x - 1)",
        "def f(items, i):\n    while i < len(items):\n        step(items)",
        "def f(items, i):\n    while i < len(items):\n        i = i + 1",
        "def f(read):\n    while read(): pass",
    ],
)
def test_a_loop_that_can_end_passes(source: str) -> None:
    assert codes(source, WIDE) == []


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    while True:\n        yield 1",
        "from itertools import count\ndef f():\n    for i in count():\n        yield i",
        "def f(n):\n    x = 0\n    while n > 0:\n        x += 1",
        "def f(items):\n    i = 0\n    while i < 10:\n        print(items)",
        "def f(q):\n    for x in q:\n        q.append(x)",
        "def f(items, i, total):\n    while i < len(items):\n        total += items[i]",
        "def f(items, i):\n    while i < len(items):\n        print(items[i])",
    ],
)
def test_a_loop_that_may_not_end_is_sent_back(source: str) -> None:
    assert codes(source, WIDE) == [("revise", "LOOP")]


@pytest.mark.parametrize(
    "name", ["heapq", "json/decoder", "dataclasses", "argparse", "typing", "ast", "functools", "enum"]
)
def test_the_standard_library_is_analysed_without_a_crash_or_a_false_alarm(name: str) -> None:
    parsed = check_syntax((STDLIB / f"{name}.py").read_bytes()[:99_000].rpartition(b"\n\n\n")[0])
    assert parsed.tree is not None
    found = check_stability(parsed.tree, parsed.text, Profile(tier=Tier.AUTHORED, grants=("package",))).verdicts
    assert not [v for v in found if v.code in ("RECURSION", "LOOP", "NESTING") and v.decision == "reject"]
