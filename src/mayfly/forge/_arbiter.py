"""Where a program and a test from the intent disagree, have somebody look at that one input who saw neither."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mayfly.core import UNSET, Contract, MayflyError, Unset, same
from mayfly.forge import _describe
from mayfly.forge._prompt import Prompt, fenced
from mayfly.forge._request import Request
from mayfly.forge._shown import shown_to_model
from mayfly.gates import Disputed, Test
from mayfly.models import Model, Pool

# A fresh look is a model call: so many for one program, however many tests it fails.
MOST_LOOKS = 3


class Settled(NamedTuple):
    """What came of a dispute: tests that lost, cases that the program lost, and an input on which nobody agrees."""

    dropped: tuple[Test, ...] = ()
    upheld: tuple[Test, ...] = ()
    tied: tuple[Test, object] | None = None


class Arbiter:
    """Ask a model about single inputs; it sees intent, contract and examples, and neither program nor test."""

    def __init__(self, model: Model | None, pool: Pool | None = None) -> None:
        self._model = model if model is not None and model.serves("arbiter") else None
        self._pool = pool
        self._known: dict[str, object] = {}

    def settle(self, disputed: Sequence[Disputed], request: Request, contract: Contract) -> Settled:
        """Let two of three decide: the program, the test, and a fresh look; where there is none, the test stands."""
        plain = [one for one in disputed if one.test.expected is not UNSET and one.gave is not UNSET]
        if self._model is None or not plain or len(plain) < len(disputed):
            return Settled(upheld=tuple(one.test for one in disputed))
        dropped: list[Test] = []
        upheld: list[Test] = []
        tied: tuple[Test, object] | None = None
        for one in plain[:MOST_LOOKS]:
            try:
                seen = self._look(one.test.input, request, contract)
            except MayflyError:
                # Nobody looked, so there is no third voice: the test stands as it does where there is no model.
                upheld.append(one.test)
                continue
            if seen is not UNSET and same(seen, one.gave):
                dropped.append(one.test)
            elif seen is not UNSET and same(seen, one.test.expected):
                upheld.append(one.test)
            else:
                tied = tied or (one.test, one.gave)
        # Where more tests speak against a program than may be looked at, they stand.
        upheld += [one.test for one in plain[MOST_LOOKS:]]
        # A program that lost anywhere is written again first: a person is asked only where nothing else is wrong.
        return Settled(tuple(dropped), tuple(upheld), None if upheld else tied)

    def _look(self, input: object, request: Request, contract: Contract) -> object | Unset:
        """Return what a fresh look at one input gives, UNSET where it is not sure; the same input is looked at once."""
        assert self._model is not None
        key = json.dumps(input, sort_keys=True)
        if key not in self._known:
            seen, fields = shown_to_model(replace(request, contract=contract))
            prompt = Prompt.load("arbiter").fill(
                intent=seen.intent,
                contract=_describe.agreed(seen.contract),
                examples=_describe.examples(seen.examples),
                input=fenced(json.dumps(fields.data(input), ensure_ascii=False)),
            )
            said = self._model.ask("arbiter", prompt.user, system=prompt.system, pool=self._pool).text
            found = _output_in(said)
            self._known[key] = found if found is UNSET else fields.restored(found)
        return self._known[key]


def _output_in(text: str) -> object | Unset:
    start, stop = text.find("{"), text.rfind("}")
    try:
        data: object = json.loads(text[start : stop + 1]) if start >= 0 else None
    except (ValueError, RecursionError):
        return UNSET
    if not isinstance(data, dict) or "output" not in data or data.get("sure", True) is False:
        return UNSET
    found: object = data["output"]
    return found
