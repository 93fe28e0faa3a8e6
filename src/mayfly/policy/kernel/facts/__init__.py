"""Facts computed of an action or of a set of changes: where paths lead, which hosts are named, what is spent."""

from mayfly._lazy import public_names
from mayfly.policy.kernel.facts._changes import ChangeFacts as ChangeFacts
from mayfly.policy.kernel.facts._changes import FileChange as FileChange
from mayfly.policy.kernel.facts._changes import SetFacts as SetFacts
from mayfly.policy.kernel.facts._changes import changes_of as changes_of
from mayfly.policy.kernel.facts._facts import action_name as action_name
from mayfly.policy.kernel.facts._facts import facts_of_action as facts_of_action
from mayfly.policy.kernel.facts._paths import Located as Located
from mayfly.policy.kernel.facts._paths import locate as locate
from mayfly.policy.kernel.facts._symbols import COLUMNS as COLUMNS
from mayfly.policy.kernel.facts._symbols import Fact as Fact
from mayfly.policy.kernel.facts._symbols import symbol as symbol

__all__ = public_names(__name__)
