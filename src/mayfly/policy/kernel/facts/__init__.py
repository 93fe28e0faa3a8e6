"""Facts computed of an action or of a set of changes: where paths lead, which hosts are named, what is spent."""

from mayfly.policy.kernel.facts._changes import ChangeFacts, FileChange, SetFacts, changes_of
from mayfly.policy.kernel.facts._facts import action_name, facts_of_action
from mayfly.policy.kernel.facts._paths import Located, locate
from mayfly.policy.kernel.facts._symbols import COLUMNS, Fact, symbol

__all__ = [
    "COLUMNS",
    "ChangeFacts",
    "Fact",
    "FileChange",
    "Located",
    "SetFacts",
    "action_name",
    "changes_of",
    "facts_of_action",
    "locate",
    "symbol",
]
