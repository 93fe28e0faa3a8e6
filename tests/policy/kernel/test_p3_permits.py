"""P3: typed actions, reason codes with the place they are about, sums of money, unknown personas."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import InputError, PolicySettings, Settings
from mayfly.persona import Desk
from mayfly.policy import Kernel, action_types, reason_codes
from mayfly.policy.kernel._actions import names_of, payload_fault
from mayfly.policy.kernel._reasons import OWN, code_of
from mayfly.store import Ledger

RULES = Path(__file__).parents[3] / "src/mayfly/policy/rules"
DAY = 86_400 * 10**9


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return Kernel(workspace=tmp_path_factory.mktemp("work"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    spending = PolicySettings(spend_limit=50, spend_session=100, spend_day=250)
    return Settings(state_dir=str(tmp_path / "state"), policy=spending)


@pytest.fixture
def ledger(settings: Settings) -> Iterator[Ledger]:
    with Ledger.open(settings) as opened:
        yield opened


@pytest.fixture
def desk(settings: Settings, ledger: Ledger, tmp_path: Path) -> Desk:
    return Desk(settings, ledger=ledger, workspace=tmp_path)


# Typed actions


def test_p3_every_class_of_the_rules_is_a_typed_action() -> None:
    text = (RULES / "classes.mg").read_text()
    classes = set(re.findall(r"^action_class\(/\w+, /(\w+)\)", text, re.MULTILINE))
    assert classes == set(action_types())


def test_p3_every_type_takes_words_for_people_and_says_what_its_target_is() -> None:
    for one in action_types().values():
        assert one.target
        assert names_of("words") <= one.keys.keys()
        assert one.schema()["additionalProperties"] is one.open


@pytest.mark.parametrize(
    ("action", "payload", "near"),
    [
        ("shell_exec", {"arvg": ["ls"]}, "argv"),
        ("shell_exec", {"command": "ls", "enviroment": {"A": "b"}}, "environment"),
        ("file_write", {"contnet": "x"}, "content"),
        ("http_post", {"metod": "POST"}, "method"),
        ("spend", {"amuont": 1}, "amount"),
    ],
)
def test_p3_an_unknown_key_is_an_error_with_the_near_name(kernel: Kernel, action: str, payload: Any, near: str) -> None:
    text = json.dumps(payload)
    found = kernel.permitted(action, "ls", text)
    assert found.decision == "deny"
    reason = next(one for one in found.reasons if one.code == "payload/unknown-key")
    assert f"did you mean {near!r}?" in reason.text
    assert reason.span.argument == "payload"
    assert text[reason.span.start : reason.span.end].strip('"') in payload


def test_p3_a_key_like_no_other_is_refused_with_where_to_look(kernel: Kernel) -> None:
    found = kernel.permitted("file_read", "a.txt", {"zzzzqqq": 1})
    assert "see: mayfly policy actions read" in found.because[-1]


@pytest.mark.parametrize(
    ("action", "payload"),
    [
        ("shell_exec", {"argv": 3}),
        ("shell_exec", {"cwd": ["src"]}),
        ("web_fetch", {"method": {}}),
        ("spend", {"amount": []}),
    ],
)
def test_p3_a_value_of_the_wrong_type_is_an_error(kernel: Kernel, action: str, payload: Any) -> None:
    found = kernel.permitted(action, "ls", payload)
    assert found.decision == "deny"
    assert "payload/wrong-type" in {reason.code for reason in found.reasons}


def test_p3_a_payload_that_fits_changes_nothing(kernel: Kernel) -> None:
    assert kernel.permitted("file_write", "notes.md", {"content": "x", "encoding": "utf-8"}).allowed
    assert kernel.permitted("shell_exec", "ls", "").allowed
    assert kernel.permitted("spend", "x", {"cents": 0, "currency": "usd"}).reasons[0].code == "spend/over-limit"


def test_p3_a_text_that_is_no_object_has_no_keys() -> None:
    assert payload_fault("/run", "ls {a,b}") is None
    assert payload_fault("/run", '["ls"]') is None
    assert payload_fault("/of_a_rule_file", '{"anything": 1}') is None


# Reason codes and spans


def test_p3_every_reason_of_the_shipped_rules_has_a_code() -> None:
    heads = r"refused|needs_approval|policy_denies|policy_needs_approval|review_forbids"
    without = []
    for path in RULES.glob("*.mg"):
        text = path.read_text()
        named = rf'^(?:{heads}|class_needs_approval|beyond)\(.*?"([^"]+)"\)(?: :-|\.)'
        said = re.findall(named, text, re.MULTILINE)
        said += re.findall(r'Reason = fn:string:concat\("([^"]+)"', text)
        without += [f"{path.name}: {one}" for one in said if code_of(one) == OWN]
    assert without == []


def test_p3_the_list_of_codes_is_closed_and_documented() -> None:
    page = (RULES.parents[3] / "docs/policy.md").read_text()
    assert [code for code in reason_codes() if f"`{code}`" not in page] == []


CASES = [
    ("file_read", "../secret.txt", "", "path/unclear", "../secret.txt"),
    ("file_read", "/etc/passwd", "", "path/system", "/etc/passwd"),
    ("file_write", "src/.env", "A=1", "path/secret", ".env"),
    ("file_write", ".github/workflows/ci.yml", "on: push", "path/runs-by-itself", ".github"),
    ("run_arbitrary_command", "rm -rf /", "", "action/arbitrary", "rm -rf /"),
    ("web_fetch", "http://10.0.0.1/x", "", "host/private", "10.0.0.1"),
    ("web_fetch", "https://example.org/x", "", "host/not-listed", "example.org"),
    ("git_push", "origin", "", "git/push", "origin"),
    ("make_coffee", "now", "", "action/unknown", "now"),
    ("spend", "a tool", "", "spend/amount-unknown", "a tool"),
]


@pytest.mark.parametrize(("action", "target", "payload", "code", "span"), CASES)
def test_p3_a_reason_has_a_code_and_the_place_it_is_about(
    kernel: Kernel, action: str, target: str, payload: str, code: str, span: str
) -> None:
    found = kernel.permitted(action, target, payload)
    assert found.decision != "permit"
    assert [reason.text for reason in found.reasons] == list(found.because)
    assert {reason.code for reason in found.reasons} <= set(reason_codes())
    reason = next(one for one in found.reasons if one.code == code)
    said = {"target": target, "payload": payload}[reason.span.argument]
    assert said[reason.span.start : reason.span.end] == span


def test_p3_what_is_permitted_needs_no_reason(kernel: Kernel) -> None:
    assert kernel.permitted("file_read", "a.txt").reasons == ()


@pytest.mark.parametrize("action", ["\0", "a" * 500, ""])
def test_p3_what_cannot_be_decided_has_a_code_too(kernel: Kernel, action: str) -> None:
    assert [reason.code for reason in kernel.permitted(action, "x").reasons] == ["action/undecided"]


def test_p3_codes_and_places_are_in_the_ledger(desk: Desk, ledger: Ledger) -> None:
    found = desk.kernel().permitted("file_read", "/etc/passwd")
    (event,) = ledger.read(kind="policy.decided", subject=found.id)
    told: Any = event.payload["reasons"]
    assert {"argument": "target", "code": "path/system", "end": 11, "start": 0} in told


# Personas


def test_p3_an_unknown_persona_is_denied_everything_but_asking(desk: Desk) -> None:
    with pytest.raises(InputError, match="no persona 'stranger'"):
        desk.kernel(persona="stranger")
    kernel = Kernel(desk.snapshot, workspace=desk.workspace, persona="stranger")
    found = kernel.permitted("file_read", "a.txt")
    assert found.decision == "deny"
    assert "persona/unknown" in {reason.code for reason in found.reasons}
    assert kernel.permitted("ask_user", "May I?").allowed


# Money


def test_p3_spending_is_summed_in_the_session(desk: Desk) -> None:
    kernel = desk.kernel(session="s-1")
    assert [kernel.permitted("spend", "x", {"cents": 40}).decision for _ in range(3)] == [
        "permit",
        "permit",
        "approval",
    ]
    found = kernel.permitted("spend", "x", {"cents": 40})
    assert [reason.code for reason in found.reasons] == ["spend/over-session-cap"]
    assert desk.kernel(session="s-2").permitted("spend", "x", {"cents": 40}).allowed, "another session has its own sum"


def test_p3_spending_is_summed_in_the_day_and_the_next_day_begins_anew(desk: Desk) -> None:
    now = [DAY]

    def ask(session: str) -> list[str]:
        kernel = desk.kernel(session=session)
        kernel._clock = lambda: now[0]
        found = kernel.permitted("spend", "x", {"cents": 50})
        return [reason.code for reason in found.reasons] or [found.decision]

    assert [ask(f"s-{number}") for number in range(6)] == [["permit"]] * 5 + [["spend/over-day-cap"]]
    now[0] += DAY
    assert ask("s-7") == ["permit"]


def test_p3_without_a_session_the_day_is_summed_all_the_same(desk: Desk) -> None:
    said = [desk.kernel().permitted("spend", "x", {"cents": 50}).decision for _ in range(6)]
    assert said == ["permit"] * 5 + ["approval"]


def test_p3_what_was_denied_is_not_counted_and_what_was_approved_is(desk: Desk, ledger: Ledger) -> None:
    kernel = desk.kernel(session="s-1")
    for _ in range(5):
        large = kernel.permitted("spend", "x", {"cents": 90})
        assert large.decision == "approval"
    desk.approve(large.id, by="ada", reason="it is worth it")
    assert kernel.permitted("spend", "x", {"cents": 90}).allowed
    totals = [event.payload["total"] for event in ledger.read(kind="policy.spent")]
    assert totals == [90, 90]
    assert kernel.permitted("spend", "x", {"cents": 11}).decision == "approval"


def test_p3_a_session_cannot_say_what_it_has_spent(desk: Desk) -> None:
    from mayfly.core import InputError

    for fact in ("spent(/session, 0)", "spend_cap(/session, 100000)"):
        with pytest.raises(InputError):
            desk.kernel(facts=[fact])


def test_p3_the_sum_is_right_when_many_spend_at_once(settings: Settings, tmp_path: Path) -> None:
    roomy = replace(settings, policy=replace(settings.policy, spend_session=10_000, spend_day=250))
    said: list[str] = []
    begun = threading.Barrier(4)

    def spend() -> None:
        with Ledger.open(roomy) as ledger:
            kernel = Desk(roomy, ledger=ledger, workspace=tmp_path).kernel(session="s")
            begun.wait(60)
            said.extend(kernel.permitted("spend", "x", {"cents": 50}).decision for _ in range(4))

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (said.count("permit"), said.count("approval")) == (5, 11)
    with Ledger.open(roomy) as ledger:
        totals = [event.payload["total"] for event in ledger.read(kind="policy.spent")]
    assert 250 in totals
    assert all(isinstance(total, int) and total <= 250 for total in totals)


def test_p3_a_sum_that_cannot_be_read_denies(desk: Desk, ledger: Ledger) -> None:
    kernel = desk.kernel(session="s-1")
    ledger.close()
    assert kernel.permitted("spend", "x", {"cents": 1}).decision == "deny"
