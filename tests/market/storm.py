"""Buy and sell while processes are killed and everything around them fails, and count the money afterwards.

First each case of the matrix is played once. Then rounds of chance: buyers with several calls each and a shop, all
processes of their own; at instants nobody chose a buyer or the shop is killed, the facilitator loses answers, a node
goes away or lags. When the storm is over the same calls are made again, the chain goes past every expiry, and both
ledgers are held against the chain: what left the payer, what arrived, what either side says, nothing twice, nothing
handed out unpaid.

    python tests/market/storm.py [--rounds 50] [--seed 1] [--no-cases]
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from market.matrix.case import Bench, Case
from market.matrix.cases import CASES
from market.matrix.world import World, judged, world_of
from mayfly import testing
from mayfly.testing.chain import LocalChain

CALLS = 6
# Faults that a round may have at its beginning, and until it is over; "" is none.
FACILITATOR = ("", "", "settle=504after,dropafter,ok", "settle=down,503,ok", "settle=late,late,ok", "verify=down,ok")
NODES = ("", "", "buyer=lag", "seller=lag", "buyer=down", "seller=nologs")
WIRES = ("", "", "paid=dropafter,dropbefore,ok", "paid=copies6,ok", "paid=502after,ok", "paid=ok,dropafter,ok")


class Wrong(Exception):
    """Something happened that must not."""


@dataclass(kw_only=True)
class Report:
    """What a number of rounds came to."""

    cases: int = 0
    rounds: int = 0
    kills: int = 0
    charges: int = 0
    runs: int = 0


def rules(directory: Path) -> Path:
    """Return a state directory in which the shipped rules lie compiled."""
    state = directory / "rules"
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAYFLY_")}
    command = [sys.executable, "-m", "mayfly.cli", "route", "fix a.py", "--json"]
    env["MAYFLY_STATE_DIR"] = str(state)
    subprocess.run(command, env=env, cwd=directory, check=True, capture_output=True)
    return state


def storm(*, rounds: int, seed: int, cases: bool, postgres: bool) -> Report:
    """Play all cases and so many rounds; raises `Wrong` where something happened that must not."""
    report, chance = Report(), random.Random(seed)
    with (
        tempfile.TemporaryDirectory(prefix="mayfly-market-storm-") as place,
        testing.postgres_server() if postgres else nullcontext("") as server,
    ):
        bench = Bench(LocalChain(), rules(Path(place)), server)
        try:
            for case in CASES if cases else ():
                directory = Path(tempfile.mkdtemp(dir=place))
                if wrong := judged(bench, case, directory):
                    raise Wrong(f"{case.name}: {'; '.join(wrong)}")
                report.cases += 1
            for number in range(rounds):
                _one(bench, chance, Path(tempfile.mkdtemp(dir=place)), number, report)
        finally:
            bench.close()
    return report


def _one(bench: Bench, chance: random.Random, directory: Path, number: int, report: Report) -> None:
    case = Case(name=f"round-{number}", about="a storm", play=(), see=(), charged=tuple(range(CALLS + 1)))
    with world_of(bench, case, directory) as world:
        # Slow enough to be killed while it works.
        world.do("sell handler=slow:0.1")
        for word, faults in (("fac", FACILITATOR), ("node", NODES), ("gate", WIRES)):
            if fault := chance.choice(faults):
                world.do(f"{word} {fault}")
        _blow(world, chance, report)
        for word in ("late", "node buyer=ok", "node seller=ok", "fac settle=ok verify=ok", "gate paid=ok", "sell"):
            world.do(word)
        # Leases of those who were killed are in whole seconds, rounded up.
        time.sleep(2.1)
        if chance.random() < 0.5:
            world.do("reconcile")
        seen = world.do(f"buy calls={CALLS}")
        world.settle_down()
        if wrong := world.wrongs():
            raise Wrong(f"round {number}: {'; '.join(wrong)}")
        if seen != f"delivered:{CALLS}" or len(world.charges()) != CALLS:
            reasons = sorted({str(one.get("reason", "")) for one in world.said})
            raise Wrong(f"round {number}: in calm weather {seen}, charged {len(world.charges())} times ({reasons})")
        report.rounds += 1
        report.charges += len(world.charges())
        report.runs += world.runs()


def _blow(world: World, chance: random.Random, report: Report) -> None:
    """Let two processes make all calls, in another order each, while somebody is killed."""

    def buying(first: int) -> None:
        world.do(f"buy calls={CALLS} processes={first}")

    buyer = threading.Thread(target=buying, args=(chance.choice((1, 2)),))
    buyer.start()
    for _ in range(chance.choice((1, 1, 2))):
        time.sleep(chance.uniform(0.0, 1.2))
        victim = chance.choice(("buyer", "seller", "seller"))
        if victim in world.actors:
            with suppress(KeyError):
                world.actors[victim].kill()
                report.kills += 1
            if victim == "seller" and chance.random() < 0.7:
                world.do("sell")
    buyer.join()


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="kill buyers and sellers under faults, and count the money")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1, help="makes the instants much the same ones again")
    parser.add_argument("--no-cases", action="store_true", help="rounds of chance only")
    parser.add_argument("--postgres", action="store_true", help="with ledgers in PostgreSQL")
    chosen = parser.parse_args()
    began = time.monotonic()
    report = storm(rounds=chosen.rounds, seed=chosen.seed, cases=not chosen.no_cases, postgres=chosen.postgres)
    print(
        f"{report.cases} cases; {report.rounds} rounds, {report.kills} processes killed: {report.charges} purchases "
        f"charged once each and delivered, {report.runs} runs of the tool; both ledgers agree with the chain; "
        f"{time.monotonic() - began:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
