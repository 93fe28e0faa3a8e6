"""The library: what is proven serves every process, what is not leaves everything as it was."""

from __future__ import annotations

import asyncio
import http.server
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import ConflictError, InputError, Settings, Stop
from mayfly.library import Tools
from mayfly.library._tool_tests import tool_name_of
from mayfly.runtime import Runtime
from mayfly.store import Killed, KillSwitch
from mayfly.testing import below, command_of, until

from .conftest import Script
from .tools_bench import EXAMPLES, adder, adds, quick_settings, roman, wrong_roman


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, type_cache: Path) -> Iterator[Runtime]:
    """Own what takes long to start, for the libraries of all tests."""
    state = tmp_path_factory.mktemp("workshop")
    (state / "mypy-cache").symlink_to(type_cache)
    with Runtime(quick_settings(state)) as runtime:
        runtime.parts.types.start()
        yield runtime


@pytest.fixture
def shared(tmp_path: Path, workshop: Runtime) -> Iterator[Runtime]:
    with beside(workshop, quick_settings(tmp_path / "library")) as runtime:
        yield runtime


@contextmanager
def beside(workshop: Runtime, settings: Settings) -> Iterator[Runtime]:
    """Return a runtime with a store of its own, and with the type checker and the sandbox of another."""
    runtime = Runtime(settings)
    shared = {"types": workshop.parts.types, "sandbox": workshop.parts.sandbox}
    runtime.parts._made.update(shared)
    try:
        yield runtime
    finally:
        for name in shared:
            del runtime.parts._made[name]
        runtime.close()


@pytest.fixture
def tools(shared: Runtime) -> Tools:
    return shared.tools


def files_in(runtime: Runtime) -> list[str]:
    folder = Path(runtime.settings.state) / "library"
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) if folder.exists() else []


def test_s_01_a_tool_is_written_from_its_source_and_used(tools: Tools) -> None:
    made = tools.write("convert a roman numeral to a whole number", name="roman", source=roman(), examples=EXAMPLES)
    assert (made.decision, made.version) == ("accept", 1)
    outcome = tools.call("roman", {"numeral": "MCMXC"})
    assert (outcome.status, outcome.value, outcome.version) == ("ok", 1990, 1)


def test_s_01_without_a_source_it_is_written_from_examples(tools: Tools) -> None:
    examples = [
        {"input": {"first": "Ada", "last": "Lovelace"}, "output": "Lovelace, Ada"},
        {"input": {"first": "Alan", "last": "Turing"}, "output": "Turing, Alan"},
        {"input": {"first": "Grace", "last": "Hopper"}, "output": "Hopper, Grace"},
        {"input": {"first": "Emmy", "last": "Noether"}, "output": "Noether, Emmy"},
    ]
    made = tools.write("put the last name before the first", name="last_first", examples=examples, accept_weak=True)
    assert made.accepted, made.reason
    assert tools.call("last_first", {"first": "Kurt", "last": "Gödel"}).value == "Gödel, Kurt"
    assert made.card is not None
    assert made.card.author == "examples"


def test_s_01_a_model_writes_it_and_its_tests_are_witnesses(tools: Tools, script: Script) -> None:
    source = roman("numerals").replace("value", "worth").replace("(numeral", "(value")
    model = script(
        ("contract", json.dumps({"input": "str", "output": "int"})),
        ("architect", f"```python\n{source}\n```"),
        ("tests", json.dumps({"cases": [{"input": ["IX"], "output": 9}, {"input": ["MDC"], "output": 1600}]})),
    )
    made = tools.write("convert a roman numeral", name="numerals", model=model)
    assert made.accepted, (made.reason, made.verdicts)
    assert made.proof is not None
    assert made.proof.holds
    assert tools.call("numerals", {"value": "MCMXC"}).value == 1990


def numerals(source: str) -> tuple[tuple[str, str], ...]:
    """Return what a model says that writes this source; its own tests are too few to see what is wrong with it."""
    contract = json.dumps({"input": "str", "output": "int"})
    cases = {"cases": [{"input": ["X"], "output": 10}, {"input": ["MDC"], "output": 1600}]}
    return ("contract", contract), ("architect", f"```python\n{source}\n```"), ("tests", json.dumps(cases))


GIVEN = [
    '{"cases": [{"input": "IX", "output": 9}]}',
    '{"cases": [{"input": {"value": "IX"}, "output": 9}]}',
    "def test_nine() -> None:\n    assert numerals('IX') == 9\n",
]


