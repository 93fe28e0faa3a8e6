"""Facts computed of a pending action: where its paths lead, which hosts it names, what it would run and spend."""

from mayfly.policy.kernel.facts._facts import action_name, facts_of_action
from mayfly.policy.kernel.facts._paths import Located, locate
from mayfly.policy.kernel.facts._shell import Fact
from mayfly.policy.kernel.facts._symbols import COLUMNS, symbol

__all__ = ["COLUMNS", "Fact", "Located", "action_name", "facts_of_action", "locate", "symbol"]
