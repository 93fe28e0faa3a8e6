"""A tool of the library as trees and sessions call it."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.core import Capability, InputError


@dataclass(frozen=True, kw_only=True)
class ToolCapability(Capability):
    """One version of a tool: every process of the store can call it, by its address."""

    @property
    def address(self) -> str:
        """How another process finds it, as "name@version"."""
        return f"{self.name}@{self.version}"

    @staticmethod
    def at(address: str) -> tuple[str, int]:
        """Return the name and the version that an address says."""
        name, _, version = address.partition("@")
        if not name or not version.isdecimal():
            raise InputError(f"{address[:80]} is no version of a tool")
        return name, int(version)
