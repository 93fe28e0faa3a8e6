"""Stand in for the few parts of pytest that a test of one program uses; the jail has no pytest."""

import re
from types import SimpleNamespace
from typing import Any


class Skipped(Exception):
    """The test did not run, so it proves nothing."""


class _Raises:
    def __init__(self, kinds: Any, match: str | None) -> None:
        self.kinds, self.match = kinds, match
        self.value: BaseException | None = None
        self.type: Any = None

    def __enter__(self) -> Any:
        EAGER.append(True)
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        EAGER.pop()
        if error is None:
            raise AssertionError(f"did not raise {self.kinds}")
        if not isinstance(error, self.kinds):
            return False
        self.value, self.type = error, kind
        if self.match is not None and not re.search(self.match, str(error)):
            raise AssertionError(f"{self.match!r} does not match {str(error)!r}")
        return True


def raises(kinds: Any, *call: Any, match: str | None = None, **keywords: Any) -> Any:
    """Expect an exception, of a block or of one call."""
    expected = _Raises(kinds, match)
    if not call:
        return expected
    with expected as found:
        call[0](*call[1:], **keywords)
    return found


class _Approx:
    def __init__(self, expected: Any, rel: float | None, abs: float | None) -> None:
        self.expected = expected
        self.rel = 1e-6 if rel is None else rel
        self.abs = 1e-12 if abs is None else abs

    def __eq__(self, other: object) -> bool:
        return self.near(other, self.expected)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def near(self, got: Any, wanted: Any) -> bool:
        if isinstance(wanted, dict):
            return (
                isinstance(got, dict)
                and got.keys() == wanted.keys()
                and all(self.near(got[k], wanted[k]) for k in wanted)
            )
        if isinstance(wanted, (list, tuple)):
            return type(got) is type(wanted) and len(got) == len(wanted) and all(map(self.near, got, wanted))
        if isinstance(wanted, (int, float)) and isinstance(got, (int, float)) and not isinstance(wanted, bool):
            return got == wanted or abs(got - wanted) <= max(self.rel * abs(wanted), self.abs)
        return bool(got == wanted)

    def __repr__(self) -> str:
        return f"approx({self.expected!r})"


def approx(expected: Any, rel: float | None = None, abs: float | None = None, **_: Any) -> Any:
    """Compare numbers, and lists and objects of numbers, within a tolerance."""
    return _Approx(expected, rel, abs)


def fail(reason: str = "", *_: Any, **__: Any) -> None:
    """Fail the test."""
    raise AssertionError(reason or "the test failed itself")


def skip(reason: str = "", *_: Any, **__: Any) -> None:
    """Give up the test."""
    raise Skipped(reason)


class _Mark:
    def parametrize(self, names: Any, values: Any, **_: Any) -> Any:
        listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)

        def mark(function: Any) -> Any:
            single = len(listed) == 1
            given = [(value,) if single and not isinstance(value, _Param) else tuple(value) for value in values]
            rows = [dict(zip(listed, row, strict=True)) for row in given]
            before = getattr(function, "_rows", [{}])
            function._rows = [{**old, **new} for old in before for new in rows]
            return function

        return mark

    def __getattr__(self, name: str) -> Any:
        def mark(*arguments: Any, **_: Any) -> Any:
            if len(arguments) == 1 and callable(arguments[0]):
                return arguments[0]
            return lambda function: function

        return mark


class _Param(tuple):  # type: ignore[type-arg]
    pass


def param(*values: Any, **_: Any) -> Any:
    """Give one row of a parametrized test."""
    return _Param(values)


EAGER: list[bool] = []
PYTEST = SimpleNamespace(raises=raises, approx=approx, fail=fail, skip=skip, mark=_Mark(), param=param)
