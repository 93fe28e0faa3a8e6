"""A process that promotes or demotes and is killed in the midst of it, before or after the step it is told.

python promotion_child.py STATE OPERATION HASH STEP
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from mayfly.core import PromotionSettings
from mayfly.runtime import Runtime
from mayfly.sandbox.repository import Git
from mayfly.store import Ledger

sys.path.insert(0, str(Path(__file__).parent))
from tool_child import Counter  # type: ignore[import-not-found]
from tools_bench import quick_settings  # type: ignore[import-not-found]


def main(state: str, operation: str, hash: str, last: str) -> None:
    settings = replace(quick_settings(Path(state)), promotion=PromotionSettings(runs=3, quorum=2, failures=2))
    counter = Counter(int(last))
    with Runtime(settings) as runtime:
        promotion = runtime.promotion
        promotion.standings()
        # Only what changes something that others see is a step, and what comes after one is what comes before the next.
        real = Git.__call__

        def counted(self: Git, *arguments: str, **options: object) -> bytes:
            if arguments[0] in ("init", "update-index", "commit-tree", "update-ref"):
                counter.step()
            return real(self, *arguments, **options)  # type: ignore[arg-type]

        Git.__call__ = counted  # type: ignore[method-assign]
        counter.around(Ledger, "append_many")
        counter.around(os, "rename")
        if operation == "promote":
            promotion.vote(hash, "for", identity="bob")
        else:
            promotion.demote(hash, reason="killed", by="test")
    print(counter.steps)


if __name__ == "__main__":
    main(*sys.argv[1:])
