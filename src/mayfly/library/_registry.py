"""`Registry`: the capabilities that can be called, by name and version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mayfly.core import Capability, ConflictError, InputError
from mayfly.store import Payload


@dataclass(frozen=True, kw_only=True)
class Committed:
    """What a transactional capability returns: its value, and the events that are recorded with it or not at all."""

    value: object
    events: tuple[Payload, ...] = ()


class Registry:
    """Hold several versions of each name; the newest is served, and who holds an older one goes on with it."""

    def __init__(self, capabilities: Iterable[Capability] = ()) -> None:
        self._known: dict[str, dict[int, Capability]] = {}
        for capability in capabilities:
            self.add(capability)

    def add(self, capability: Capability) -> None:
        """Take one in; a version of a name is given once."""
        versions = self._known.setdefault(capability.name, {})
        if capability.version in versions:
            raise ConflictError(
                f"there is already a capability {capability.name} of version {capability.version}",
                fix="give it another name or a higher version",
            )
        versions[capability.version] = capability

    def get(self, name: str, version: int = 0) -> Capability:
        """Return the capability called *name*, the newest where no *version* is said."""
        versions = self._known.get(name)
        if not versions:
            raise InputError(
                f"there is no capability {name!r}",
                fix="a run with capabilities of a program is resumed by that program",
            )
        if version and version not in versions:
            known = ", ".join(map(str, sorted(versions)))
            raise InputError(f"there is no version {version} of {name}: known is {known}", fix="plan it again")
        return versions[version or max(versions)]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[Capability]:
        return (versions[max(versions)] for versions in self._known.values())

    def pairs(self) -> list[tuple[str, str]]:
        """Return names and summaries, as `classify` takes them."""
        return [(capability.name, capability.summary) for capability in self]