@pytest.mark.parametrize("given", GIVEN)
def test_given_tests_bind_what_a_model_writes_and_its_own_come_on_top(tools: Tools, script: Script, given: str) -> None:
    wrong = wrong_roman("numerals").replace("value", "worth").replace("(numeral", "(value")
    # A fresh look that sides with the program changes nothing: these tests are not a model's.
    looks = ("arbiter", json.dumps({"output": 11}))
    model = script(*numerals(wrong), looks)
    made = tools.write("convert a roman numeral", name="numerals", model=model, tests=given)
    assert made.decision == "reject"
    assert tools.list() == ()
    # Without them the same source passes: nothing else here tells that it is wrong.
    assert tools.write("convert a roman numeral", name="numerals", model=script(*numerals(wrong), looks)).accepted


@pytest.mark.parametrize("given", GIVEN)
def test_given_tests_are_part_of_the_suite_that_is_kept(tools: Tools, script: Script, given: str) -> None:
    right = roman("numerals").replace("value", "worth").replace("(numeral", "(value")
    made = tools.write("convert a roman numeral", name="numerals", model=script(*numerals(right)), tests=given)
    assert made.accepted, (made.reason, made.verdicts)
    _, results = tools.verify("numerals")
    assert len(results) >= 3
    assert all(one.passed for one in results)
    # They hold for the next version too.
    wrong = wrong_roman("numerals").replace("value", "worth").replace("(numeral", "(value")
    assert tools.update("numerals", source=wrong).decision == "reject"


def test_given_tests_bind_what_is_written_from_examples(tools: Tools) -> None:
    examples = [{"input": text, "output": text[0]} for text in ("ab", "cd", "ef", "gh")]
    given = '{"cases": [{"input": "", "output": "?"}]}'
    made = tools.write("take the first letter", name="first", examples=examples, tests=given, accept_weak=True)
    assert made.decision == "reject"
    assert tools.write("take the first letter", name="first", examples=examples, accept_weak=True).accepted


def test_a_contract_binds_the_source_and_is_on_the_card_of_later_versions_too(shared: Runtime, tools: Tools) -> None:
    contract = {"input": {"type": "str", "pattern": "[IVXLCDM]+"}, "output": "int", "edges": {"empty": "0"}}
    made = tools.write("convert", name="roman", source=roman(), examples=EXAMPLES, contract=contract)
    assert made.card is not None
    assert made.card.contract["edges"] == {"empty": "0"}
    assert tools.update("roman", source=roman().replace("total = 0", "total = int()")).accepted
    card, _ = tools.show("roman")
    kept = json.loads(shared.ledger.get_blob(card.tests_hash))
    assert (card.version, kept["pattern"], card.contract) == (2, "[IVXLCDM]+", made.card.contract)
    with pytest.raises(InputError, match="a contract has no 'inptu'"):
        tools.write("convert", name="other", source=roman("other"), examples=EXAMPLES, contract={"inptu": "str"})


def test_s_02_s_07_what_fails_its_tests_leaves_neither_file_nor_entry(shared: Runtime, tools: Tools) -> None:
    before = files_in(shared)
    made = tools.write("convert roman numerals", name="bad", source=wrong_roman("bad"), examples=EXAMPLES)
    assert made.decision == "reject"
    assert "expected 4, got 6" in made.reason
    assert files_in(shared) == before
    assert tools.capability("bad") is None
    assert tools.call("bad", {"numeral": "IV"}).status == "unknown"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def broken(a: int) -> int\n    return a\n", "not Python"),
        ("def other(a: int) -> int:\n    return a\n", "defines no function broken"),
        ("def broken(a: int) -> int:\n    return str(a)\n", "types:"),
        ("import os\n\n\ndef broken(a: int) -> int:\n    return os.getpid() + a\n", "os is not on the list"),
        ("import mayfly\n\n\ndef broken(a: int) -> int:\n    return a\n", "cannot compile"),
    ],
)
def test_s_02_errors_say_what_is_wrong(tools: Tools, source: str, said: str) -> None:
    try:
        made = tools.write("do it", name="broken", source=source, examples=[{"input": 1, "output": 1}])
        told = made.reason
        assert made.decision == "reject"
    except InputError as error:
        told = str(error)
    assert said in told
    assert "\n" not in told


