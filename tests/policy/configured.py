"""What the shipped personas have, for tests of the kernel and of the rules that let one act."""

from functools import cache

from mayfly.persona import Personas, Stock, granted_by, shipped_configs
from mayfly.policy import Fact, Rulebook

_NAMES = {entry.name for entry in shipped_configs() if entry.layer == "persona"}


@cache
def personas() -> Personas:
    """Return the shipped personas under the shipped rules."""
    return Personas.load(None, Rulebook().snapshot)


def tools_of(persona: str | None) -> tuple[Fact, ...]:
    """Return the facts that a kernel is given for a persona; none for one that nobody knows."""
    return personas().facts(persona) if persona in _NAMES and persona else ()


def policies_of(persona: str | None) -> tuple[str, ...]:
    """Return the policies that a kernel is given for a persona."""
    return personas().policies(persona) if persona in _NAMES and persona else ()


@cache
def granted(persona: str) -> tuple[Fact, ...]:
    """Return tools and policies as facts, for rules that are asked without a kernel."""
    return tuple(granted_by(Stock(), persona))
