"""JSON-RPC of a node, over HTTP: one question, one answer, bounded; whatever is wrong with it is a `NodeError`."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from mayfly.core import InputError, MayflyError, NotSent, one_line, parse_json
from mayfly.world import KeptConnections, address_of, exchange

# A receipt with a few hundred logs is the largest answer that is asked for.
_LARGEST: Final = 4 * 1024 * 1024
_QUANTITY: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")


class NodeError(MayflyError):
    """The node could not be asked, or what it said is no answer; nothing follows from that."""

    code = "NODE"


class Node:
    """A node of a chain, asked over HTTP."""

    def __init__(self, rpc_url: str, *, timeout: float) -> None:
        if not rpc_url:
            raise InputError("no node of a chain is named", fix="set MAYFLY_MARKET_RPC_URL")
        self.address = address_of(rpc_url)
        # A purchase asks a dozen questions, and a handshake for each would take longer than the answers.
        self._connections = KeptConnections(self.address, seconds=timeout, largest=_LARGEST)
        self._timeout = timeout

    def ask(self, method: str, *params: Any) -> Any:
        """Return the result of one method."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        try:
            if method.startswith("eth_send"):
                # Not over a kept one: where that breaks the question is asked twice.
                answer = exchange(self.address, "POST", headers, body, seconds=self._timeout, largest=_LARGEST)
            else:
                answer = self._connections.exchange("POST", headers, body)
        except (OSError, NotSent, InputError) as error:
            raise NodeError(f"the node does not answer: {one_line(str(error), limit=200)}") from None
        if answer.status != 200 or not answer.whole:
            raise NodeError(f"the node answers {method} with HTTP {answer.status}")
        try:
            said = parse_json(answer.body, "the node's answer")
        except InputError as error:
            raise NodeError(error.message) from None
        if not isinstance(said, dict) or said.get("error") is not None or "result" not in said:
            fault = said.get("error") if isinstance(said, dict) else None
            told = fault.get("message") if isinstance(fault, dict) else fault
            raise NodeError(f"the node refuses {method}: {one_line(str(told), limit=200)}")
        return said["result"]

    def number(self, method: str, *params: Any) -> int:
        """Return a result that is a number."""
        return quantity(self.ask(method, *params), method)

    def call(self, to: str, data: str, block: int | None = None) -> int:
        """Ask a contract for one word, as it stood after a block."""
        asked = {"to": to, "data": data}
        word = self.ask("eth_call", asked, "latest" if block is None else hex(block))
        # An address without a contract answers with nothing, and nothing is not zero.
        if not isinstance(word, str) or not re.fullmatch(r"0x[0-9a-fA-F]{64}", word):
            raise NodeError(f"{to} does not answer as a token does")
        return int(word, 16)


def quantity(value: object, what: str) -> int:
    """Read a number as JSON-RPC writes it."""
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value):
        raise NodeError(f"the node's answer to {what} is no number")
    return int(value, 16)
