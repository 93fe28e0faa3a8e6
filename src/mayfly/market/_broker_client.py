"""`BrokerClient`: buy through the broker process, from wherever; it holds no key and asks for none."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from mayfly.core import ConflictError, InputError, MachineError, MayflyError, StoreError
from mayfly.market._broker_wire import connect

if TYPE_CHECKING:
    from mayfly.core import Settings

# Errors that keep their meaning on the way; all others are told as what they are, in words.
_ERRORS: Final = {one.code: one for one in (InputError, ConflictError, MachineError, StoreError)}
# What a purchase may take beside its requests: the store, the rules, the node.
_SPARE: Final = 60.0


class BrokerClient:
    """Talk to the broker of a state directory; each call has a connection of its own."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def buy(
        self,
        call_id: str,
        url: str,
        max_price: str,
        *,
        method: str = "POST",
        body: bytes = b"",
        headers: Iterable[tuple[str, str]] = (),
        agent: str = "",
        run: str = "",
        tool: str = "",
        strategy: str | None = None,
    ) -> dict[str, Any]:
        """Buy, or go on with the purchase of that call; return how it ended, as `Purchase.to_json` has it.

        Where no *strategy* is said it is counted for the one of the settings here, not for that of the broker.
        """
        return self._ask(
            op="buy",
            call_id=call_id,
            url=url,
            max_price=max_price,
            method=method,
            body=base64.b64encode(body).decode(),
            headers=[list(pair) for pair in headers],
            agent=agent,
            run=run,
            tool=tool,
            strategy=self._settings.market.strategy if strategy is None else strategy,
        )

    def balance(self) -> dict[str, Any]:
        """Return the address of the wallet and what it has."""
        return self._ask(op="balance")

    def status(self, call_id: str) -> dict[str, Any]:
        """Return how the purchase of a call stands; its status is "none" where there is none."""
        return self._ask(op="status", call_id=call_id)

    @property
    def is_open(self) -> bool:
        """Whether a broker answers."""
        try:
            lines, _ = connect(self._settings, timeout=5.0)
        except (MachineError, OSError):
            return False
        lines.close()
        return True

    def _ask(self, **asked: Any) -> dict[str, Any]:
        market = self._settings.market
        # All tries with a quote before and the same again afterwards, and waiting for another who buys the same.
        longest = (2 * market.tries + 1) * (market.timeout + 2**market.tries * market.try_delay) + market.takeover
        lines, _ = connect(self._settings, timeout=longest + _SPARE)
        try:
            lines.write(asked)
            said = lines.read()
        except OSError as error:
            raise MachineError(f"the broker was lost: {error}; nobody knows how it ended", fix=_look(asked)) from None
        finally:
            lines.close()
        if said is None:
            raise MachineError("the broker was lost; nobody knows how it ended", fix=_look(asked))
        if not said.pop("ok", False):
            kind = _ERRORS.get(str(said.get("code")), MayflyError)
            raise kind(str(said.get("message")), fix=said.get("fix"))
        return said


def _look(asked: dict[str, Any]) -> str:
    return f"ask again with the same call id: {asked['call_id']}" if "call_id" in asked else "mayfly wallet open"
