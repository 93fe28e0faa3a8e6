"""The buyer of `mayfly market demo`: an agent in a session that writes a paying tool and uses it within its budget."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mayfly.core import one_line

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from mayfly.core import Settings

HERE: Final = Path(__file__).with_name("demo")
TOOL: Final = "buy_roman"
# Writing a tool needs one example at least, and what its test buys is bought.
EXAMPLE: Final = "XIV", 14
_INTENT: Final = "buy the value of a roman numeral from a shop"


class Tried(NamedTuple):
    """What became of one call of the agent: whether it has an answer, and the answer or why there is none."""

    ok: bool
    said: str


class ToyBuyer:
    """A session whose model is a script: it writes the tool first, and then calls it for one numeral a turn."""

    def __init__(self, settings: Settings, place: Path, shop: str, numerals: list[str]) -> None:
        from mayfly.runtime import Session
        from mayfly.testing import write_script

        order = {
            "name": TOOL,
            "intent": _INTENT,
            "source": (HERE / f"{TOOL}.py").read_text(encoding="utf-8"),
            "examples": [{"input": {"numeral": EXAMPLE[0], "shop": shop}, "output": EXAMPLE[1]}],
            # Nothing else is opened: no network, no file, no key.
            "grants": ["buy:127.0.0.1"],
        }
        calls = [_call("tool_write", order), *(_call(TOOL, {"numeral": one, "shop": shop}) for one in numerals)]
        lines = [line for call in calls for line in (call, {"for": "chat", "answer": "Done."})]
        workspace = place / "work"
        workspace.mkdir()
        self._tried: list[Tried] = []
        self._session = Session(
            settings, workspace=workspace, model=write_script(place / "model.jsonl", *lines), observe=self._observe
        )
        self.name = self._session.id

    def write_tool(self) -> Tried:
        """Have the agent write its tool."""
        made = self._turn("create a tool that buys the value of a roman numeral")
        return Tried(True, "accepted by the gates") if made.ok else made

    def buy(self, numeral: str) -> Tried:
        """Have the agent buy the value of the next numeral of its script."""
        return self._turn(f"use the tool {TOOL} on {numeral}")

    def _turn(self, text: str) -> Tried:
        self._tried.clear()
        ended = self._session.turn(text)
        return self._tried[-1] if self._tried else Tried(False, f"the agent did nothing: {one_line(str(ended))}")

    def _observe(self, happened: object) -> None:
        from mayfly.session import ToolReturned

        one = happened[0] if isinstance(happened, tuple) else happened
        if isinstance(one, ToolReturned):
            self._tried.append(Tried(one.status == "ok", one_line(one.text, limit=300)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.__exit__(kind, error, trace)


def _call(tool: str, arguments: Mapping[str, object]) -> dict[str, object]:
    return {"for": "chat", "answer": {"text": "", "calls": [{"name": tool, "arguments": arguments}]}}
