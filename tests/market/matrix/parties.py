"""Who else takes part, with all their faults: nodes, a facilitator, a gate before our shop, a shop of a stranger."""

from __future__ import annotations

import base64
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from market.matrix.doors import Asked, Door, Told
from mayfly.testing.chain import Authorization, LocalChain, RpcServer

# Longer than any patience that a case gives to our side.
SLOW = 2.5
PRICE = 10_000
# A transaction that never was.
NOWHERE = "0x" + "ab" * 32


def encoded(what: object) -> str:
    """Return the form that headers of x402 have."""
    return base64.b64encode(json.dumps(what).encode()).decode()


def decoded(text: str) -> Any:
    """Read a header of x402."""
    return json.loads(base64.b64decode(text))


class Modes:
    """What is to go wrong: for each word a list of modes that are used up, the last one not where it ends in `!`."""

    def __init__(self) -> None:
        self._lists: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def set(self, word: str, modes: str) -> None:
        """Say what the next ones do."""
        with self._lock:
            self._lists[word] = [one for one in modes.split(",") if one]

    def clear(self) -> None:
        """Let everything be well."""
        with self._lock:
            self._lists.clear()

    def take(self, word: str) -> str:
        """Return what this one does."""
        with self._lock:
            left = self._lists.get(word) or ["ok"]
            mode = left[0] if left[0].endswith("!") or left == ["ok"] else left.pop(0)
        return mode.rstrip("!")


class Node:
    """A node of the chain, as one side sees it."""

    def __init__(self, chain: LocalChain, kill: Callable[[], object]) -> None:
        self._chain, self._kill = chain, kill
        self.modes = Modes()
        self.frozen = 0
        self.server = RpcServer(self._ask)
        self.server.__enter__()

    def set(self, mode: str) -> None:
        """Say how it is from now on: ok, down, slow, lag, nologs, otherchain, or FAULT@METHOD."""
        self.frozen = self._height() if mode == "lag" else 0
        self.modes.set("ask", mode + "!")

    def _height(self) -> int:
        return int(self._chain.ask("eth_blockNumber", [])["result"])

    def _ask(self, method: str, params: list[Any]) -> dict[str, Any]:
        mode, _, only = self.modes.take("ask").partition("@")
        if only and only != method:
            mode = "ok"
        if mode == "slow":
            time.sleep(SLOW)
        if mode == "down":
            raise RuntimeError("the node is not well")
        if mode == "kill":
            self._kill()
        if mode == "otherchain" and method in ("eth_chainId", "net_version"):
            return {"result": 5}
        if mode == "nologs" and method == "eth_getLogs":
            return {"result": []}
        if mode == "lag":
            return self._late(method, params)
        found = self._chain.ask(method, params)
        if mode == "killafter":
            self._kill()
        if mode == "lost":
            raise RuntimeError("the answer was lost")
        return found

    def _late(self, method: str, params: list[Any]) -> dict[str, Any]:
        """Answer as a node that has not seen the newest blocks."""
        if method == "eth_blockNumber":
            return {"result": self.frozen}
        known = [self._old(one) for one in params]
        if method == "eth_getLogs":
            asked = dict(params[0])
            last = asked.get("toBlock", "latest")
            asked["toBlock"] = self.frozen if not isinstance(last, int) else min(last, self.frozen)
            if isinstance(asked.get("fromBlock"), int) and asked["fromBlock"] > self.frozen:
                return {"result": []}
            known = [asked]
        if method in ("eth_getTransactionReceipt", "eth_getTransactionByHash"):
            found = self._chain.ask(method, params)
            block = (found.get("result") or {}).get("blockNumber")
            return {"result": None} if isinstance(block, int) and block > self.frozen else found
        if any(isinstance(one, int) and one > self.frozen for one in known):
            return {"error": {"code": -32000, "message": "unknown block"}}
        return self._chain.ask(method, known)

    def _old(self, value: Any) -> Any:
        return self.frozen if value in ("latest", "pending", "safe", "finalized") else value


def authorization_in(payload: Mapping[str, Any]) -> tuple[Authorization, bytes]:
    """Return what was signed, and the signature, of a payment of either version."""
    from eth_utils.address import to_checksum_address

    inner = payload["payload"]
    it = inner["authorization"]
    made = Authorization(
        to_checksum_address(it["from"]),
        to_checksum_address(it["to"]),
        int(it["value"]),
        int(it["validAfter"]),
        int(it["validBefore"]),
        bytes.fromhex(it["nonce"][2:]),
    )
    return made, bytes.fromhex(inner["signature"][2:])


