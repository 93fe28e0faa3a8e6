"""Ask checks about outputs: `check(input, output)` has to return exactly True."""

import json
import signal
from typing import Any


class Late(BaseException):
    """The alarm rang."""


def _ring(*_: object) -> None:
    raise Late


def _load(source: str) -> Any:
    space: dict[str, Any] = {"__name__": "check"}
    exec(compile(source, "/check.py", "exec", dont_inherit=True), space)
    return space["check"]


def _verdict(check: Any, pair: str, seconds: float) -> str:
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
            given, output = json.loads(pair)
            answer = check(given, output)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Late:
        return f"the check did not answer within {seconds:g} s"
    except BaseException as error:
        return f"the check raised {type(error).__name__}: {error}"[:300]
    if answer is True:
        return ""
    return f"the check returned {answer!r}, not True"[:300]


def run(request: Any) -> Any:
    """Return for each check and each of its pairs an empty text, or why the output is not accepted."""
    signal.signal(signal.SIGALRM, _ring)
    verdicts = []
    for item in request["checks"]:
        try:
            check = _load(item["source"])
        except BaseException as error:
            reason = f"the check does not load: {type(error).__name__}: {error}"[:300]
            verdicts.append([reason] * len(item["pairs"]))
            continue
        verdicts.append([_verdict(check, pair, request["seconds"]) for pair in item["pairs"]])
    return verdicts