def test_nothing_to_prove_it_by_is_refused_with_what_to_give(tools: Tools) -> None:
    made = tools.write("convert roman numerals", name="roman", source=roman())
    assert (made.decision, made.reason) == ("reject", "proof: there are no tests")
    assert "examples" in made.fix
    with pytest.raises(InputError, match="give examples"):
        tools.write("convert roman numerals", name="roman")


CRASHES = '''
import ctypes
import os


def crash(how: str) -> str:
    """Give back what it is given, or crash."""
    if how == "exit":
        os._exit(0)
    if how == "segfault":
        ctypes.string_at(0)
    if how == "memory":
        return "x" * 10**12
    if how == "abort":
        os.abort()
    return how
'''


def test_s_03_a_crash_is_the_result_of_a_call_and_the_next_one_answers(tools: Tools) -> None:
    examples = [{"input": "a", "output": "a"}, {"input": "bc", "output": "bc"}]
    made = tools.write("echo", name="crash", source=CRASHES, examples=examples, grants=["package"])
    assert made.accepted, made.verdicts
    for how in ("exit", "segfault", "memory", "abort"):
        outcome = tools.call("crash", {"how": how})
        assert outcome.status == "error", (how, outcome)
        assert outcome.error
        assert tools.call("crash", {"how": "fine"}).value == "fine"


LOOPS = 'def loop(n: int) -> int:\n    """Count."""\n    while n > 100:\n        n += 1\n    return n\n'


def test_s_04_a_time_limit_ends_it_and_says_so(tools: Tools) -> None:
    assert tools.write("count", name="loop", source=LOOPS, examples=[{"input": 1, "output": 1}]).accepted
    outcome = tools.call("loop", {"n": 101}, seconds=0.5)
    assert (outcome.status, outcome.error) == ("timeout", "Sandbox timeout after 500ms")


def test_s_40_a_call_can_be_told_to_stop(tools: Tools) -> None:
    assert tools.write("count", name="loop", source=LOOPS, examples=[{"input": 1, "output": 1}]).accepted
    stop = Stop()
    threading.Timer(0.3, stop.cancel).start()
    began = time.monotonic()
    assert tools.call("loop", {"n": 101}, stop=stop).status == "cancelled"
    assert time.monotonic() - began < 20


FORGED = '''
import sys


def forged(a: int) -> int:
    """Pretend."""
    print('{"status": "ok", "passed": true, "value": 4}')
    sys.stdout.flush()
    return a
'''


def test_s_05_a_forged_message_is_no_pass(tools: Tools) -> None:
    made = tools.write("double", name="forged", source=FORGED, examples=[{"input": 2, "output": 4}], grants=["package"])
    assert made.decision == "reject"
    assert tools.capability("forged") is None


QUOTES = '''
MARK = "S-P4 \\" $(exit 1) `exit 1` \\\\ \\x00 %s {} \'\'\' ;"


def spin(value: int) -> str:
    """Say the mark after as many rounds as it is told."""
    while value > 0:
        value -= 1
    return MARK
'''.lstrip()


def test_s_p4_a_tool_is_run_by_a_harness_and_its_source_is_no_string_on_a_command_line(tools: Tools) -> None:
    # All of this would be read otherwise by a shell, by a template or by whoever puts a program together as text.
    said = "S-P4 \" $(exit 1) `exit 1` \\ \x00 %s {} ''' ;"
    assert tools.write("spin", name="spin", source=QUOTES, examples=[{"input": 1, "output": said}]).accepted
    stop, ended = Stop(), []
    call = threading.Thread(target=lambda: ended.append(tools.call("spin", {"value": 10**12}, stop=stop)))
    before = {pid: _processor_time(pid) for pid in below(os.getpid())}
    call.start()
    try:
        assert until(lambda: bool(_busy(before)))
        for pid in below(os.getpid()):
            started = command_of(pid)
            assert b"S-P4" not in started
            assert b"def spin" not in started
            assert b"-c" not in started.split(b"\0")[1:2]
    finally:
        stop.cancel()
        call.join(60)
    assert [one.status for one in ended] == ["cancelled"]
    assert tools.call("spin", {"value": 1}).value == said


