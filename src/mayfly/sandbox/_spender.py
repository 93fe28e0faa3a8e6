"""In whose name a job with the grant `buy` buys: said by the host, never by the job."""

from __future__ import annotations

import os
from typing import NamedTuple

# Characters of a whole id that a wallet takes.
_LONGEST_CALL = 200


class Spender(NamedTuple):
    """In whose name a job buys. Nothing in the job can choose or change it."""

    agent: str = ""
    run: str = ""
    tool: str = ""
    strategy: str = ""

    def named(self) -> Spender:
        """Return it with a run: a job that belongs to none has one of its own, so that no other shares its calls."""
        return self if self.run else self._replace(run=f"job-{os.urandom(8).hex()}")

    def call(self, call_id: str) -> str:
        """Return the id under which a call of this spender is known: no other run or tool has the same."""
        import hashlib
        from urllib.parse import quote

        whole = "/".join(quote(part, safe="") for part in (self.run, self.tool, call_id))
        if len(whole) <= _LONGEST_CALL:
            return whole
        # One slash and not two: no id that is written out looks like it.
        return f"{hashlib.sha256(repr((self.run, self.tool)).encode()).hexdigest()}/{call_id}"
