"""A model is shown no value of a secret field, whoever asks it; the program itself is run on the real data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Artifact, Contract, Example, Settings, Verdict
from mayfly.forge import Request
from mayfly.forge._contract import contract_of
from mayfly.forge._prompt import shown_to_model
from mayfly.forge._reflect import Arbiter, Reflector
from mayfly.gates import Disputed, Test
from mayfly.models import open_model
from mayfly.runtime import Runtime
from mayfly.testing import ChatReply, chat_server, write_script

PASSWORD = "hunter2-of-ada"
RECORD = {"user": "ada", "password": PASSWORD}


def test_a_request_is_shown_without_the_values_of_secret_fields() -> None:
    request = Request(
        intent=f"say whether {PASSWORD} is the password",
        examples=(Example(input=RECORD, output=[PASSWORD]),),
        sample=("user,password", f"ada,{PASSWORD}"),
        context={"api_key": "abcd-1234"},
        hints=(f"it was {PASSWORD}",),
    )
    seen, _ = shown_to_model(request)
    assert PASSWORD not in str(seen)
    assert "abcd-1234" not in str(seen)
    assert seen.examples[0].output == ["‹secret: password 1›"]
    assert PASSWORD not in str(contract_of(request))
    assert request.examples[0].input == RECORD


def test_a_fresh_look_answers_in_terms_of_the_real_data(tmp_path: Path) -> None:
    script = write_script(tmp_path / "s.jsonl", ("arbiter", '{"output": ["‹secret: password 1›"], "sure": true}'))
    with open_model(script, record=tmp_path / "record.jsonl") as model:
        test = Test(name="t", kind="intent", input=RECORD, expected=["x"])
        disputed = Disputed(test=test, gave=[PASSWORD])
        settled = Arbiter(model).settle([disputed], Request(intent="list the passwords"), Contract())
    assert settled.dropped == (test,)
    assert PASSWORD not in (tmp_path / "record.jsonl").read_text()


def test_a_reflection_sees_the_failure_without_the_value(tmp_path: Path) -> None:
    answer = json.dumps({"root_cause": "x", "suggestions": [], "confidence": 0.9})
    script = write_script(tmp_path / "s.jsonl", ("reflect", answer))
    verdict = Verdict(decision="reject", gate="proof", code="TEST", message=f"for {{'password': '{PASSWORD[:9]}…")
    with open_model(script, record=tmp_path / "record.jsonl") as model:
        Reflector(model).reflect(Artifact(kind="agent", source="x = 1"), (verdict,), request=Request(intent="x"))
    record = (tmp_path / "record.jsonl").read_text()
    assert PASSWORD[:9] not in record
    assert "password" in record


@pytest.mark.parametrize("form", ["json", "csv", "log"])
def test_run_sends_no_secret_of_a_record_to_a_model(form: str, tmp_path: Path) -> None:
    file = tmp_path / f"in.{form}"
    lines = {
        "json": [json.dumps({"user": f"u{n}", "password": f"{PASSWORD}-{n}"}) for n in range(5)],
        "csv": ["user,password", *(f"u{n},{PASSWORD}-{n}" for n in range(5))],
        "log": [f"2024-01-0{n + 1} login user=u{n} password={PASSWORD}-{n} ok" for n in range(5)],
    }[form]
    file.write_text("\n".join(lines) + "\n")
    asked: list[str] = []

    def answer(body: dict[str, Any]) -> ChatReply:
        asked.append(json.dumps(body["messages"]))
        return ChatReply(text="I cannot say.")

    with chat_server(answer) as server, Runtime(Settings(state_dir=str(tmp_path / "state"))) as runtime:
        runtime.run("transliterate each user name into runes", lines=file, model=server.model, ground=None)
    assert asked, "the model was asked"
    assert any("password" in one for one in asked), "and it was shown what records look like"
    assert not any(PASSWORD in one for one in asked)
