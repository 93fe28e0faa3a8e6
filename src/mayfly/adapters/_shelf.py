"""Tools of the library as any framework takes them: a name, a line, a schema, and a call that never raises."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.core import InputError

if TYPE_CHECKING:
    from mayfly.library import ToolListed
    from mayfly.runtime import Runtime


class Answered(NamedTuple):
    """What a call gave: the value, or in *error* why there is none and what to do next."""

    value: object
    error: str

    @property
    def text(self) -> str:
        """What a model reads: the value as JSON, or the error."""
        return self.error or json.dumps(self.value, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class ShelfTool:
    """One tool that serves; a call takes the version that serves then, whoever has written it meanwhile."""

    name: str
    summary: str
    schema: Mapping[str, Any]
    runtime: Runtime = field(repr=False)

    def call(self, arguments: Mapping[str, Any]) -> Answered:
        """Call it behind the wall; whatever happens is told and not raised."""
        outcome = self.runtime.tools.call(self.name, dict(arguments))
        if outcome.ok:
            return Answered(outcome.value, "")
        fix = f"; {outcome.fix}" if outcome.fix else ""
        return Answered(None, f"{outcome.status}: {outcome.error}{fix}")


def shelf_tools(runtime: Runtime, names: Collection[str] = (), *, intent: str = "") -> list[ShelfTool]:
    """Return the tools that serve now: all, those of these *names*, or those that an *intent* may mean."""
    found = runtime.tools.find(intent) if intent else runtime.tools.list(state="serving")
    missing = sorted(set(names) - {one.name for one in found})
    if missing:
        raise InputError(f"no tool {', '.join(missing)} serves", fix="see: mayfly tools list")
    return [_tool(one, runtime) for one in found if not names or one.name in names]


def _tool(found: ToolListed, runtime: Runtime) -> ShelfTool:
    schema = {"type": "object", "properties": {}, **found.input_schema}
    return ShelfTool(name=found.name, summary=found.summary or found.name, schema=schema, runtime=runtime)
