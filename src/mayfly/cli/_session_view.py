"""How a session is shown while it happens: the answer on stdout, what is done for it on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mayfly.cli._output import command, foreign, note
from mayfly.core import one_line

if TYPE_CHECKING:
    from mayfly.session import ToolCalled, ToolReturned, TurnConfigured, TurnEnded
    from mayfly.world import Settled

# Lines of a diff that are shown before the rest is folded away.
_DIFF_LINES = 12
_RESULT = 100
# Tools that leave behind what they make anew each time, which nobody wants to read.
_MADE_ANEW = frozenset({"test_exec", "run_pytest", "run_mypy", "build_check", "coverage_analyzer"})


class SessionView:
    """Be told what happens in a session and print it; nothing but the answer goes to stdout."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, stream: bool = True) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._stream = stream
        self._said = ""
        self.dollars = 0.0
        self.tokens = 0
        self.calls: list[dict[str, Any]] = []
        self.held: list[str] = []

    def __call__(self, happened: object) -> None:
        """Print one thing that happened."""
        from mayfly.session import ModelSaid, TextPiece, ToolCalled, ToolReturned, TurnConfigured, TurnEnded
        from mayfly.world import Settled

        match happened:
            case TextPiece():
                self._piece(happened.text)
            case ModelSaid():
                self.dollars += happened.dollars
                self.tokens += happened.tokens
                self._end_of_text(happened.text, whole=not happened.calls)
            case TurnConfigured():
                self._configured(happened)
            case ToolCalled():
                self._called(happened)
            case ToolReturned():
                self._returned(happened, None)
            case (ToolReturned() as returned, Settled() as settled):
                self._returned(returned, settled)
            case TurnEnded():
                self._ended(happened)

    def _piece(self, text: str) -> None:
        self._said += text
        if self._stream and not self._quiet:
            sys.stdout.write(foreign(text, sys.stdout))
            sys.stdout.flush()

    def _end_of_text(self, text: str, *, whole: bool) -> None:
        if self._stream and not self._quiet:
            if text and not self._said:
                sys.stdout.write(foreign(text, sys.stdout))
            if (text or self._said) and not (text or self._said).endswith("\n"):
                sys.stdout.write("\n")
            sys.stdout.flush()
        self._said = ""

    def _configured(self, configured: TurnConfigured) -> None:
        for line in configured.told:
            self._note(f"note      {one_line(line, limit=300)}")
        if self._verbose:
            self._note(f"acts as   {', '.join(configured.personas)}; tools: {', '.join(configured.tools)}")

    def _called(self, called: ToolCalled) -> None:
        given = called.arguments if isinstance(called.arguments, dict) else {}
        shown = next(
            (str(given[key]) for key in ("command", "path", "pattern", "url", "task", "question") if key in given), ""
        )
        if not shown and given:
            shown = ", ".join(f"{key}={value}" for key, value in given.items())
        self._note(f"  {called.tool:<14} {one_line(shown, limit=_RESULT)}".rstrip())

    def _returned(self, returned: ToolReturned, settled: Settled | None) -> None:
        fields = {"tool": returned.tool, "status": returned.status, "commit": returned.commit, "held": returned.held}
        self.calls.append(fields)
        if returned.held:
            self.held.append(returned.held)
        if returned.status in ("refused", "error", "held", "unknown"):
            self._note(f"    {returned.status}: {one_line(returned.text, limit=300)}")
        elif self._verbose:
            self._note(f"    {one_line(returned.text, limit=300)}")
        if settled is None or not settled.diff:
            return
        if returned.tool in _MADE_ANEW and not self._verbose:
            self._note(f"    {settled.summary}")
        else:
            self._diff(settled)

    def _diff(self, settled: Settled) -> None:
        lines = settled.diff.splitlines()
        most = len(lines) if self._verbose else _DIFF_LINES
        for line in lines[:most]:
            self._note(f"    {line}")
        if len(lines) > most:
            self._note(
                f"    … {len(lines) - most} more lines ({settled.summary}); whole: {command()} undo --show {settled.id}"
            )

    def _ended(self, ended: TurnEnded) -> None:
        if ended.status != "done":
            self._note(f"{ended.status:<10}{one_line(ended.reason, limit=300)}")
        for id in self.held:
            self._note(f"waits     {id}: {command()} inbox; {command()} approve {id}")
        money = f", ${self.dollars:.4f}" if self.dollars else ""
        if self.tokens:
            self._note(f"cost      {self.tokens:,} tokens{money}")

    def _note(self, text: str) -> None:
        if not self._quiet:
            note(foreign(text, sys.stderr))