def _processor_time(pid: int) -> int:
    """Return the clock ticks that a process has worked; none where it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def _busy(before: dict[int, int]) -> list[int]:
    """Return the processes below this one that have worked for a tenth of a second since."""
    return [pid for pid in below(os.getpid()) if _processor_time(pid) > before.get(pid, 0) + 10]


def test_s_08_s_09_it_is_callable_at_once_and_may_be_updated_and_deleted(tools: Tools) -> None:
    assert tools.write("add", name="plus", source=adder("plus", 1), examples=adds(1)).accepted
    assert tools.call("plus", {"value": 1}).value == 2
    assert tools.update("plus", source=adder("plus", 2), examples=adds(2), replace_tests=True).version == 2
    assert tools.call("plus", {"value": 1}).value == 3
    assert [one.name for one in tools.list()] == ["plus"]
    assert tools.delete("plus") == 2
    assert tools.list() == ()
    assert "was deleted" in tools.call("plus", {"value": 1}).error


def test_s_26_a_failed_update_keeps_the_old_version_serving(tools: Tools) -> None:
    assert tools.write("roman", name="roman", source=roman(), examples=EXAMPLES).accepted
    for bad in (wrong_roman(), "def roman(numeral: str) -> int:\n    return None\n"):
        made = tools.update("roman", source=bad)
        assert made.decision == "reject"
    with pytest.raises(InputError):
        tools.update("roman", source="def roman(")
    outcome = tools.call("roman", {"numeral": "MCMXC"})
    assert (outcome.value, outcome.version) == (1990, 1)
    assert [event.kind for event in tools.log("roman")] == ["tool.written", "tool.refused", "tool.refused"]


def test_an_update_has_to_pass_the_tests_of_the_version_before(tools: Tools) -> None:
    assert tools.write("add", name="plus", source=adder("plus", 1), examples=adds(1)).accepted
    made = tools.update("plus", source=adder("plus", 2), examples=[{"input": 100, "output": 102}])
    assert made.decision == "reject"
    assert "--replace-tests" in made.fix
    other = 'def plus(value: str) -> str:\n    """Shout."""\n    return value.upper()\n'
    with pytest.raises(InputError, match="called in another way than before"):
        tools.update("plus", source=other, examples=[{"input": "a", "output": "A"}])


def test_s_27_the_loop_is_awake_while_a_tool_is_tried(tools: Tools) -> None:
    async def watch() -> float:
        work = asyncio.create_task(tools.awrite("roman", name="roman", source=roman(), examples=EXAMPLES))
        longest, last = 0.0, time.monotonic()
        while not work.done():
            await asyncio.sleep(0.005)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        assert (await work).accepted
        return longest

    # The bar is 100 ms; a machine that others share takes the processor away for longer now and then.
    assert asyncio.run(watch()) < 1.0


@pytest.mark.parametrize("name", ["file_read", "shell", "shell_exec", "calculate", "tool_write"])
def test_s_28_c_37_the_name_of_a_built_in_is_refused_with_advice(tools: Tools, name: str) -> None:
    with pytest.raises(InputError, match=f"call yours agent_{name}; to change the built-in one: mayfly stage {name}"):
        tools.write("do it", name=name, source=adder(name, 1), examples=adds(1))


def test_s_29_a_name_is_given_once(tools: Tools) -> None:
    assert tools.write("roman", name="roman", source=roman(), examples=EXAMPLES).accepted
    with pytest.raises(ConflictError, match="there is a tool roman already"):
        tools.write("add", name="roman", source=adder("roman", 1), examples=adds(1))


def test_s_29_calls_during_a_swap_all_succeed_with_either_version(tools: Tools) -> None:
    assert tools.write("add", name="plus", source=adder("plus", 1), examples=adds(1)).accepted
    seen: list[tuple[str, object, int]] = []
    stop = threading.Event()

    def call() -> None:
        while not stop.is_set():
            outcome = tools.call("plus", {"value": 0})
            seen.append((outcome.status, outcome.value, outcome.version))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert tools.update("plus", source=adder("plus", 2), examples=adds(2), replace_tests=True).accepted
    assert tools.rollback("plus") == 1
    assert tools.rollback("plus", 2) == 2
    stop.set()
    for thread in threads:
        thread.join()
    assert {status for status, _, _ in seen} == {"ok"}
    assert {(value, version) for _, value, version in seen} <= {(1, 1), (2, 2)}


def test_s_p1_an_updated_tool_is_the_new_code_and_old_versions_stay(tools: Tools) -> None:
    assert tools.write("add", name="plus", source=adder("plus", 1), examples=adds(1)).accepted
    for number in (2, 3):
        made = tools.update("plus", source=adder("plus", number), examples=adds(number), replace_tests=True)
        assert made.version == number
        assert tools.call("plus", {"value": 0}).value == number
    assert [tools.call("plus", {"value": 0}, version=n).value for n in (1, 2, 3)] == [1, 2, 3]
    told = tools.diff("plus", 1, 3).splitlines()
    assert "-    return value + 1" in told
    assert "+    return value + 3" in told


def test_s_39_a_call_is_checked_logged_before_and_after_and_never_raises(shared: Runtime, tools: Tools) -> None:
    assert tools.write("roman", name="roman", source=roman(), examples=EXAMPLES).accepted
    known = shared.ledger.before_last(0)
    assert tools.call("roman", {"numeral": "XX"}).ok
    assert tools.call("roman", {"numeral": "no"}).status == "error"
    kinds = [event.kind for event in shared.ledger.read(subject="tool:roman", after=known)]
    assert kinds == ["tool.called", "tool.returned"] * 2
    given: list[object] = [{}, {"numeral": 1}, {"numeral": "X", "more": 1}, [], None, "X", {"numeral": "\ud800"}]
    for wrong in given:
        assert tools.call("roman", wrong).status == "refused", wrong
    assert tools.call("nobody", {}).status == "unknown"
    assert tools.call("../../etc", {}).status == "unknown"
    assert tools.call("roman", {"numeral": "I"}, version=9).status == "unknown"


def test_s_39_the_kill_switch_stops_calls_and_writes(shared: Runtime, tools: Tools) -> None:
    assert tools.write("roman", name="roman", source=roman(), examples=EXAMPLES).accepted
    switch = KillSwitch(shared.ledger)
    switch.turn_on(by="me", reason="a test")
    try:
        deadline = time.monotonic() + 5
        while tools.call("roman", {"numeral": "X"}).status != "killed":
            assert time.monotonic() < deadline
        with pytest.raises(Killed):
            tools.write("add", name="plus", source=adder("plus", 1), examples=adds(1))
    finally:
        switch.turn_off(by="me", reason="the end of the test")
    assert tools.call("roman", {"numeral": "X"}).ok


def test_s_40_every_tool_has_a_name_a_description_a_schema_and_a_time(shared: Runtime, tools: Tools) -> None:
    from mayfly.world import builtins

    assert tools.write("roman", name="roman", source=roman(), examples=EXAMPLES, seconds=5).accepted
    mine = tools.capability("roman")
    assert mine is not None
    for one in (*builtins(shared.settings), mine):
        assert one.name.isidentifier()
        assert 0 < len(one.name) <= 64
        assert one.summary
        assert one.input_schema["type"] == "object"
        assert one.seconds > 0
    card, _ = tools.show("roman")
    assert card.seconds == 5


def test_a_twin_is_refused_by_name_whatever_it_is_called(tools: Tools) -> None:
    assert tools.write("convert a roman numeral", name="roman", source=roman(), examples=EXAMPLES).accepted
    again = [{"input": "VII", "output": 7}, {"input": "CD", "output": 400}]
    made = tools.write("decode what the ancients wrote", name="decode", source=roman("decode"), examples=again)
    assert (made.decision, made.twin) == ("reject", "roman")
    assert "roman passes its tests" in made.reason
    assert tools.write("add", name="plus", source=adder("plus", 1), examples=adds(1)).accepted
    assert tools.write("add two", name="plus_two", source=adder("plus_two", 2), examples=adds(2)).accepted


def test_tools_are_found_by_what_they_do(tools: Tools) -> None:
    assert tools.write("convert a roman numeral", name="roman", source=roman(), examples=EXAMPLES).accepted
    assert tools.write("add a number", name="plus", source=adder("plus", 1), examples=adds(1)).accepted
    assert [one.name for one in tools.find("something that converts roman numerals")] == ["roman"]
    assert tools.find("bake bread") == ()


def test_the_card_says_who_speaks_for_a_tool(tools: Tools) -> None:
    tests = "def test_it() -> None:\n    assert roman('IX') == 9\n    assert roman('MC') == 1100\n"
    options = {"name": "roman", "source": roman(), "tests": tests, "by": "ada"}
    made = tools.write("convert a roman numeral", **options)
    assert made.card is not None
    assert (made.card.strength, made.card.tests_by) == ("weak", "ada")
    assert "by one hand" in made.card.witness
    tools.delete("roman")
    made = tools.write("convert a roman numeral", **options, tests_by="grace")
    assert made.card is not None
    assert made.card.strength in ("strong", "tested")
    assert "test" in made.card.witness


def test_s_10_c_34_files_lie_where_they_are_known_and_a_pointer_names_what_serves(
    shared: Runtime, tools: Tools
) -> None:
    assert tools.write("add", name="plus", source=adder("plus", 1), examples=adds(1)).accepted
    assert tools.update("plus", source=adder("plus", 2), examples=adds(2), replace_tests=True).accepted
    home = Path(shared.settings.state) / "library" / "plus"
    first, second = (one for one in sorted(home.iterdir()) if one.name != "current")
    assert first.name.startswith("1-")
    assert second.name.startswith("2-")
    assert sorted(path.name for path in second.iterdir()) == ["card.json", "test_tool.py", "tool.py"]
    assert (home / "current").readlink() == Path(second.name)
    tools.rollback("plus")
    assert (home / "current").readlink() == Path(first.name)
    assert json.loads((home / "current" / "card.json").read_text())["version"] == 1
    assert (home / "current" / "tool.py").read_text() == adder("plus", 1)
    tools.delete("plus")
    assert not home.exists()


def test_s_10_after_a_restart_it_works(workshop: Runtime, shared: Runtime, tools: Tools) -> None:
    assert tools.write("roman", name="roman", source=roman(), examples=EXAMPLES).accepted
    with beside(workshop, shared.settings) as other:
        assert other.tools.call("roman", {"numeral": "MCMXC"}).value == 1990


def test_a_tool_serves_a_plan_before_anything_is_written_again(shared: Runtime, tools: Tools) -> None:
    assert tools.write("convert a roman numeral", name="roman", source=roman(), examples=EXAMPLES).accepted
    outcome = shared.run("convert the roman numeral MCMXC")
    assert (outcome.status, outcome.value, outcome.cost.model_calls) == ("resolved", 1990, 0)
    planned = shared.plan("convert the roman numeral MCMXC")
    assert (planned.capability, planned.version) == ("roman", 1)


def test_s_13_s_p3_c_35_a_package_is_seen_in_proof_and_in_production(shared: Runtime, tools: Tools) -> None:
    source = (
        "import click\n\n\ndef styled(text: str) -> str:\n"
        '    """Take the colours out of a text."""\n    return click.unstyle(text)\n'
    )
    examples = [{"input": "\x1b[31mred\x1b[0m", "output": "red"}, {"input": "plain", "output": "plain"}]
    made = tools.write("remove colours", name="styled", source=source, examples=examples)
    assert made.accepted, made.verdicts
    assert made.card is not None
    assert made.card.opened == ("net:*", "package")
    assert tools.call("styled", {"text": "\x1b[1mbold\x1b[0m"}).value == "bold"
    made = tools.write(
        "remove colours", name="styled2", source=source.replace("styled", "styled2"), examples=examples, grants=[]
    )
    assert made.decision == "reject"
    assert "click" in made.reason


def test_the_default_grants_open_no_door_for_nothing_and_one_setting_takes_them(
    tmp_path: Path, workshop: Runtime, tools: Tools
) -> None:
    made = tools.write("roman", name="roman", source=roman(), examples=EXAMPLES)
    assert made.card is not None
    assert (made.card.grants, made.card.opened) == (("net:*", "package"), ())
    with beside(workshop, quick_settings(tmp_path / "bare", grants="none")) as bare:
        made = bare.tools.write("roman", name="roman", source=roman(), examples=EXAMPLES)
        assert made.card is not None
        assert made.card.grants == ()


def test_a_grant_that_is_none_is_refused(tools: Tools) -> None:
    with pytest.raises(InputError, match="unknown grant"):
        tools.write("roman", name="roman", source=roman(), examples=EXAMPLES, grants=["everything"])


def test_unused_tools_are_retired_listed_and_restored(workshop: Runtime, shared: Runtime, tools: Tools) -> None:
    assert tools.write("roman", name="roman", source=roman(), examples=EXAMPLES).accepted
    at_once = replace(shared.settings, library=replace(shared.settings.library, retire=0.0))
    with beside(workshop, at_once) as other:
        assert any("roman is retired" in said for said in other.tools.refresh())
    assert [(one.name, one.state) for one in tools.list()] == [("roman", "retired")]
    assert "mayfly tools restore roman" in tools.call("roman", {"numeral": "X"}).fix
    assert tools.find("roman numerals") == ()
    assert tools.restore("roman") == 1
    assert tools.call("roman", {"numeral": "X"}).value == 10


def test_a_description_of_more_than_500_characters_is_refused(tools: Tools) -> None:
    with pytest.raises(InputError, match="the limit is 500"):
        tools.write("roman", name="roman", source=roman(), examples=EXAMPLES, summary="x" * 501)


def test_a_source_that_is_too_long_is_not_even_read(tools: Tools) -> None:
    with pytest.raises(InputError, match="the limit is 100,000"):
        tools.write("roman", source=roman() + "#" * 100_000, examples=EXAMPLES)


def test_a_result_that_is_too_large_is_an_error(tools: Tools) -> None:
    source = 'def repeat(times: int) -> str:\n    """Repeat a letter."""\n    return "x" * times\n'
    assert tools.write("repeat", name="repeat", source=source, examples=[{"input": 2, "output": "xx"}]).accepted
    assert tools.call("repeat", {"times": 5000}).ok
    outcome = tools.call("repeat", {"times": 2_000_000})
    assert outcome.status == "error"
    assert "the limit is 1,000,000" in outcome.error


def test_its_tests_run_again_from_the_store_alone(tools: Tools) -> None:
    assert tools.write("roman", name="roman", source=roman(), examples=EXAMPLES).accepted
    tool, results = tools.verify("roman")
    assert tool.card.version == 1
    assert len(results) == 3
    assert all(one.passed for one in results)


def test_c_41_there_are_three_attempts_and_fewer_where_the_budget_says_so() -> None:
    from mayfly.forge._loop import allowed_attempts

    assert [allowed_attempts(3, entropy) for entropy in (1.0, 0.33, 0.25)] == [3, 3, 2]


def test_nothing_in_the_host_imports_what_was_written(tools: Tools) -> None:
    assert tools.write("roman", name="roman", source=roman(), examples=EXAMPLES).accepted
    assert tools.call("roman", {"numeral": "X"}).ok
    assert not any("roman" in name for name in sys.modules if not name.startswith("tests"))


FETCH = """
from urllib.request import urlopen


