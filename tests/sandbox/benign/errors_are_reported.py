"""Catch every common error and report it by its text."""

ARGUMENT = None


def attempts():
    yield lambda: [][1]
    yield lambda: {}["k"]
    yield lambda: 1 / 0
    yield lambda: int("x")
    yield lambda: "a" + 1
    yield lambda: None.x
    yield lambda: undefined_name
    yield lambda: (_ for _ in ()).throw(StopIteration("s"))
    yield lambda: next(iter([]))
    yield lambda: "\ud800".encode()
    yield lambda: b"\xff".decode()
    yield lambda: [1].remove(2)
    yield lambda: float("1e400") // 0
    yield lambda: {}.popitem()
    yield lambda: range(0, 10, 0)
    yield lambda: chr(-1)
    yield lambda: sorted([1, "a"])


def main(argument):
    seen = []
    for attempt in attempts():
        try:
            attempt()
        except Exception as error:
            seen.append(f"{type(error).__name__}: {error}")
    return seen