class Till:
    """Who sends authorizations to the chain: knows nothing of what it did before."""

    def __init__(self, chain: LocalChain) -> None:
        self._chain = chain

    def _function(self) -> Any:
        from mayfly.testing.chain._chain import _TRANSFER

        return self._chain.token.get_function_by_signature(_TRANSFER)

    def objection(self, payload: Mapping[str, Any]) -> str:
        """Return why the chain would refuse it now."""
        try:
            it, signature = authorization_in(payload)
            parts = signature[64], signature[:32], signature[32:64]
            with self._chain.lock:
                self._function()(*it, *parts).call({"from": self._chain.evm.get_accounts()[2], "gas": 1_000_000})
        except Exception as error:
            return str(error) or type(error).__name__
        return ""

    def take(self, payload: Mapping[str, Any]) -> str:
        """Send it and return its transaction; an error says why it is refused."""
        if said := self.objection(payload):
            raise RuntimeError(said)
        it, signature = authorization_in(payload)
        parts = signature[64], signature[:32], signature[32:64]
        with self._chain.lock:
            sender = {"from": self._chain.evm.get_accounts()[2], "gas": 1_000_000}
            return "0x" + bytes(self._function()(*it, *parts).transact(sender)).hex()


class Settler:
    """A facilitator over HTTP."""

    def __init__(self, chain: LocalChain, act: Callable[[str], object]) -> None:
        self._chain, self._act = chain, act
        self.till = Till(chain)
        self.modes = Modes()
        self.late: list[Mapping[str, Any]] = []
        self.other = NOWHERE
        self.door = Door(self._answer)

    def reset(self) -> None:
        """Begin anew."""
        self.modes.clear()
        self.late.clear()

    def _answer(self, asked: Asked) -> Told | None:
        word = asked.path.rsplit("/", 1)[-1]
        if word == "supported":
            kinds = [{"x402Version": n, "scheme": "exact", "network": self._chain.network} for n in (1, 2)]
            return self._told({"kinds": kinds, "extensions": [], "signers": {}})
        mode = self.modes.take(word)
        if mode == "down":
            return None
        if mode == "503":
            return Told(503, {}, b"later")
        if mode == "garbage":
            return Told(200, {"content-type": "application/json"}, b"{not json")
        if mode == "redirect":
            return Told(307, {"location": "http://127.0.0.1:9/settle"}, b"")
        if mode == "kill":
            self._act("kill seller")
            return None
        if mode == "slow":
            time.sleep(SLOW)
        body = json.loads(asked.body)
        return self._verify(mode, body) if word == "verify" else self._settle(mode, body["paymentPayload"])

    def _verify(self, mode: str, body: Mapping[str, Any]) -> Told:
        payload, asked = body["paymentPayload"], body["paymentRequirements"]
        it, _ = authorization_in(payload)
        said = "" if mode == "trust" else self.till.objection(payload)
        if mode == "invalid":
            said = "invalid_exact_evm_payload_signature"
        if mode != "trust" and not said:
            wanted = asked.get("amount") or asked.get("maxAmountRequired")
            if str(it.units) != str(wanted) or it.payee.lower() != str(asked["payTo"]).lower():
                said = "invalid_exact_evm_payload_authorization_value"
        if said:
            return self._told({"isValid": False, "invalidReason": said, "payer": it.payer})
        return self._told({"isValid": True, "payer": it.payer})

    def _settle(self, mode: str, payload: Mapping[str, Any]) -> Told | None:
        if mode == "late":
            self.late.append(payload)
            return Told(504, {}, b"")
        if mode == "refuse":
            return self._refused("because")
        if mode in ("lie", "lieother"):
            return self._settled(NOWHERE if mode == "lie" else self.other)
        if mode.startswith("before:"):
            self._act(mode.removeprefix("before:").replace("_", " "))
        try:
            transaction = self.till.take(payload)
            if mode == "twice":
                transaction = self.till.take(payload)
        except RuntimeError as error:
            return self._refused(str(error))
        if mode.startswith("after:"):
            self._act(mode.removeprefix("after:").replace("_", " "))
        if mode == "killafter":
            self._act("kill seller")
            return None
        if mode == "dropafter":
            return None
        if mode == "refuseafter":
            return self._refused("because")
        return Told(504, {}, b"") if mode == "504after" else self._settled(transaction)

    def _settled(self, transaction: str) -> Told:
        return self._told({"success": True, "transaction": transaction, "network": self._chain.network, "payer": ""})

    def _refused(self, reason: str) -> Told:
        said = {"success": False, "errorReason": reason, "transaction": "", "network": self._chain.network}
        return self._told(said)

    @staticmethod
    def _told(what: object) -> Told:
        return Told(200, {"content-type": "application/json"}, json.dumps(what).encode())