def fetch_page(url: str) -> str:
    \"\"\"Return what a page says.\"\"\"
    with urlopen(url, timeout=5) as answer:
        return str(answer.read().decode())
"""


@pytest.fixture
def page() -> Iterator[str]:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.mark.later
def test_s_12_a_host_that_is_named_is_reached_and_loopback_only_when_named(tools: Tools, page: str) -> None:
    examples = [{"input": page, "output": "hello"}]
    made = tools.write("fetch", name="fetch_page", source=FETCH, examples=examples, grants=["net:127.0.0.1"])
    assert made.accepted, made.verdicts
    assert made.card is not None
    assert (made.card.effect, made.card.opened) == ("once", ("net:127.0.0.1",))
    assert "no input but those of its tests" in str(made.card.proof["open"])
    assert tools.call("fetch_page", {"url": page}).value == "hello"
    for grants in (None, ["net:*"], []):
        made = tools.write(
            "fetch", name="other", source=FETCH.replace("fetch_page", "other"), examples=examples, grants=grants
        )
        assert made.decision == "reject"
        assert made.reason
    assert tools.capability("other") is None


def test_a_tool_with_an_optional_parameter_is_proven_by_examples_that_name_it(tools: Tools) -> None:
    head = 'def shout(text: str, times: int = 1) -> str:\n    """Say it louder."""\n'
    source = f'{head}    return text.upper() + "!" * times\n'
    examples = [
        {"input": "hi", "output": "HI!"},
        {"input": ["oh", 2], "output": "OH!!"},
        {"input": {"text": "no", "times": 3}, "output": "NO!!!"},
    ]
    made = tools.write("say something louder", name="shout", source=source, examples=examples)
    assert made.accepted, made.reason
    assert tools.call("shout", {"text": "so", "times": 2}).value == "SO!!"
    assert all(one.passed for one in tools.verify("shout")[1])
    again = tools.update("shout", source=source.replace("upper()", "upper().strip()"))
    assert again.accepted, again.reason


@pytest.mark.later
def test_a_tool_without_a_name_is_called_by_the_words_that_were_said() -> None:
    assert tool_name_of("celsius to fahrenheit") == "celsius_fahrenheit"
    assert tool_name_of("class") == "class_tool"
    assert tool_name_of("is it?") == "tool"
