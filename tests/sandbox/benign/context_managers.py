"""contextmanager, ExitStack, suppress and a class of our own."""

from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress

ARGUMENT = ["a", "b"]


@contextmanager
def logged(log, name):
    log.append(f"enter {name}")
    try:
        yield name.upper()
    finally:
        log.append(f"leave {name}")


class Guard:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.seen = kind.__name__ if kind else None
        return kind is ValueError


class Thing:
    closed = False

    def close(self):
        self.closed = True


def main(argument):
    log = []
    with ExitStack() as stack:
        names = [stack.enter_context(logged(log, name)) for name in argument]
    with Guard() as guard:
        raise ValueError("swallowed")
    with suppress(KeyError):
        {}["missing"]
    thing = Thing()
    with closing(thing), nullcontext(5) as five:
        log.append(five)
    return {"names": names, "log": log, "guard": guard.seen, "closed": thing.closed}
