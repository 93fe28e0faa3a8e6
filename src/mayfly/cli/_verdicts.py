"""Verdicts as people and as programs read them."""

import sys

from mayfly.cli._output import answer, foreign
from mayfly.core import Verdict, one_line


def show_verdict(verdict: Verdict, file: str = "") -> None:
    """Print a verdict on one line, and below it how to do better."""
    if verdict.code == "SYNTAX":
        answer(one_line(verdict.message))
    else:
        where = (
            f"{file}:{verdict.line}: " if file and verdict.line else f"line {verdict.line}: " if verdict.line else ""
        )
        answer(f"{verdict.decision:<7} {verdict.gate:<9} {where}{one_line(verdict.message)} [{verdict.code}]")
    if verdict.fix and verdict.decision != "accept":
        answer("\n".join(f"        {line}" for line in foreign(verdict.fix, sys.stdout).splitlines()))


def exit_status(decision: str) -> int:
    """Return 0 for what was accepted and 1 for what was not."""
    return 0 if decision == "accept" else 1
