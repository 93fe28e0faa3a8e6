"""Both sides of `mayfly market demo`: an agent that buys within its budget, and a shop that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from mayfly.core import MachineError, one_line

if TYPE_CHECKING:
    from pathlib import Path

    from mayfly.core import Settings
    from mayfly.testing.chain import LocalChain

HERE: Final = Path(__file__).with_name("demo")
TOOL: Final = "buy_roman"
# Writing a tool needs one example at least, and what its test buys is bought.
EXAMPLE: Final = "XIV", 14
_INTENT: Final = "buy the value of a roman numeral from a shop"


class MarketCall(NamedTuple):
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
        self._tried: list[MarketCall] = []
        self.session = Session(
            settings, workspace=workspace, model=write_script(place / "model.jsonl", *lines), observe=self._observe
        )

    def write_tool(self) -> MarketCall:
        """Have the agent write its tool."""
        made = self._turn("create a tool that buys the value of a roman numeral")
        return MarketCall(True, "accepted by the gates") if made.ok else made

    def buy(self, numeral: str) -> MarketCall:
        """Have the agent buy the value of the next numeral of its script."""
        return self._turn(f"use the tool {TOOL} on {numeral}")

    def _turn(self, text: str) -> MarketCall:
        self._tried.clear()
        ended = self.session.turn(text)
        return self._tried[-1] if self._tried else MarketCall(False, f"the agent did nothing: {one_line(str(ended))}")

    def _observe(self, happened: object) -> None:
        from mayfly.session import ToolReturned

        one = happened[0] if isinstance(happened, tuple) else happened
        if isinstance(one, ToolReturned):
            self._tried.append(MarketCall(one.status == "ok", one_line(one.text, limit=300)))


def _call(tool: str, arguments: Mapping[str, object]) -> dict[str, object]:
    return {"for": "chat", "answer": {"text": "", "calls": [{"name": tool, "arguments": arguments}]}}


# How a signed transaction gets to a node, whatever library sends it.
_SEND = "eth_sendRawTransaction"
# The command, in a process that the kernel ends with this one: a shop that nobody ends would sell for ever.
_CODE = "import ctypes, signal; ctypes.CDLL(None).prctl(1, int(signal.SIGKILL)); from mayfly.cli import main; main()"
# Seconds a shop has to end in when it is asked to; one that does not is killed.
_ENDING = 10.0

Instant = Literal["before", "after"]


class TrapNode:
    """What the shop takes for its node: the chain, with a trap around the next transaction that is sent to it.

    *before*: the transaction is not in the chain, and whoever sent it is gone. *after*: it is, and nobody was told.
    """

    def __init__(self, chain: LocalChain) -> None:
        self._chain = chain
        self._lock = threading.Lock()
        self._trap: tuple[Instant, Callable[[], None]] | None = None

    def set_trap(self, instant: Instant, kill: Callable[[], None]) -> None:
        """Kill once, around the next transaction."""
        with self._lock:
            self._trap = instant, kill

    @property
    def is_sprung(self) -> bool:
        """Whether no trap is waiting."""
        return self._trap is None

    def ask(self, method: str, params: list[Any]) -> dict[str, Any]:
        """Answer one question of JSON-RPC."""
        trap = None
        if method == _SEND:
            with self._lock:
                trap, self._trap = self._trap, None
        if trap is not None and trap[0] == "before":
            trap[1]()
            raise ConnectionError("whoever asked is gone")
        answer = self._chain.ask(method, params)
        if trap is not None:
            trap[1]()
        return answer


class ToyShop:
    """A seller process, `mayfly market sell`, that can be killed and started again at the same address."""

    def __init__(self, settings: Settings, tool: str, price: str, *, log: Path) -> None:
        self._settings, self._log = settings, log
        self._words = ["market", "sell", tool, "--price", price, "--json"]
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self.url = ""

    def start(self) -> int:
        """Start it, wait until it sells, and return its process id."""
        # What the person has set in the environment is not meant for this shop.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAYFLY_")}
        told = {one.variable: str(one.value) for one in self._settings.show() if one.value != one.default}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CODE, *self._words, "--port", str(self._port)],
                env={**environment, **told, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                cwd=self._settings.state,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        if not said:
            self.end()
            last = self._log.read_text(errors="replace").strip().rpartition("\n")[2]
            raise MachineError(f"the shop did not start: {one_line(last, limit=300) or 'it said nothing'}")
        # The first start takes a free port; the address has to be the same after a crash.
        self.url = str(json.loads(said)["url"])
        self._port = int(self.url.rpartition("/tools/")[0].rpartition(":")[2])
        return self._process.pid

    def kill(self) -> None:
        """Kill it at once, as a machine that loses power does."""
        assert self._process is not None, "a shop is started before it is killed"
        self._process.kill()
        self.end()

    def end(self) -> None:
        """End it in order; one that is dead already is only let go of."""
        process = self._process
        if process is None:
            return
        # It does nothing to a process that has ended and was waited for.
        process.terminate()
        try:
            process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
