"""`Registry`: the capabilities that can be called, by name and version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from mayfly.core import Capability, ConflictError, InputError
from mayfly.store import Payload


@dataclass(frozen=True, kw_only=True)
class Committed:
    """What a transactional capability returns: its value, and the events that are recorded with it or not at all."""

    value: object
    events: tuple[Payload, ...] = ()


# What else there is under a name, in a version or (0) in the one that serves: asked each time, so that it is never old.
LookUp = Callable[[str, int], Capability | None]
# What of it a request may mean, by its words.
Search = Callable[[str], Iterable[Capability]]


class Registry:
    """Hold several versions of each name; the newest is served, and who holds an older one goes on with it.

    What is not held is looked up in the *library*, of which nothing is listed: there may be any number of tools in it.
    """

    def __init__(
        self,
        capabilities: Iterable[Capability] = (),
        *,
        library: LookUp | None = None,
        search: Search | None = None,
    ) -> None:
        self._library = library
        self._search = search
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
        if (versions is None or (version and version not in versions)) and (found := self._look_up(name, version)):
            return found
        if not versions:
            raise InputError(
                f"there is no capability {name!r}",
                fix="a run with capabilities of a program is resumed by that program",
            )
        if version and version not in versions:
            known = ", ".join(map(str, sorted(versions)))
            raise InputError(f"there is no version {version} of {name}: known is {known}", fix="plan it again")
        return versions[version or max(versions)]

    def held(self, name: str, version: int = 0) -> Capability | None:
        """Return what is held under a name, without looking anywhere else, which may take a while."""
        versions = self._known.get(name, {})
        return versions.get(version or max(versions, default=0))

    def _look_up(self, name: str, version: int) -> Capability | None:
        return None if self._library is None else self._library(name, version)

    def __contains__(self, name: object) -> bool:
        return name in self._known or (isinstance(name, str) and self._look_up(name, 0) is not None)

    def __iter__(self) -> Iterator[Capability]:
        return (versions[max(versions)] for versions in self._known.values())

    def listed_for(self, intent: str) -> list[Capability]:
        """Return all that are held, and of the library those that one step of a plan may mean."""
        found = self._search(intent) if self._search is not None else ()
        return [*self, *(one for one in found if one.name not in self._known)]

    def pairs(self) -> list[tuple[str, str]]:
        """Return names and summaries, as `classify` takes them."""
        return [(capability.name, capability.summary) for capability in self]
