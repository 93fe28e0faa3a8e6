"""Prompt atoms for tests: two that every prompt needs, and a way to make others."""

from dataclasses import replace

from mayfly.persona import AtomSet, PromptAtom

IDENTITY = PromptAtom(id="who", category="identity", content="You are somebody.", priority=90)
PROTOCOL = PromptAtom(id="how", category="protocol", content="Use your tools.", priority=90)


def atom(id: str, category: str = "domain", content: str = "", **fields: object) -> PromptAtom:
    """Return an atom of some category with a text of its own."""
    made = PromptAtom(id=id, category=category, content=content or f"This is {id}.", place=f"{id}.yaml:1")
    return replace(made, **fields)  # type: ignore[arg-type]


def atoms(*more: PromptAtom, check: bool = True) -> AtomSet:
    """Return some atoms with those that every prompt needs."""
    return AtomSet([IDENTITY, PROTOCOL, *more], check=check)
