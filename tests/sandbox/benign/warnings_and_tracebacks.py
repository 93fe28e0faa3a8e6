"""warnings caught, tracebacks formatted."""

import traceback
import warnings

ARGUMENT = 3


def old():
    warnings.warn("use new()", DeprecationWarning, stacklevel=2)
    return 1


def fail(depth):
    if depth == 0:
        raise KeyError("bottom")
    fail(depth - 1)


def main(argument):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        old()
    try:
        fail(argument)
    except KeyError as error:
        names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        last = traceback.format_exception_only(error)
        lines = traceback.format_exc().splitlines()[-1]
    return {"caught": [(str(w.message), w.category.__name__) for w in caught], "names": names, "last": last, "line": lines}
