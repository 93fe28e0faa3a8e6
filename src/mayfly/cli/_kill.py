"""`mayfly kill`: one switch that stops every model call, effect and run, everywhere the ledger is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mayfly.cli._output import AsJson, answer, answer_json, command, group, note
from mayfly.cli._who import By, Reason, who
from mayfly.core import Settings, one_line

if TYPE_CHECKING:
    from mayfly.store import Switch

app = group("Stop everything: no model call, no effect and no run while the switch is on.")


@app.command("on")
def turn_on(*, reason: Reason = "", by: By = None, as_json: AsJson = False) -> None:
    """Turn the switch on; whatever is running stops at its next step."""
    _turn(True, by=who(by), reason=reason, as_json=as_json)
    note(f"to go on: {command()} kill off")


@app.command("off")
def turn_off(*, reason: Reason = "", by: By = None, as_json: AsJson = False) -> None:
    """Turn the switch off; runs that it stopped can be resumed."""
    _turn(False, by=who(by), reason=reason, as_json=as_json)


@app.command("status")
def status(*, as_json: AsJson = False) -> None:
    """Say whether the switch is on, and who turned it."""
    from mayfly.store import KillSwitch, Ledger

    ledger = Ledger.find(Settings.load())
    if ledger is None:
        _show(None, as_json=as_json)
        return
    with ledger:
        _show(KillSwitch(ledger, cache=0).state(), as_json=as_json)


def _turn(on: bool, *, by: str, reason: str, as_json: bool) -> None:
    from mayfly.store import KillSwitch, Ledger

    with Ledger.open(Settings.load()) as ledger:
        switch = KillSwitch(ledger, cache=0)
        (switch.turn_on if on else switch.turn_off)(by=by, reason=reason)
        _show(switch.state(), as_json=as_json)


def _show(switch: Switch | None, *, as_json: bool) -> None:
    """Print the switch; one that nobody has ever turned is off."""
    on = switch is not None and switch.on
    at = switch.at if switch is not None else None
    if as_json:
        by, reason = (switch.by, switch.reason) if switch is not None else (None, "")
        answer_json({"on": on, "by": by or None, "reason": reason, "at": at.isoformat() if at else None})
        return
    answer("on" if on else "off")
    if switch is not None and (at is not None or switch.reason):
        by = f" by {one_line(switch.by, limit=100)}" if switch.by else ""
        when = f" at {at.isoformat(sep=' ', timespec='seconds').removesuffix('+00:00')}" if at else ""
        why = f": {one_line(switch.reason, limit=300)}" if switch.reason else ""
        note(f"{'on' if on else 'off'}{by}{when}{why}")