class Gate:
    """What stands between a buyer and our shop, and sees everything."""

    def __init__(self, chain: LocalChain, act: Callable[[str], object]) -> None:
        self._chain, self._act = chain, act
        self.target = ""
        self.modes = Modes()
        self.tamper: dict[str, Any] = {}
        self.paid: list[Asked] = []
        self.unpaid: list[str] = []
        """Answers that were handed out while the chain did not show their payment."""
        self.elsewhere = 0
        self.door = Door(self._answer)
        self.other = Door(self._astray)

    def reset(self) -> None:
        """Begin anew."""
        self.modes.clear()
        self.target = ""
        self.tamper, self.paid, self.unpaid, self.elsewhere = {}, [], [], 0

    def _astray(self, _: Asked) -> Told:
        self.elsewhere += 1
        return Told(200, {}, b"thank you")

    def forward(self, asked: Asked, *, body: bytes | None = None, payment: bool = True) -> Told | None:
        """Pass a request on, and look whether what comes back was paid."""
        skipped = {"host", "content-length", "connection", "accept-encoding"}
        if not payment:
            skipped |= {"payment-signature", "x-payment"}
        headers = {name: value for name, value in asked.headers.items() if name not in skipped}
        headers["host"] = asked.headers.get("host", "")
        content = asked.body if body is None else body
        try:
            with httpx.Client(timeout=30, trust_env=False) as client:
                got = client.request(asked.method, self.target + asked.path, headers=headers, content=content)
        except httpx.HTTPError:
            return None
        if payment and asked.payment and got.status_code == 200:
            self._look(asked.payment)
        kept = {"content-type", "payment-required", "payment-response", "x-payment-response"}
        return Told(got.status_code, {n: v for n, v in got.headers.items() if n.lower() in kept}, got.content)

    def _look(self, payment: str) -> None:
        it = decoded(payment)["payload"]["authorization"]
        if not self._chain.is_used(authorization_in(decoded(payment))[0].payer, it["nonce"].lower()):
            self.unpaid.append(it["nonce"])

    def _answer(self, asked: Asked) -> Told | None:
        if not self.target:
            return None
        if asked.payment:
            self.paid.append(asked)
        mode = self.modes.take("paid" if asked.payment else "quote")
        if mode == "dropbefore":
            return None
        if mode == "killbefore":
            self._act("kill buyer")
            return None
        if mode == "redirect":
            return Told(307, {"location": f"{self.other.url}{asked.path}"}, b"")
        if mode.startswith("before:"):
            self._act(mode.removeprefix("before:").replace("_", " "))
        if mode == "copies6":
            return self._copies(asked)
        if mode == "thief":
            self.forward(asked, body=b'{"about": "theft"}')
        told = self.forward(asked, payment=mode != "strip")
        if mode.startswith("after:"):
            self._act(mode.removeprefix("after:").replace("_", " "))
        if mode == "killafter":
            self._act("kill buyer")
            return None
        if mode == "slowafter":
            time.sleep(SLOW)
        if mode == "dropafter":
            return None
        if mode == "502after":
            return Told(502, {}, b"bad gateway")
        return self._tampered(told) if mode == "tamper" else told

    def _copies(self, asked: Asked) -> Told | None:
        found: list[Told | None] = []
        threads = [threading.Thread(target=lambda: found.append(self.forward(asked))) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        good = [one for one in found if one is not None and one.status == 200]
        return good[0] if good else found[0]

    def _tampered(self, told: Told | None) -> Told | None:
        """Change the terms on their way, in the header and in the body."""
        if told is None or told.status != 402:
            return told
        header = decoded(told.headers["payment-required"])
        body = json.loads(told.body)
        for name, value in self.tamper.items():
            if name == "url":
                header["resource"]["url"] = value
                body.get("accepts", [{}])[0]["resource"] = value
                continue
            header["accepts"][0][name] = value
            for one in body.get("accepts", []):
                one["maxAmountRequired" if name == "amount" else name] = value
        return Told(402, {**told.headers, "payment-required": encoded(header)}, json.dumps(body).encode())


def kill(pid: int) -> None:
    """End a process at once; one that is gone is no matter."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
