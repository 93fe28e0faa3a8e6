"""A state with something of everything in it, for pages to show: made by the real parts, once."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from mayfly.core import Settings
from mayfly.runtime import Runtime
from mayfly.store import Ledger, PaymentList
from serve.conftest import environment
from store.money import WAYS, reserved, sale_at, step

SAMPLES = Path(__file__).parents[4] / "src" / "mayfly" / "serve" / "web" / "pages" / "samples"
# What a page must never take for anything but text: markup, an attribute that ends, a terminal's orders, a turned text.
HOSTILE = """<script>window.owned=1</script><img src=x onerror="window.owned=2">'"\x1b[31mred\x1b[0m\u202eevil"""
ROMAN = '''\
def roman_to_int(text: str) -> int:
    """Convert a roman numeral to a whole number."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    last = 0
    for letter in reversed(text):
        value = values[letter]
        total += value if value >= last else -value
        last = max(last, value)
    return total
'''
ECHO = '''\
def shout_text(text: str, times: int, loud: bool) -> str:
    """Say a text so many times, <b>loud</b> or not."""
    said = text.upper() if loud else text
    return " ".join([said] * times)
'''
TESTS = """\
def test_the_sum():
    assert roman_to_int("MDCLXVI") == 1666

def test_what_is_taken_away():
    assert roman_to_int("XL") == 40
"""


def call(name: str, **arguments: object) -> dict[str, object]:
    """Return the answer of a model that calls a tool."""
    return {"text": "", "calls": [{"name": name, "arguments": arguments}]}


def make_scene(place: Path, *, type_cache: Path, compiled_rules: Path, hostile: bool = True) -> Path:
    """Make a state directory below *place*, with a library, runs, and the script of a conversation."""
    state = place / "state"
    state.mkdir(mode=0o700)
    (state / "mypy-cache").symlink_to(type_cache)
    shutil.copy2(compiled_rules / "seal.key", state)
    shutil.copytree(compiled_rules / "rules-cache", state / "rules-cache")
    with Runtime(Settings(state_dir=str(state))) as runtime:
        _make_tools(runtime)
        runtime.promotion.identities.new("ada")
        _make_runs(runtime)
        make_money(runtime.ledger, hostile=hostile)
        if hostile:
            said = f"translate {HOSTILE} into Klingon"
            assert not runtime.run(said, input={"text": HOSTILE}).resolved
    answers = [
        call("file_write", path="notes.md", content="# Notes\n\n- water the plants\n- call Ada\n"),
        "I wrote your notes down.",
        call("file_write", path=".envrc", content="export MODE=dev\n"),
        "The change of .envrc waits for you.",
    ]
    script = "".join(json.dumps({"for": "chat", "answer": one}) + "\n" for one in answers)
    (place / "script.jsonl").write_text(script)
    return state


def _make_tools(runtime: Runtime) -> None:
    examples = [{"input": "MCMXC", "output": 1990}, {"input": "IV", "output": 4}]
    first = runtime.tools.write("", source=ROMAN, examples=examples, by="ada")
    assert first.accepted, first.reason
    better = ROMAN.replace("for letter in reversed(text):", "for letter in reversed(text.strip().upper()):")
    second = runtime.tools.update("roman_to_int", "", source=better, tests=TESTS, by="ada")
    assert second.accepted, second.reason
    shout = [{"input": {"text": "ab", "times": 2, "loud": True}, "output": "AB AB"}]
    third = runtime.tools.write("", source=ECHO, examples=shout, by="tests", accept_weak=True)
    assert third.accepted, third.reason
    for text in ("X", "XIV", "MMXXVI", "CDXLIV"):
        assert runtime.tools.call("roman_to_int", {"text": text}).ok


def _make_runs(runtime: Runtime) -> None:
    log = SAMPLES / "access.log"
    assert runtime.run("count requests by status", lines=log).resolved
    assert not runtime.run("sort it by magic of the sun", lines=log).resolved
    one = [{"input": "Ada Lovelace", "output": "A.L."}]
    assert runtime.run("initials", examples=one, input="Barbara Liskov").question


def make_money(ledger: Ledger, *, hostile: bool) -> None:
    """Buy and sell in the ledger: payments and sales at every state that a page has words for."""
    paid = ("delivered", "delivered", "unknown", "disputed", "released", "sent", "delivered")
    for number, state in enumerate(paid):
        about = {"tool": "weather_report", "strategy": "forecasts", "agent": "s-31c0a4d2"}
        _pay(ledger, number, state, units=10_000 + number * 500, **about)
    for state in ("settled", "settled", "failed", "settled", "settling"):
        sale_at(ledger, state, units=25_000, tool="roman_to_int", strategy="forecasts")
    if hostile:
        # Of the rest, what is no printable text, the store takes nothing.
        markup = HOSTILE.partition("\x1b")[0]
        url = f"http://127.0.0.1:1/{markup}"
        _pay(ledger, 7, "unknown", units=1, tool=markup, url=url, host=markup, reason=markup)


def _pay(ledger: Ledger, number: int, state: str, *, units: int, reason: str = "", **about: str) -> None:
    payments = PaymentList(ledger)
    row = payments.reserve(reserved(f"call-{number}", units, **about), f"p-{number}")
    # What the events of the tests of the store say is made to look like a payment of today.
    looks: dict[str, dict[str, Any]] = {
        "sent": {"valid_before": int(time.time()) + 600},
        "unknown": {"reason": reason or "the seller gave no answer: timed out"},
        "settled": {"transaction": f"0x{number + 10:02x}{'c0ffee5eed' * 6}{number:02x}"},
        "released": {"reason": "the seller cannot be reached: connection refused"},
        "disputed": {"reason": "the chain shows the payment, and the seller gives no answer to it"},
    }
    for there in WAYS[state]:
        moved = replace(step(ledger, there, row.turn), **looks.get(there, {}))
        row = payments.move(row.id, moved)


def permit(state: Path, *words: str) -> None:
    """Ask the rules something, as a person does in a shell, so that a decision is recorded."""
    command = [sys.executable, "-m", "mayfly.cli", "permit", *words]
    ran = subprocess.run(command, env=environment(state), capture_output=True, text=True)
    assert ran.returncode in (0, 1, 3), ran.stderr
