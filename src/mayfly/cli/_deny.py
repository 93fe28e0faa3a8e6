"""`mayfly deny`: a person says no to what waits in the inbox."""

from mayfly.cli._approve import WaitingId, open_inbox
from mayfly.cli._output import AsJson, answer, answer_json, note
from mayfly.cli._who import By, Reason, who
from mayfly.core import one_line


def deny(id: WaitingId, *, reason: Reason = "", by: By = None, as_json: AsJson = False) -> None:
    """Say no to what waits under ID; held changes are dropped for good, and the agent is told why."""
    with open_inbox(id) as approvals:
        waiting = approvals.get(id)
        approvals.deny(id, by=who(by), reason=reason)
    if as_json:
        answer_json({"id": waiting.id, "approved": False})
    else:
        answer(f"denied: {one_line(waiting.asked.summary, limit=200)}")
        note("it is dropped, and the agent is told")
